"""Defines the kind VolumeAttributesClass of storage.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/storage/volumeattributesclass` and `pkg/apis/storage/validation`.
"""

from collections.abc import Mapping
from typing import Final

from fakeapi.kinds.storage.provisioning import validate_parameters, validate_provisioner
from fakeapi.machinery.field_errors import FieldError, forbidden
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

DEFAULT_ANNOTATION: Final = "volumeattributesclass.alpha.kubernetes.io/is-default-class"


class VolumeAttributesClassStrategy(RulesStrategy):
    """Strategy for VolumeAttributesClasses, in which only metadata may change."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [
            *validate_provisioner(obj["driverName"], "driverName", self._rules),
            *validate_parameters(obj.get("parameters"), "parameters", self._rules, may_be_empty=False),
        ]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_object, *self.validate_create(new)]
        changes = [*metadata.of_change]
        changes += [
            forbidden(name, f"updates to {name} are forbidden.")
            for name in ("driverName", "parameters")
            if (new.get(name) or None) != (old.get(name) or None)
        ]
        if self._rules.quirks.updates_are_checked_once:
            return [*changes, *errors]
        again = errors if self._rules.quirks.attributes_classes_are_checked_again else []
        return [*errors, *changes, *again]


def _name(obj: Object, now: float) -> str:
    name: str = obj["metadata"]["name"]
    annotations: Mapping[str, str] = obj["metadata"].get("annotations") or {}
    return f"{name} (default)" if annotations.get(DEFAULT_ANNOTATION) == "true" else name


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    named = {"Name": _name} if quirks.attributes_class_may_be_default else {}
    return {**named, "DriverName": at("driverName")}


VOLUME_ATTRIBUTES_CLASS = KindDefinition(
    group="storage.k8s.io",
    resource="volumeattributesclasses",
    strategies=of_rules(VolumeAttributesClassStrategy),
    cells=_cells,
)
