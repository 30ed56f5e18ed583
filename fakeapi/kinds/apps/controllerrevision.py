"""ControllerRevision of apps/v1: a snapshot of data to which a controller can roll back.

Follows k8s.io/kubernetes `pkg/registry/apps/controllerrevision` and `pkg/apis/apps/validation`.
"""

from typing import Any

from fakeapi.kinds.common.printing.values import printed_value
from fakeapi.kinds.common.workload_cells import number_at
from fakeapi.machinery import codec
from fakeapi.machinery.codec import RawJson
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import FIELD_IMMUTABLE
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy


class ControllerRevisionStrategy(RulesStrategy):
    """Strategy for ControllerRevisions. Rejects changes of their data."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        revision = validate_nonnegative(obj.get("revision"), "revision")
        if not self._rules.quirks.workloads.revision_data_is_an_object:
            missing = obj.get("data") is None
            return [*([required("data", "data is mandatory")] if missing else ()), *revision]
        return [*revision, *_data_errors(_plain(obj.get("data")))]

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        revision = validate_nonnegative(new.get("revision"), "revision")
        checks_data = not self._rules.quirks.workloads.revision_data_is_an_object
        missing = [required("data", "data is mandatory")] if checks_data and new.get("data") is None else []
        errors = [*metadata.of_change, *metadata.of_object, *missing, *revision]
        text = codec.encode(new.get("data"))
        if text != codec.encode(old.get("data")):
            errors.append(invalid("data", self._printed(text), FIELD_IMMUTABLE))
        return errors

    def _printed(self, text: bytes) -> Dump:
        """Formats the JSON text of `data` as upstream prints it in errors."""
        hexadecimal = ", ".join(f"0x{byte:x}" for byte in text)
        raw = "[]uint8(nil)" if text == b"null" else f"[]uint8{{{hexadecimal}}}"
        if self._rules.quirks.workloads.revision_data_is_an_object:
            dump = f"runtime.RawExtension{{Raw:{raw}, Object:runtime.Object(nil)}}"
        else:
            dump = (
                f'runtime.Unknown{{TypeMeta:runtime.TypeMeta{{APIVersion:"", Kind:""}}, Raw:{raw}, '
                'ContentEncoding:"", ContentType:"application/json"}'
            )
        return printed_value(codec.decode(text), dump, self._rules.quirks.wording)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, RawJson) else value


def _data_errors(data: Any) -> list[FieldError]:
    if data is None:
        return [required("data", "data is mandatory")]
    return [] if isinstance(data, dict) else [required("data", "data must be a valid JSON object")]


def _controller(obj: Object, now: float) -> str:
    """Returns the table cell for the owner with `controller: true`: `KIND[.GROUP]/NAME`, or `<none>`."""
    owners = obj["metadata"].get("ownerReferences") or ()
    owner = next((reference for reference in owners if reference.get("controller")), None)
    if owner is None:
        return "<none>"
    group = owner["apiVersion"].rpartition("/")[0]
    kind = f"{owner['kind']}.{group}".lower() if group else owner["kind"].lower()
    return f"{kind}/{owner['name']}"


CONTROLLER_REVISION = KindDefinition(
    group="apps",
    resource="controllerrevisions",
    strategies=of_rules(ControllerRevisionStrategy),
    cells=lambda quirks: {"Controller": _controller, "Revision": number_at("revision")},
)
