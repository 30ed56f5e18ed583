"""ResourceClaim of resource.k8s.io/v1alpha3 and newer: Kubernetes 1.31 to 1.33.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim`, `pkg/apis/resource/v1alpha3` and
`pkg/apis/resource/validation`.
"""

from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

from fakeapi.machinery.fielderrors import FieldError
from fakeapi.registry.resources import adminaccess, gates
from fakeapi.registry.resources.allocations import validate_allocation
from fakeapi.registry.resources.celselectors import CelCheck, accept_any_cel, cel_warnings
from fakeapi.registry.resources.consumers import (
    reserved_without_allocation,
    validate_consumer,
    validate_no_new_consumers,
)
from fakeapi.registry.resources.deallocation import validate_deallocation
from fakeapi.registry.resources.devicerequests import (
    RequestGates,
    default_claim_spec,
    default_exact_claim_spec,
    with_tolerations,
)
from fakeapi.registry.resources.devices import Checks, requested_expressions, validate_devices
from fakeapi.registry.resources.devicestatuses import (
    allocated_devices,
    validate_device_statuses,
    without_deallocated,
)
from fakeapi.registry.resources.equality import validate_immutable
from fakeapi.registry.resources.identifiers import request_names, validate_driver_name
from fakeapi.registry.resources.lists import validate_set
from fakeapi.registry.resources.objectmeta import reset_for_status
from fakeapi.registry.resources.rules import Rules
from fakeapi.registry.strategy import Object, Strategy

Part: TypeAlias = dict[str, Any]


def validate_claim_spec(spec: Part, path: str, checks: Checks) -> list[FieldError]:
    """Errors of the spec of a claim, or of a template's claims, which stands at `path`."""
    errors = validate_devices(spec["devices"], f"{path}.devices", checks)
    if "controller" in spec:
        errors += validate_driver_name(spec["controller"], f"{path}.controller", checks.rules)
    return errors


class ClaimStrategy(Strategy):
    """Writes to a claim itself: its status is not theirs to set, its spec stays as it was made.

    All but `default` see claims in the form of v1alpha3 and v1beta1.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)

    def __init__(
        self,
        rules: Rules,
        namespace_labels: adminaccess.NamespaceLabels,
        check_cel: CelCheck = accept_any_cel,
        *,
        exact: bool = False,
    ) -> None:
        """`exact`: bodies are v1beta2's, where a request says by `exactly` what it wants."""
        self._rules = rules
        self._exact = exact
        self._namespace_labels = namespace_labels
        self._checks = Checks(rules, check_cel)
        self._checks_of_stored = replace(self._checks, stored=True)
        self._request_gates = RequestGates(rules)
        self._drops_controller = rules.drops(gates.CONTROL_PLANE_CONTROLLER)
        self._drops_admin_access = rules.drops(gates.ADMIN_ACCESS)
        self._drops_device_status = rules.drops(gates.DEVICE_STATUS)

    def default(self, obj: Object) -> Object:
        if self._exact:
            default_exact_claim_spec(obj["spec"])
        else:
            default_claim_spec(obj["spec"], self._rules)
        if self._rules.quirks.request_fields_under_exactly and "allocation" in obj["status"]:
            for result in obj["status"]["allocation"]["devices"].get("results", ()):
                with_tolerations(result)
        return obj

    def prepare_create(self, obj: Object) -> Object:
        obj["status"] = {}
        obj["spec"] = self._enabled_spec(obj["spec"], None)
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        if self._rules.quirks.admin_access_needs_label:
            errors += adminaccess.authorize_requests(obj, self._namespace_labels)
        return errors + validate_claim_spec(obj["spec"], "spec", self._checks)

    def warnings_on_create(self, obj: Object) -> list[str]:
        return cel_warnings(requested_expressions(obj["spec"]["devices"]), self._checks.check_cel)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["status"] = old["status"]
        new["spec"] = self._enabled_spec(new["spec"], old)
        return new

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """What is wrong with the spec is said before and after what is wrong with changing it."""
        return [
            *validate_claim_spec(new["spec"], "spec", self._checks),
            *validate_immutable(new["spec"], old["spec"], "spec"),
            *validate_claim_spec(new["spec"], "spec", self._checks_of_stored),
        ]

    def _enabled_spec(self, spec: Part, old: Object | None) -> Part:
        """The spec without fields behind a gate that is off, unless `old` has them."""
        enabled = self._request_gates.enabled(
            spec["devices"],
            None if old is None else old["spec"]["devices"],
            uses_admin_access=self._drops_admin_access
            and old is not None
            and adminaccess.uses_admin_access(old),
        )
        if enabled is not spec["devices"]:
            spec = {**spec, "devices": enabled}
        if self._drops_controller and not (old is not None and "controller" in old["spec"]):
            spec = _without(spec, "controller")
        return spec


class ClaimStatusStrategy(ClaimStrategy):
    """Writes to `/status`."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)
    metadata_checks: ClassVar[int] = 0

    def prepare_update(self, new: Object, old: Object) -> Object:
        new["spec"] = old["spec"]
        new["metadata"] = reset_for_status(new["metadata"], old["metadata"])
        status = new["status"]
        if "devices" in status:
            status = self._with_live_devices(status, old["status"])
        if self._drops_admin_access and not adminaccess.uses_admin_access(old):
            status = adminaccess.status_without(status)
        if self._drops_controller:
            status = _without_controller(status, old)
        new["status"] = status
        return new

    def _with_live_devices(self, status: Part, before: Part) -> Part:
        """Devices go with their allocation; all go where the gate is off and the claim had none."""
        devices: list[Part] = []
        if "devices" in before or not self._drops_device_status:
            devices = without_deallocated(status["devices"], status, before)
        return {**status, "devices": devices} if devices else _without(status, "devices")

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        status, before = new["status"], old["status"]
        allocation, allocated = status.get("allocation"), before.get("allocation")
        errors: list[FieldError] = []
        if self._rules.quirks.admin_access_needs_label:
            errors += adminaccess.authorize_results(new, old, self._namespace_labels)
        if self._rules.quirks.allocation_is_always_checked and allocation is not None:
            errors += self._validate_allocation(allocation, new)
        errors += self._validate_reserved_and_devices(status)
        errors += _validate_reservations(new, before)
        if allocation is not None and allocated is not None:
            errors += validate_immutable(allocation, allocated, "status.allocation")
        elif allocation is not None and not self._rules.quirks.allocation_is_always_checked:
            errors += self._validate_allocation(allocation, new)
        errors += validate_deallocation(status, before, "status")
        return errors

    def _validate_allocation(self, allocation: Part, claim: Object) -> list[FieldError]:
        known = request_names(claim["spec"]["devices"])
        return validate_allocation(allocation, "status.allocation", known, self._checks)

    def _validate_reserved_and_devices(self, status: Part) -> list[FieldError]:
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


def _uid_of(consumer: Part) -> str:
    uid: str = consumer["uid"]
    return uid


def _validate_reservations(claim: Object, before: Part) -> list[FieldError]:
    status = claim["status"]
    if "reservedFor" not in status:
        return []
    if "allocation" not in status:
        return [reserved_without_allocation("status.reservedFor")]
    if "deletionTimestamp" in claim["metadata"] or "deallocationRequested" in status:
        return validate_no_new_consumers(
            status["reservedFor"], before.get("reservedFor", ()), "status.reservedFor"
        )
    return []


def _without(part: Part, name: str) -> Part:
    return {key: value for key, value in part.items() if key != name} if name in part else part


def _without_controller(status: Part, old: Object) -> Part:
    """The fields of the gate DRAControlPlaneController go, unless the claim is one of a controller's."""
    allocation = status.get("allocation")
    if allocation is not None and "allocation" not in old["status"] and "controller" not in old["spec"]:
        allocation = _without(allocation, "controller")
        status = {**status, "allocation": allocation}
    handled = allocation is not None and "controller" in allocation
    if not handled and "deallocationRequested" not in old["status"]:
        status = _without(status, "deallocationRequested")
    return status
