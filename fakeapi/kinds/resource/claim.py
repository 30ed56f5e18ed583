"""ResourceClaim of resource.k8s.io/v1alpha3 and newer, from Kubernetes 1.31.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim`, `pkg/apis/resource/v1alpha3` and
`pkg/apis/resource/validation`.
"""

from functools import cached_property
from typing import Any, ClassVar

from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.resource import admin_access
from fakeapi.kinds.resource.claim_spec import ClaimSpecStrategy, validate_claim_spec
from fakeapi.kinds.resource.conversion.requests import CLAIM_CONVERSIONS
from fakeapi.kinds.resource.empty_lists import restore_in_status
from fakeapi.kinds.resource.gated_fields import CLAIM_FIELDS, CLAIM_STATUS_FIELDS
from fakeapi.kinds.resource.layout import NESTED_PATHS, layout_of
from fakeapi.kinds.resource.validation.allocation import validate_allocation
from fakeapi.kinds.resource.validation.cel_selectors import device_compiler
from fakeapi.kinds.resource.validation.claim_devices import Checks
from fakeapi.kinds.resource.validation.collections import validate_set
from fakeapi.kinds.resource.validation.deallocation_requested import validate_deallocation
from fakeapi.kinds.resource.validation.device_status import (
    allocated_devices,
    validate_device_statuses,
    without_deallocated,
)
from fakeapi.kinds.resource.validation.identifiers import request_names
from fakeapi.kinds.resource.validation.reserved_for import (
    reserved_without_allocation,
    validate_consumer,
    validate_no_new_consumers,
)
from fakeapi.machinery import codec
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column, fields_at
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import for_status
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

SPECS_KEPT = 256
"""Maximum number of valid claim specs that a strategy caches.

The strategy empties a full cache before it adds the next spec.
"""

KEPT_SPEC_BYTES_MAX = 8 * 1024
"""Maximum size of an encoded claim spec in the cache, in bytes. Larger specs are validated each time."""


class ClaimStrategy(ClaimSpecStrategy):
    """Strategy for creates and updates of a ResourceClaim. Ignores the status that the client sends."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    @cached_property
    def _right_specs(self) -> set[tuple[bytes, bool]]:
        """The cache of valid claim specs: (encoded spec, `Checks.stored` during its validation)."""
        return set()

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        obj = super().restore_after_decoding(obj, sent)
        restore_in_status(obj, sent)
        return obj

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {}
        return drop_disabled_fields(obj, None, CLAIM_FIELDS, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        return drop_disabled_fields(new, old, CLAIM_FIELDS, self._rules)

    def validate(self, obj: Object, checks: Checks) -> list[FieldError]:
        """Returns the errors of the claim spec. Skips specs that are in the cache of valid specs.

        ResourceClaims of one template have equal specs, so the cache saves time.
        """
        text = codec.encode(obj["spec"])
        if (text, checks.stored) in self._right_specs:
            return []
        errors = validate_claim_spec(obj["spec"], "spec", checks)
        if not errors and len(text) <= KEPT_SPEC_BYTES_MAX:
            if len(self._right_specs) >= SPECS_KEPT:
                self._right_specs.clear()
            self._right_specs.add((text, checks.stored))
        return errors


class ClaimStatusStrategy(ClaimStrategy):
    """Strategy for `/status` of ResourceClaims: the allocation, reservations and device status."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = for_status(new, old)
        if self._rules.quirks.deallocated_devices_go_first:
            _drop_deallocated_devices(new, old["status"])
            return drop_disabled_fields(new, old, CLAIM_STATUS_FIELDS, self._rules)
        new = drop_disabled_fields(new, old, CLAIM_STATUS_FIELDS, self._rules)
        _drop_deallocated_devices(new, old["status"])
        return new

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        status, before = new["status"], old["status"]
        allocation, allocated = status.get("allocation"), before.get("allocation")
        errors: list[FieldError] = []
        if self._rules.quirks.admin_access_needs_label:
            errors += admin_access.authorize_results(
                new, old, self._namespace_labels, self._rules.quirks.admin_access_label
            )
        errors += metadata.of_change
        if self._rules.quirks.allocation_is_always_checked and allocation is not None:
            errors += self._validate_allocation(allocation, new)
        errors += self._validate_reserved_and_devices(status)
        errors += _validate_reservations(new, before)
        if allocation is not None and allocated is not None:
            type_name = self._rules.schemas.newest_type("resource", "AllocationResult")
            errors += validate_immutable_struct(
                allocation, allocated, "status.allocation", type_name, self._rules
            )
        elif allocation is not None and not self._rules.quirks.allocation_is_always_checked:
            errors += self._validate_allocation(allocation, new)
        errors += validate_deallocation(status, before, "status")
        return errors

    def _validate_allocation(self, allocation: Object, claim: Object) -> list[FieldError]:
        known = request_names(claim["spec"]["devices"])
        return validate_allocation(allocation, "status.allocation", known, self._checks)

    def _validate_reserved_and_devices(self, status: Object) -> list[FieldError]:
        errors = validate_set(
            status.get("reservedFor"),
            "status.reservedFor",
            self._rules.limits.reserved_for,
            validate_consumer,
            self._rules,
            key=_uid_of,
            key_field="uid",
        )
        if "devices" in status:
            allocated = allocated_devices(status)
            errors += validate_device_statuses(status["devices"], allocated, "status.devices", self._rules)
        return errors


class NewerClaimStatusStrategy(ClaimStatusStrategy):
    """Strategy for `/status` of ResourceClaims, in releases with the quirk `status_resets_metadata`.

    In these releases, status updates never own metadata fields in managedFields.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("metadata",), ("spec",))


def _drop_deallocated_devices(claim: Object, before: Object) -> None:
    """Removes the status of deallocated devices from a ResourceClaim, in place.

    `before`: the stored status
    """
    status = claim["status"]
    if "devices" not in status:
        return
    devices = without_deallocated(status["devices"], status, before)
    rest = {name: value for name, value in status.items() if name != "devices"}
    claim["status"] = {**status, "devices": devices} if devices else rest


def _uid_of(consumer: Object) -> str:
    uid: str = consumer["uid"]
    return uid


def _validate_reservations(claim: Object, before: Object) -> list[FieldError]:
    status = claim["status"]
    if not status.get("reservedFor"):
        return []
    if "allocation" not in status:
        return [reserved_without_allocation("status.reservedFor")]
    if "deletionTimestamp" in claim["metadata"] or "deallocationRequested" in status:
        return validate_no_new_consumers(
            status["reservedFor"], before.get("reservedFor", ()), "status.reservedFor"
        )
    return []


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    labels, check_cel = context.namespace_labels, device_compiler(rules)
    of_status = NewerClaimStatusStrategy if rules.quirks.status_resets_metadata else ClaimStatusStrategy
    return {
        "": ClaimStrategy(rules, labels, check_cel, layout=layout_of(kind)),
        "status": of_status(rules, labels, check_cel, layout=layout_of(kind)),
    }


def state_column(schema: Struct) -> Column:
    """Returns the table column that summarizes a ResourceClaim's status.

    Only releases from 1.27 to 1.31 have the state `deallocating`.
    """
    deallocates = "deallocationRequested" in fields_at(schema, "status")
    return Column(
        "State",
        "A summary of the current state (allocated, pending, reserved, etc.).",
        lambda obj, now: _state(obj, deallocates=deallocates),
        timeless=True,
    )


def _state(obj: Object, *, deallocates: bool) -> str:
    status = obj.get("status") or {}
    deleted = bool(obj["metadata"].get("deletionTimestamp"))
    states = ["deleted"] if deleted else []
    if status.get("allocation") is None:
        return "deleted" if deleted else "pending"
    states.append("allocated")
    if status.get("reservedFor"):
        states.append("reserved")
    elif deallocates and (deleted or status.get("deallocationRequested")):
        states.append("deallocating")
    return ",".join(states)


CLAIM = KindDefinition(
    group="resource.k8s.io",
    resource="resourceclaims",
    strategies=_strategies,
    columns=lambda schema, quirks: (state_column(schema),),
    conversions=CLAIM_CONVERSIONS,
    declared_paths=NESTED_PATHS,
)
