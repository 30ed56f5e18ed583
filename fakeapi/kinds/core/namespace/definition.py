"""Defines the kind core/v1 Namespace.

Follows k8s.io/kubernetes `pkg/registry/core/namespace`, `pkg/apis/core/v1` and `pkg/apis/core/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.common.status_strategies import SpecKeptStrategy
from fakeapi.kinds.core.namespace.deletion import TERMINATING, terminate
from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column, at
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.field_labels import NAME, FieldLabels
from fakeapi.registry.model.object_meta import in_order
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules

NAME_LABEL = "kubernetes.io/metadata.name"
KUBERNETES_FINALIZER = "kubernetes"
ACTIVE = "Active"


class NamespaceStrategy(Strategy):
    """Prepares and validates new and updated Namespaces. Updates keep spec and status."""

    def __init__(self, rules: ReleaseRules) -> None:
        self._unit = rules.quirks.wording.length_unit

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def default(self, obj: Object) -> Object:
        """Sets the phase of a Namespace, and the label kubernetes.io/metadata.name if the name is known."""
        obj["status"].setdefault("phase", ACTIVE)
        return _labelled(obj)

    def prepare_create(self, obj: Object) -> Object:
        """Sets the phase and the finalizer of a new Namespace, and the label kubernetes.io/metadata.name.

        `default` cannot set this label if the server generates the name.
        """
        obj["status"] = {"phase": ACTIVE}
        finalizers = obj["spec"].get("finalizers", [])
        if KUBERNETES_FINALIZER not in finalizers:
            obj["spec"]["finalizers"] = [*finalizers, KUBERNETES_FINALIZER]
        return _labelled(obj)

    def blocks_final_delete(self, obj: Object) -> bool:
        """Whether finalizers in the spec block the final deletion of a Namespace.

        The namespace controller deletes all objects of the Namespace, and then removes the finalizer
        `kubernetes` through `/finalize`.
        """
        return bool(obj["spec"].get("finalizers"))

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate_finalizers(obj)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["spec"] = old["spec"]
        new["status"] = old["status"]
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_object, *self._validate_finalizers(new), *metadata.of_change]

    def _validate_finalizers(self, obj: Object) -> list[FieldError]:
        """Returns the errors of the spec's finalizers. Like upstream, the path of an error has no index."""
        return [
            error
            for finalizer in obj["spec"].get("finalizers", ())
            for error in _validate_finalizer(finalizer, "spec.finalizers", self._unit)
        ]


class NamespaceStatusStrategy(SpecKeptStrategy, NamespaceStrategy):
    """Prepares and validates writes to `/status` of a Namespace. Such writes keep the spec."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Returns an error if the phase is wrong, or the metadata is invalid.

        The phase must be Terminating for a Namespace with a deletionTimestamp, and Active for any other
        Namespace.
        """
        is_going = "deletionTimestamp" in new["metadata"]
        phase, expected = new["status"]["phase"], TERMINATING if is_going else ACTIVE
        if phase == expected:
            return [*metadata.of_change]
        when = "is not empty" if is_going else "is empty"
        problem = f"may only be '{expected}' if `deletionTimestamp` {when}"
        return [*metadata.of_change, invalid("status.Phase", phase, problem)]


class NamespaceFinalizeStrategy(NamespaceStrategy):
    """Prepares and validates writes to `/finalize` of a Namespace.

    Only these writes can change the finalizers in the spec.
    """

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_change]
        for index, finalizer in enumerate(new["spec"].get("finalizers", ())):
            errors += _validate_finalizer(finalizer, f"spec.finalizers[{index}]", self._unit)
        return errors


def _labelled(obj: Object) -> Object:
    metadata = obj["metadata"]
    name = metadata.get("name")
    labels = metadata.get("labels", {})
    if name and labels.get(NAME_LABEL) != name:
        labelled = dict(sorted({**labels, NAME_LABEL: name}.items()))
        obj["metadata"] = in_order({**metadata, "labels": labelled})
    return obj


def _validate_finalizer(finalizer: str, path: str, unit: str) -> list[FieldError]:
    errors = [invalid(path, finalizer, message) for message in names.is_qualified_name(finalizer, unit)]
    if "/" not in finalizer and finalizer != KUBERNETES_FINALIZER:
        problem = "name is neither a standard finalizer name nor is it fully qualified"
        errors.append(invalid(path, finalizer, problem))
    return errors


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {
        "": NamespaceStrategy(rules),
        "status": NamespaceStatusStrategy(rules),
        "finalize": NamespaceFinalizeStrategy(rules),
    }


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    return (Column("Status", "The status of the namespace", at("status", "phase")),)


def _phase(obj: dict[str, Any]) -> Mapping[str, str]:
    return {"status.phase": obj["status"].get("phase", "")}


NAMESPACE = KindDefinition(
    group="",
    resource="namespaces",
    strategies=_strategies,
    name_validator=names.name_is_dns_label,
    field_labels=lambda kind: FieldLabels((NAME, "status.phase"), NOT_SUPPORTED, _phase),
    columns=_columns,
    deletion=terminate,
    deletion_pins_uid=True,
    immortal=frozenset(("default", "kube-public", "kube-system")),
    table_subresources=frozenset(("status",)),
)
