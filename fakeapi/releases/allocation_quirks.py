"""Differences between releases in how the scheduler allocates devices to ResourceClaims.

The sources are the packages named below and recordings of the releases' own schedulers. Bugs of these
schedulers are included.
"""

from enum import Enum
from functools import cache

from fakeapi.releases.history import ReleaseValues, since


class Duplicates(Enum):
    """The effect of duplicate device names in a pool."""

    NOTHING = "nothing"
    ERROR = "error"
    """The allocator's search for devices fails when it reaches a pool with duplicate names."""
    SKIP = "skip"
    """The allocator's search for devices skips a pool with duplicate names."""


class CountersOf(Enum):
    """The scope in which counters limit the devices that consume them."""

    SLICE_ANEW = "slice, counted anew"
    """The counters of the device's slice. The allocator sums up their consumption again for each device.

    The slice must have all counters that the device consumes.
    """
    SLICE = "slice"
    """The counters of the device's slice. A device may consume any amount of counters in other slices."""
    POOL = "pool"


class Distinct(Enum):
    """A comparison of a new device with earlier devices of the claim, for distinctAttribute."""

    DEVICE = "device"
    """Compares the ID with the last device of each request. Values of the attribute may be equal."""
    LAST = "last"
    """Compares the attribute with the last device of each request."""
    ALL = "all"
    """Compares the attribute with all devices."""


class DriverWait(Enum):
    """The PodScheduled condition of a pod that waits for the controller of a v1alpha2 driver."""

    ERROR = "error"
    """The condition has the reason SchedulerError, and the message of the failed Reserve plugin."""
    RESERVING = "reserving"
    """The Reserve plugin sets this condition. The message says that one node waits for the driver."""
    PLAIN = "plain"
    """The condition is set when the pod is bound. The whole message is "waiting for resource driver"."""
    BINDING = "binding"
    """The condition is set when the pod is bound. Its message says that one node waits for the driver."""


_ALLOCATOR = "staging/src/k8s.io/dynamic-resource-allocation/structured"
_PLUGIN = "pkg/scheduler/framework/plugins/dynamicresources"


class AllocationQuirks(ReleaseValues):
    """The behaviour of the scheduler's device allocator in one release.

    Newer releases have several allocators. "Newer" in the name of an attribute means only the allocator for
    claims with binding conditions or consumable capacity.
    """

    # Pools
    duplicates: Duplicates = since(
        {27: Duplicates.NOTHING, 32: Duplicates.ERROR, 35: Duplicates.SKIP}, _ALLOCATOR
    )
    """The effect of duplicate device names in a pool."""

    newer_slice_counts_twice: bool = since({27: True, 32: False}, _ALLOCATOR)
    """Whether a ResourceSlice counts twice if it replaces slices of an older pool generation."""
    incomplete_pools_serve: bool = since({27: True, 35: False}, _ALLOCATOR)
    """Whether requests for a fixed number of devices may use pools with missing slices."""
    other_nodes_complete_pools: bool = since({27: False, 35: True}, _ALLOCATOR)
    """Whether slices for other nodes count when the allocator checks a pool's generation and completeness."""
    newer_allocators_sort_pools: bool = since({27: False, 36: True}, _ALLOCATOR)
    """Whether the allocator for binding conditions or consumable capacity sorts pools and slices.

    If so, pools are sorted by driver and name, and slices by name. Pools with binding conditions come last.
    """
    newer_allocators_put_conditions_last: bool = since({27: False, 34: True, 36: False}, _ALLOCATOR)
    """Whether the allocator searches pools and slices with binding conditions last.

    Concerns the allocator for binding conditions or consumable capacity.
    """
    slices_with_counters_always_count: bool = since({27: False, 34: True, 35: False}, _ALLOCATOR)
    """Whether slices with shared counters always belong to their pool.

    In other releases, these slices belong to their pool only while the gate DRAPartitionableDevices is on.
    """
    counters_of: CountersOf = since(
        {27: CountersOf.SLICE_ANEW, 34: CountersOf.SLICE, 35: CountersOf.POOL}, _ALLOCATOR
    )
    """The scope in which counters limit the devices that consume them."""

    refused_devices_keep_counters: bool = since({27: False, 34: True, 36: False}, _ALLOCATOR)
    """Whether a device that a taint or constraint excludes still consumes its counters until the search ends.

    If so, a shared device also keeps its counters after the search gives it up to try another device.
    """
    shared_devices_take_counters_again: bool = since({27: False, 34: True, 35: False}, _ALLOCATOR)
    """Whether each request that uses a share of a device consumes the device's counters once more."""
    distinct: Distinct = since(
        {27: Distinct.LAST, 34: Distinct.DEVICE, 35: Distinct.LAST, 37: Distinct.ALL}, _ALLOCATOR
    )
    """The comparison of a new device with earlier devices of the claim, for `distinctAttribute`."""
    capacity_is_of_another_device: bool = since({27: False, 34: True, 35: False}, _ALLOCATOR)
    """Whether the allocator also checks the capacity of an unrelated device.

    That device has the same index in its slice as the request's current device. If its capacity does not
    suffice, the chosen device remains allocated until the search ends, and constraints keep the device's
    attributes.
    """
    shared_devices_in_use_hold_counters: bool = since({27: False, 36: True}, _ALLOCATOR)
    """Whether shared devices that are already allocated to other claims consume counters."""

    # Requests for all devices (allocationMode: All)
    all_leaves_out_used: bool = since({27: True, 32: False}, _ALLOCATOR)
    """Whether a request for all devices skips allocated devices.

    In other releases, such a request fails if one of the devices is already allocated.
    """
    none_are_all: bool = since({27: True, 33: False}, _ALLOCATOR)
    """Whether a request with allocationMode All succeeds if no device matches."""
    all_forgets_choice: bool = since({27: True, 35: False}, _ALLOCATOR)
    """Whether the allocator abandons a later subrequest with allocationMode All after its first device.

    The allocator then continues with the first subrequest.
    """
    all_of_second_choice_is_that_of_first: bool = since({27: False, 33: True, 36: False}, _ALLOCATOR)
    """Whether a second subrequest with allocationMode All takes the devices that match the first subrequest.

    This only happens if the first subrequest has allocationMode All too.
    """
    all_ignores_classes: bool = since({27: True, 32: False}, _ALLOCATOR)
    """Whether a request with allocationMode All ignores the selectors of its DeviceClass."""
    all_is_not_undone: bool = since({27: True, 34: False}, _ALLOCATOR)
    """Whether devices of a request with allocationMode All remain allocated when the search backtracks."""

    # The search
    newer_allocators_keep_order: bool = since({27: False, 36: True}, _ALLOCATOR)
    """Whether the allocator for binding conditions or consumable capacity keeps the order of the pools.

    If so, the allocator tries the devices of a request only in this order. Other allocators try every order.
    """
    size_limit_ends_search: bool = since({27: False, 36: True}, _ALLOCATOR)
    """Whether exceeding the maximum number of devices in a claim ends the whole search.

    Other releases try other devices for earlier requests.
    """
    long_searches_are_errors: bool = since({27: False, 36: True}, _PLUGIN)
    """Whether a search that exceeds its time limit is an error.

    If so, the scheduler retries the pod after a delay. In other releases, the scheduler retries the pod when
    the cluster changes.
    """
    admin_access_is_exclusive: bool = since({27: False, 34: True}, _ALLOCATOR)
    """Whether requests with admin access in one claim get different devices."""
    unknown_effects_prevent: bool = since({27: True, 35: False}, _ALLOCATOR)
    """Whether an untolerated taint excludes a device even if its effect is unknown."""

    # Results
    claim_limit_names_request: bool = since({27: False, 37: True}, _ALLOCATOR)
    """Whether the error for too many devices names the request that exceeds the limit."""
    selector_errors_name_devices: bool = since({27: False, 37: True}, _ALLOCATOR)
    """Whether the error of a selector names the device, and has a hint about a missing key."""
    config_of_classes_names_no_request: bool = since({27: True, 32: False}, _ALLOCATOR)
    """Whether the allocation omits the request name for configuration from a DeviceClass."""
    config_for_all_names_no_request: bool = since({27: False, 37: True}, _ALLOCATOR)
    """Whether the allocation omits the request name for configuration that is for all requests of a claim.

    The configuration then occurs only once.
    """
    config_is_filtered: bool = since({27: False, 33: True}, _ALLOCATOR)
    """Whether the allocation omits configuration that is only for subrequests that were not chosen.

    Concerns configuration from the claim, not from DeviceClasses.
    """
    devices_have_overhead: bool = since({27: False, 37: True}, _PLUGIN)
    """Whether devices may consume node-allocatable resources, such as CPU, as overhead.

    If so, devices that map to node-allocatable resources are not shared.
    """
    results_have_tolerations: bool = since({27: False, 36: True}, _ALLOCATOR)
    """Whether every allocation result contains the tolerations of its request."""
    newer_results_have_tolerations: bool = since({27: False, 35: True}, _ALLOCATOR)
    """Whether results of the allocator for binding conditions or consumable capacity contain tolerations.

    The tolerations come from the request. Results of other allocators contain tolerations only if
    `results_have_tolerations` is true.
    """
    list_attributes_are_gated: bool = since({27: False, 37: True}, _ALLOCATOR)
    """Whether device attributes may be lists while the gate DRAListTypeAttributes is on.

    In other releases lists never match.
    """
    admin_access_is_gated: bool = since({27: False, 32: True}, _ALLOCATOR)
    """Whether admin access requires the gate DRAAdminAccess."""
    admin_access_takes_devices: bool = since({27: True, 32: False}, _ALLOCATOR)
    """Whether devices that a claim uses with admin access are unavailable to other claims."""
    binding_errors_name_claim_first: bool = since({27: True, 36: False}, _PLUGIN)
    """Whether the message about devices that do not become ready begins with the name of the claim."""
    classic_drivers: DriverWait = since(
        {
            27: DriverWait.ERROR,
            28: DriverWait.RESERVING,
            30: DriverWait.PLAIN,
            31: DriverWait.BINDING,
        },
        _PLUGIN,
    )
    """The PodScheduled condition of a pod that waits for the controller of a v1alpha2 driver."""

    choices_are_scored: bool = since({27: False, 36: True}, _PLUGIN)
    """Whether the scheduler prefers nodes where it allocates an earlier subrequest of `firstAvailable`."""


@cache
def allocation_quirks_of(minor: int) -> AllocationQuirks:
    """Returns the behaviour of the device allocator in release 1.`minor`."""
    return AllocationQuirks(minor)
