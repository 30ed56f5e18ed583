"""Behaviour of the allocation of devices to claims that differs between releases.

HISTORY lists each value with the first release that has it. Sources are k8s.io/dynamic-resource-allocation
`structured` and recordings of the releases' own schedulers. Defects of these schedulers are included.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cache

from fakeapi.releases.history import History, values_at


class Duplicates(Enum):
    """The effect of duplicate device names in a pool."""

    NOTHING = "nothing"
    ERROR = "error"
    """The search fails when it reaches the pool."""
    SKIP = "skip"
    """The search skips the pool."""


class CountersOf(Enum):
    """The scope of the counters that a device consumes."""

    SLICE_ANEW = "slice, counted anew"
    """The counters of the device's slice, counted again for each device.

    The slice must have all counters that the device consumes.
    """
    SLICE = "slice"
    """The counters of the device's slice; counters of other slices have no limit."""
    POOL = "pool"


class DriverWait(Enum):
    """The condition of a pod that waits for the controller of a v1alpha2 driver."""

    ERROR = "error"
    """Reason SchedulerError, with the message of the failed Reserve plugin."""
    RESERVING = "reserving"
    """Set at Reserve: a message that one node waits for the driver's information or allocation."""
    PLAIN = "plain"
    """Set at binding: only the reason "waiting for resource driver"."""
    BINDING = "binding"
    """Set at binding: a message that one node waits for the driver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationQuirks:
    """The behaviour of the scheduler's device allocator in a release."""

    # Pools
    duplicates: Duplicates
    newer_slice_counts_twice: bool
    """Whether a pool contains the first slice of a newer pool generation twice."""
    incomplete_pools_serve: bool
    """Whether requests for a number of devices may use pools with missing slices."""
    other_nodes_complete_pools: bool
    """Whether slices for other nodes count for the generation and the completeness of a pool."""
    newer_allocators_sort_pools: bool
    """Whether the search sorts pools by driver and name, and slices by name.

    Pools with binding conditions come last. Only the allocator for binding conditions or consumable capacity
    sorts them.
    """
    newer_allocators_put_conditions_last: bool
    """Whether pools and slices with binding conditions come last in the search.

    Only the allocator for binding conditions or consumable capacity sorts them.
    """
    slices_with_counters_always_count: bool
    """Whether slices with shared counters belong to their pool even while DRAPartitionableDevices is off."""
    counters_of: CountersOf
    refused_devices_keep_counters: bool
    """Whether a device excluded by a taint or constraint still consumes its counters until the search ends.

    If so, a shared device from which the search backtracks also still consumes its counters.
    """
    shared_devices_take_counters_again: bool
    """Whether a shared device consumes its counters once for each request that uses a share of the device."""
    distinct_is_the_same_device: bool
    """Whether `distinctAttribute` permits equal values, but not two shares of the same device."""
    capacity_is_of_another_device: bool
    """Whether the allocator also checks the capacity of an unrelated device.

    In its slice, that device has the index of the request's current device. If its capacity does not suffice,
    the chosen device remains allocated until the search ends, and constraints keep its attributes.
    """
    shared_devices_in_use_hold_counters: bool
    """Whether shared devices that other claims use consume counters."""

    # Requests for all devices (allocationMode: All)
    all_leaves_out_used: bool
    """Whether a request for all devices skips devices in use instead of failing."""
    none_are_all: bool
    """Whether a request for all devices succeeds if no device matches."""
    all_forgets_choice: bool
    """Whether the search abandons a later subrequest for all devices after its first device.

    It then continues with the first subrequest.
    """
    all_of_second_choice_is_that_of_first: bool
    """Whether a second subrequest for all devices takes the devices that match the first subrequest.

    This only happens if the first subrequest is also for all devices.
    """
    all_ignores_classes: bool
    """Whether a request for all devices ignores the selectors of its DeviceClass."""
    all_is_not_undone: bool
    """Whether devices of a request for all devices remain allocated when the search backtracks."""

    # The search
    newer_allocators_keep_order: bool
    """Whether the search tries the devices of a request only in the order of the pools.

    Only the allocator for binding conditions or consumable capacity does so. Other allocators try every
    order.
    """
    size_limit_ends_search: bool
    """Whether exceeding the limit on devices ends the whole search.

    Other releases try other devices for earlier requests.
    """
    long_searches_are_errors: bool
    """Whether a search that takes too long is an error.

    The scheduler then retries the pod later, instead of when the cluster changes.
    """
    admin_access_is_exclusive: bool
    """Whether requests with admin access in one claim get different devices."""
    unknown_effects_prevent: bool
    """Whether an untolerated taint excludes a device even if its effect is unknown."""

    # Results
    claim_limit_names_request: bool
    """Whether the error for too many devices names the request that exceeds the limit."""
    selector_errors_name_devices: bool
    """Whether the error of a selector names the device, and has a hint about a missing key."""
    config_of_classes_names_no_request: bool
    """Whether configuration from a DeviceClass names no request in the allocation."""
    config_for_all_names_no_request: bool
    """Whether configuration for all requests of a claim names no request in the allocation.

    It then occurs only once.
    """
    config_is_filtered: bool
    """Whether the allocation only has the claim's configuration for allocated requests and subrequests."""
    devices_have_overhead: bool
    """Whether devices may consume node-allocatable resources as overhead.

    If so, devices that map to node-allocatable resources are not shared.
    """
    results_have_tolerations: bool
    """Whether allocation results have the request's tolerations."""
    newer_results_have_tolerations: bool
    """Whether allocation results have the request's tolerations.

    Only the allocator for binding conditions or consumable capacity adds them.
    """
    list_attributes_are_gated: bool
    """Whether the gate DRAListTypeAttributes allows attributes to be lists.

    In other releases lists never match.
    """
    admin_access_is_gated: bool
    """Whether admin access requires the gate DRAAdminAccess."""
    admin_access_takes_devices: bool
    """Whether devices that a claim uses with admin access count as in use for other claims."""
    binding_errors_name_claim_first: bool
    """Whether errors about devices that do not become ready begin with the claim."""
    classic_drivers: DriverWait
    choices_are_scored: bool
    """Whether the scheduler prefers nodes on which earlier subrequests of `firstAvailable` are allocated."""


HISTORY: History = {
    "duplicates": {27: Duplicates.NOTHING, 32: Duplicates.ERROR, 35: Duplicates.SKIP},
    "newer_slice_counts_twice": {27: True, 32: False},
    "incomplete_pools_serve": {27: True, 35: False},
    "other_nodes_complete_pools": {27: False, 35: True},
    "newer_allocators_sort_pools": {27: False, 36: True},
    "newer_allocators_put_conditions_last": {27: False, 34: True, 36: False},
    "slices_with_counters_always_count": {27: False, 34: True, 35: False},
    "counters_of": {27: CountersOf.SLICE_ANEW, 34: CountersOf.SLICE, 35: CountersOf.POOL},
    "refused_devices_keep_counters": {27: False, 34: True, 36: False},
    "shared_devices_take_counters_again": {27: False, 34: True, 35: False},
    "distinct_is_the_same_device": {27: False, 34: True, 35: False},
    "capacity_is_of_another_device": {27: False, 34: True, 35: False},
    "shared_devices_in_use_hold_counters": {27: False, 36: True},
    "all_leaves_out_used": {27: True, 32: False},
    "none_are_all": {27: True, 33: False},
    "all_forgets_choice": {27: True, 35: False},
    "all_of_second_choice_is_that_of_first": {27: False, 33: True, 36: False},
    "all_ignores_classes": {27: True, 32: False},
    "all_is_not_undone": {27: True, 34: False},
    "newer_allocators_keep_order": {27: False, 36: True},
    "size_limit_ends_search": {27: False, 36: True},
    "long_searches_are_errors": {27: False, 36: True},
    "admin_access_is_exclusive": {27: False, 34: True},
    "unknown_effects_prevent": {27: True, 35: False},
    "claim_limit_names_request": {27: False, 37: True},
    "selector_errors_name_devices": {27: False, 37: True},
    "config_of_classes_names_no_request": {27: True, 32: False},
    "config_for_all_names_no_request": {27: False, 37: True},
    "config_is_filtered": {27: False, 33: True},
    "devices_have_overhead": {27: False, 37: True},
    "results_have_tolerations": {27: False, 36: True},
    "newer_results_have_tolerations": {27: False, 35: True},
    "list_attributes_are_gated": {27: False, 37: True},
    "admin_access_is_gated": {27: False, 32: True},
    "admin_access_takes_devices": {27: True, 32: False},
    "binding_errors_name_claim_first": {27: True, 36: False},
    "classic_drivers": {
        27: DriverWait.ERROR,
        28: DriverWait.RESERVING,
        30: DriverWait.PLAIN,
        31: DriverWait.BINDING,
    },
    "choices_are_scored": {27: False, 36: True},
}


@cache
def allocation_quirks_of(minor: int) -> AllocationQuirks:
    """Returns the quirks of release 1.`minor` for the allocation of devices."""
    return AllocationQuirks(**values_at(HISTORY, minor))
