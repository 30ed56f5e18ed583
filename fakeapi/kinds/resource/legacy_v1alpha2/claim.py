"""ResourceClaim of resource.k8s.io/v1alpha2: Kubernetes 1.27 to 1.30.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim`, `pkg/apis/resource/v1alpha2` and
`pkg/apis/resource/validation`.
"""

from typing import ClassVar

from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.common.invalid_texts import validate_dns_subdomain
from fakeapi.kinds.common.status_strategies import StatusKeptStrategy
from fakeapi.kinds.resource.claim import state_column
from fakeapi.kinds.resource.legacy_v1alpha2 import CLASSIC_VERSIONS
from fakeapi.kinds.resource.legacy_v1alpha2.parameter_references import (
    validate_claim_reference,
)
from fakeapi.kinds.resource.legacy_v1alpha2.resource_handles import validate_allocation
from fakeapi.kinds.resource.validation.collections import validate_distinct
from fakeapi.kinds.resource.validation.deallocation_requested import validate_deallocation
from fakeapi.kinds.resource.validation.identifiers import validate_driver_name
from fakeapi.kinds.resource.validation.reserved_for import (
    reserved_without_allocation,
    validate_consumer,
    validate_no_new_consumers,
)
from fakeapi.machinery.field_errors import FieldError, forbidden, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Column, at
from fakeapi.registry.model.definition import CLASSIC, KindDefinition, of_rules
from fakeapi.registry.model.object_meta import for_status
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy

ALLOCATION_MODES = ("Immediate", "WaitForFirstConsumer")
DEFAULT_ALLOCATION_MODE = "WaitForFirstConsumer"


def default_claim_spec(spec: Object) -> Object:
    """Sets the defaults of a ResourceClaim spec in place, and returns the spec."""
    spec.setdefault("allocationMode", DEFAULT_ALLOCATION_MODE)
    return spec


def validate_claim_spec(spec: Object, path: str) -> list[FieldError]:
    """Validates the spec of a ResourceClaim or of a template's claims. `path`: the path of the spec."""
    errors = validate_dns_subdomain(spec["resourceClassName"], f"{path}.resourceClassName")
    errors += validate_claim_reference(spec, "parametersRef", f"{path}.parametersRef")
    mode = spec.get("allocationMode", "")
    if mode not in ALLOCATION_MODES:
        errors.append(not_supported(f"{path}.allocationMode", mode, ALLOCATION_MODES))
    return errors


class ClaimStrategy(StatusKeptStrategy, RulesStrategy):
    """Strategy for creates and updates of a v1alpha2 ResourceClaim.

    The spec is immutable. Ignores the status that the client sends.
    """

    def default(self, obj: Object) -> Object:
        default_claim_spec(obj["spec"])
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validate_claim_spec(obj["spec"], "spec")

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update of a v1alpha2 ResourceClaim.

        Like upstream, reports each error of the spec twice.
        """
        errors = [*metadata.of_object, *self.validate_create(new)]
        return [
            *errors,
            *metadata.of_change,
            *validate_immutable_struct(
                new["spec"],
                old["spec"],
                "spec",
                self._rules.schemas.newest_type("resource", "ResourceClaimSpec"),
                self._rules,
            ),
            *errors,
        ]


class ClaimStatusStrategy(ClaimStrategy):
    """Strategy for `/status` of v1alpha2 ResourceClaims: the allocation and reservations."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return for_status(new, old, stores_metadata=self._rules.quirks.status_stores_metadata)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        status, before = new["status"], old["status"]
        allocation, allocated = status.get("allocation"), before.get("allocation")
        errors: list[FieldError] = [*metadata.of_change]
        if "driverName" in status:
            errors += validate_driver_name(status["driverName"], "status.driverName", self._rules)
        elif allocation is not None:
            errors.append(required("status.driverName", "must be specified when `allocation` is set"))
        if allocation is not None:
            errors += validate_allocation(allocation, "status.allocation", self._rules)
        if "reservedFor" in status:
            errors += validate_distinct(
                status["reservedFor"],
                "status.reservedFor",
                self._rules.limits.reserved_for,
                validate_consumer,
                self._rules,
                key=_uid_of,
                key_field="uid",
            )
            is_going = "deletionTimestamp" in new["metadata"] or "deallocationRequested" in status
            errors += _validate_reservations(status, before, is_going=is_going)
        if allocated is not None and allocation is not None:
            type_name = self._rules.schemas.newest_type("resource", "AllocationResult")
            errors += validate_immutable_struct(
                allocation, allocated, "status.allocation", type_name, self._rules
            )
        errors += validate_deallocation(status, before, "status")
        return errors


def _uid_of(consumer: Object) -> str:
    uid: str = consumer["uid"]
    return uid


def _validate_reservations(status: Object, before: Object, *, is_going: bool) -> list[FieldError]:
    path = "status.reservedFor"
    if "allocation" not in status:
        return [reserved_without_allocation(path)]
    errors: list[FieldError] = []
    if len(status["reservedFor"]) > 1 and not status["allocation"].get("shareable"):
        errors.append(forbidden(path, "may not be reserved more than once"))
    if is_going:
        errors += validate_no_new_consumers(status["reservedFor"], before.get("reservedFor", ()), path)
    return errors


CLASS_NAME_TEXT = (
    "ResourceClassName references the driver and additional parameters via the name of a ResourceClass "
    "that was created as part of the driver deployment."
)
ALLOCATION_MODE_TEXT = (
    'Allocation can start immediately or when a Pod wants to use the resource. "WaitForFirstConsumer" is '
    "the default."
)


def class_and_mode(*path: str) -> tuple[Column, ...]:
    """Returns the table columns for class and allocation mode. `path`: the field path of the claim spec."""
    return (
        Column("ResourceClassName", CLASS_NAME_TEXT, at(*path, "resourceClassName")),
        Column("AllocationMode", ALLOCATION_MODE_TEXT, at(*path, "allocationMode")),
    )


CLASSIC_CLAIM = KindDefinition(
    group="resource.k8s.io",
    resource="resourceclaims",
    versions=CLASSIC_VERSIONS,
    hub=CLASSIC,
    strategies=of_rules(ClaimStrategy, ClaimStatusStrategy),
    columns=lambda schema, quirks: (*class_and_mode("spec"), state_column(schema)),
)
