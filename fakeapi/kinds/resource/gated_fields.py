"""Fields of resource.k8s.io objects that the server drops while a feature gate is off.

Each kind has its own table. If two entries of a table name the same field, the server drops the field while
either gate is off.
"""

from fakeapi.kinds.common.gated_fields import GatedFields
from fakeapi.kinds.resource import gates
from fakeapi.machinery.json_types import Object

_RESULTS = "status.allocation.devices.results[]"


def _requests(spec: str) -> tuple[GatedFields, ...]:
    """Returns the gated fields of the claim spec, except `adminAccess`.

    `spec`: the path of the claim spec.
    """
    devices = f"{spec}.devices"
    shares = consumable_capacity_paths(spec)
    return (
        GatedFields(gates.PRIORITIZED_LIST, (f"{devices}.requests[].firstAvailable",)),
        GatedFields(
            gates.DEVICE_TAINTS,
            (f"{devices}.@requests.tolerations",),
            when=lambda quirks: quirks.tolerations_are_gated,
        ),
        GatedFields(gates.DERIVED_ATTRIBUTES, (f"{devices}.@requests.derivedAttributes",)),
        GatedFields(gates.CONSUMABLE_CAPACITY, (f"{devices}.@requests.capacity",), shares),
        GatedFields(
            gates.CONSUMABLE_CAPACITY,
            (f"{devices}.constraints[].distinctAttribute",),
            shares,
            when=lambda quirks: quirks.distinct_attribute_is_gated,
        ),
    )


def consumable_capacity_paths(spec: str) -> tuple[str, ...]:
    """Returns the field paths in a claim spec that the gate DRAConsumableCapacity controls.

    `spec`: the path of the claim spec
    """
    return (f"{spec}.devices.@requests.capacity", f"{spec}.devices.constraints[].distinctAttribute")


def _drop_deallocation_requested(claim: Object) -> None:
    """Removes `deallocationRequested` from the status of a ResourceClaim, in place.

    Keeps the field if the new allocation names a controller.
    """
    if "controller" not in (claim["status"].get("allocation") or {}):
        claim["status"].pop("deallocationRequested", None)


_REQUESTED_ADMIN_ACCESS = "spec.devices.requests[].exactly.adminAccess"
_ALLOCATED_ADMIN_ACCESS = f"{_RESULTS}.adminAccess"
_ADMIN_ACCESS = (_REQUESTED_ADMIN_ACCESS, _ALLOCATED_ADMIN_ACCESS)
_SHARES = (f"{_RESULTS}.shareID", f"{_RESULTS}.consumedCapacity", "status.devices[].shareID")
_BINDING = (f"{_RESULTS}.bindingConditions", f"{_RESULTS}.bindingFailureConditions")
_TIMED_BINDING = (*_BINDING, "status.allocation.allocationTimestamp")

CLAIM_FIELDS = (
    *_requests("spec"),
    GatedFields(gates.ADMIN_ACCESS, (_REQUESTED_ADMIN_ACCESS,), _ADMIN_ACCESS),
    GatedFields(gates.CONTROL_PLANE_CONTROLLER, ("spec.controller",)),
)
"""Fields of a ResourceClaim's spec that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/resource/resourceclaim`.
"""

CLAIM_TEMPLATE_FIELDS = (
    *_requests("spec.spec"),
    GatedFields(gates.ADMIN_ACCESS, ("spec.spec.devices.requests[].exactly.adminAccess",)),
)
"""Fields of a ResourceClaimTemplate that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/resource/resourceclaimtemplate`.
"""

CLAIM_STATUS_FIELDS = (
    # Upstream sets this field to null; the internal version always has it.
    GatedFields(
        gates.ADMIN_ACCESS,
        (_ALLOCATED_ADMIN_ACCESS,),
        _ADMIN_ACCESS,
        becomes_null=True,
    ),
    GatedFields(gates.CONSUMABLE_CAPACITY, _SHARES, (*_SHARES, *consumable_capacity_paths("spec"))),
    GatedFields(gates.OPTIONAL_NODE_OPERATIONS, (f"{_RESULTS}.skipNodeOperations",)),
    GatedFields(gates.DEVICE_STATUS, ("status.devices",)),
    GatedFields(
        gates.BINDING_CONDITIONS, _BINDING, when=lambda quirks: not quirks.binding_needs_device_status
    ),
    *(
        GatedFields(gate, _TIMED_BINDING, when=lambda quirks: quirks.binding_needs_device_status)
        for gate in (gates.BINDING_CONDITIONS, gates.DEVICE_STATUS)
    ),
    GatedFields(
        gates.CONTROL_PLANE_CONTROLLER,
        ("status.allocation.controller",),
        ("status.allocation", "spec.controller"),
    ),
    # Upstream keeps this field if the new allocation names a controller.
    GatedFields(
        gates.CONTROL_PLANE_CONTROLLER,
        ("status.deallocationRequested",),
        take_away=_drop_deallocation_requested,
    ),
)
"""Fields of a ResourceClaim's status that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/resource/resourceclaim`.
"""

DEVICE_CLASS_FIELDS = (
    GatedFields(gates.CONTROL_PLANE_CONTROLLER, ("spec.suitableNodes",)),
    GatedFields(gates.EXTENDED_RESOURCE, ("spec.extendedResourceName",)),
)
"""Fields of a DeviceClass that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/resource/deviceclass`.
"""

POOL_STATUS_REQUEST_FIELDS = (GatedFields(gates.PARTITION_TYPES, ("spec.defaultPartitionTypeAttribute",)),)
"""Fields of a ResourcePoolStatusRequest that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/resource/resourcepoolstatusrequest`.
"""

LIST_ATTRIBUTE_PATHS = tuple(
    f"spec.devices[].attributes{{}}.{name}" for name in ("ints", "bools", "strings", "versions")
)
"""Paths of the ResourceSlice fields that contain the values of list attributes."""


def _devices(*names: str) -> tuple[str, ...]:
    return tuple(f"spec.devices[].{name}" for name in names)


RESOURCE_SLICE_FIELDS = (
    GatedFields(gates.DEVICE_TAINTS, _devices("taints")),
    GatedFields(
        gates.PARTITIONABLE_DEVICES,
        (
            "spec.sharedCounters",
            "spec.perDeviceNodeSelection",
            *_devices("consumesCounters", "nodeName", "nodeSelector", "allNodes"),
        ),
    ),
    *(
        GatedFields(gate, _devices("bindingConditions", "bindingFailureConditions", "bindsToNode"))
        for gate in (gates.BINDING_CONDITIONS, gates.DEVICE_STATUS)
    ),
    GatedFields(gates.CONSUMABLE_CAPACITY, _devices("allowMultipleAllocations", "capacity{}.requestPolicy")),
    GatedFields(
        gates.NODE_ALLOCATABLE_RESOURCES,
        _devices("nodeAllocatableResourceMappings", "nodeAllocatableResources"),
    ),
    GatedFields(gates.COMPATIBILITY_GROUPS, _devices("consumesCounters[].compatibilityGroups")),
    GatedFields(gates.PARTITION_TYPES, ("spec.partitionTypeAttribute",)),
    GatedFields(gates.OPTIONAL_NODE_OPERATIONS, ("spec.skipNodeOperations",)),
    GatedFields(gates.LIST_TYPE_ATTRIBUTES, LIST_ATTRIBUTE_PATHS),
)
"""Fields of a ResourceSlice that the server drops while their feature gate is off.

Follows `dropDisabledFields` of k8s.io/kubernetes `pkg/registry/resource/resourceslice`.
"""
