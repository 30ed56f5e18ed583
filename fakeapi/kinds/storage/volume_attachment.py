"""Defines the kind VolumeAttachment of storage.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/storage/volumeattachment` and `pkg/apis/storage/validation`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Final

from fakeapi.kinds.common.driver_names import validate_csi_driver_name
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.invalid_texts import validate_dns_subdomain
from fakeapi.kinds.common.printing.values import printed_as
from fakeapi.kinds.common.status_strategies import StatusKeptStrategy, StatusOnlyStrategy
from fakeapi.kinds.core.persistent_volume.internal_form import internal_spec
from fakeapi.kinds.core.persistent_volume.spec import validate_inline_volume
from fakeapi.kinds.storage.csi_driver import ALLOCATABLE_COUNT
from fakeapi.kinds.storage.provisioning import size_of
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, required, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Cell, at
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import validate_immutable
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks
from fakeapi.releases.rules import ReleaseRules

METADATA_SIZE_MAX: Final = 256 * 1024
"""Maximum size of all names and values of `status.attachmentMetadata` together, in bytes."""
MESSAGE_MAX: Final = 1024
INT32_MAX: Final = (1 << 31) - 1
_ONE_SOURCE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


class VolumeAttachmentStrategy(StatusKeptStrategy, RulesStrategy):
    """Strategy for creates and updates of VolumeAttachments. Rejects changes of the spec.

    Ignores the status that the client sends.
    """

    new_status: ClassVar[Object] = {"attached": False}
    updates_unconditionally: ClassVar[bool] = False

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors = self._validate(obj)
        if not self._rules.quirks.attachers_are_driver_names:
            attacher = obj["spec"]["attacher"]
            errors += validate_csi_driver_name(attacher, "spec.attacher", self._rules)
            errors += _validate_volume_name(obj["spec"])
        return errors

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        errors = [*metadata.of_object, *self._validate(new)]
        if not self._rules.quirks.updates_are_checked_once:
            errors += errors
        return errors + validate_immutable(
            new["spec"],
            old["spec"],
            "spec",
            lambda spec: printed_as(spec, _internal_spec(self._rules), self._rules),
        )

    def _validate(self, obj: Object) -> list[FieldError]:
        spec, errors = obj["spec"], list[FieldError]()
        if self._rules.quirks.attachers_are_driver_names:
            errors += validate_csi_driver_name(spec["attacher"], "spec.attacher", self._rules)
        elif not spec["attacher"]:
            errors.append(required("spec.attacher"))
        errors += self._validate_source(spec["source"])
        errors += validate_dns_subdomain(spec["nodeName"], "spec.nodeName")
        errors += self._validate_status(obj["status"])
        if self._rules.quirks.attachers_are_driver_names:
            errors += _validate_volume_name(spec)
        return errors

    def _validate_source(self, source: Object) -> list[FieldError]:
        path, name, inline = (
            "spec.source",
            source.get("persistentVolumeName"),
            source.get("inlineVolumeSpec"),
        )
        if name is None and inline is None:
            return [required(path, _ONE_SOURCE)]
        if name is not None and inline is not None:
            return [forbidden(path, _ONE_SOURCE)]
        if inline is not None:
            return validate_inline_volume(inline, f"{path}.inlineVolumeSpec", self._rules)
        problem = "must specify non empty persistentVolumeName"
        return [] if name else [required(f"{path}.persistentVolumeName", problem)]

    def _validate_status(self, status: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        if size_of(status.get("attachmentMetadata") or {}) > METADATA_SIZE_MAX:
            wording = self._rules.quirks.too_long
            errors.append(too_long("status.attachmentMetadata", METADATA_SIZE_MAX, wording))
        for name in ("attachError", "detachError"):
            error, path = status.get(name), f"status.{name}"
            if error is None:
                continue
            if names.byte_length(error.get("message", "")) > MESSAGE_MAX:
                limit = self._rules.quirks.volume_error_limit_in_errors
                errors.append(too_long(f"{path}.message", limit, self._rules.quirks.too_long))
            code = error.get("errorCode")
            if code is not None and code < 0:
                rule = f"must be between 0 and {INT32_MAX}, inclusive"
                errors.append(invalid(f"{path}.errorCode", code, rule))
        return errors


def _internal_spec(rules: ReleaseRules) -> Struct:
    """Returns the schema of VolumeAttachmentSpec, with its inline volume in the internal field order."""
    spec = rules.schemas.struct("storage/v1.VolumeAttachmentSpec")
    source = spec.fields["source"].node
    assert isinstance(source, Struct)
    inline = replace(source.fields["inlineVolumeSpec"], node=internal_spec(rules))
    fields = {**source.fields, "inlineVolumeSpec": inline}
    internal = replace(spec.fields["source"], node=replace(source, fields=fields))
    return replace(spec, fields={**spec.fields, "source": internal})


STATUS_FIELDS = (
    GatedFields(ALLOCATABLE_COUNT, ("status.attachError.errorCode",)),
    GatedFields(ALLOCATABLE_COUNT, ("status.detachError.errorCode",)),
)
"""Fields of a VolumeAttachment's status that the server drops while their feature gate is off.

Follows `PrepareForUpdate` of k8s.io/kubernetes `pkg/registry/storage/volumeattachment`.
"""


class VolumeAttachmentStatusStrategy(StatusOnlyStrategy, VolumeAttachmentStrategy):
    """Strategy for `/status` of VolumeAttachments."""

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = super().prepare_update(new, old)
        return drop_disabled_fields(new, old, STATUS_FIELDS, self._rules)


def _validate_volume_name(spec: Object) -> list[FieldError]:
    name = spec["source"].get("persistentVolumeName")
    return [] if name is None else validate_dns_subdomain(name, "spec.source.persistentVolumeName")


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Attacher": at("spec", "attacher"),
        "PV": at("spec", "source", "persistentVolumeName"),
        "Node": at("spec", "nodeName"),
        "Attached": lambda obj, now: bool(obj["status"]["attached"]),
    }


VOLUME_ATTACHMENT = KindDefinition(
    group="storage.k8s.io",
    resource="volumeattachments",
    strategies=of_rules(VolumeAttachmentStrategy, VolumeAttachmentStatusStrategy),
    cells=_cells,
    table_subresources=frozenset(("status",)),
)
