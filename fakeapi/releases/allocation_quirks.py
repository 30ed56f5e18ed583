"""Behaviour of the allocation of devices to claims that differs between releases.

Each attribute says what the allocator of a release does; the table at the end says from which release on.
Sources are k8s.io/dynamic-resource-allocation `structured` and recordings of the releases' own schedulers.
Some are defects, which claims meet in clusters of that release.
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
    """The counters of the device's slice. They are counted anew for each device, and must include all that
    the device consumes.
    """
    SLICE = "slice"
    """The counters of the device's slice; counters of other slices are not limited."""
    POOL = "pool"


class DriverWait(Enum):
    """The condition of a pod that waits for the controller of a classic driver."""

    ERROR = "error"
    """Reason SchedulerError, with the message of the failed Reserve plugin."""
    RESERVING = "reserving"
    """At Reserve, a message that one node waits for the driver's information or allocation."""
    PLAIN = "plain"
    """At binding, only the reason "waiting for resource driver"."""
    BINDING = "binding"
    """At binding, a message that one node waits for the driver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationQuirks:
    """The behaviour of one release's allocator."""

    # Pools
    duplicates: Duplicates
    newer_slice_counts_twice: bool
    """The first slice of a newer pool generation is in the pool twice."""
    incomplete_pools_serve: bool
    """Requests for a count of devices may use pools with missing slices."""
    other_nodes_complete_pools: bool
    """Slices for other nodes also count when the allocator determines a pool's generation and completeness.
    """
    newer_allocators_sort_pools: bool
    """With binding conditions or consumable capacity, pools are sorted by driver and name, and slices by
    name; pools with binding conditions come last.
    """
    newer_allocators_put_conditions_last: bool
    """With binding conditions or consumable capacity, pools and slices with binding conditions come last."""
    slices_with_counters_always_count: bool
    """Slices with shared counters belong to their pool even if the gate DRAPartitionableDevices is off."""
    counters_of: CountersOf
    refused_devices_keep_counters: bool
    """A device that a taint or constraint excludes keeps its counters for the rest of the search, and so does
    a shared device that is given back.
    """
    shared_devices_take_counters_again: bool
    """A shared device consumes its counters again for each request that gets a share of it."""
    distinct_is_the_same_device: bool
    """`distinctAttribute` permits equal values, but not two shares of the same device."""
    capacity_is_of_another_device: bool
    """The allocator also checks the capacity of another device: the one in the slice at the index of the
    request's current device. If its capacity does not suffice, the chosen device stays taken for the rest of
    the search, and constraints keep its attributes.
    """
    shared_devices_in_use_hold_counters: bool
    """Shared devices of other claims consume counters."""

    # Requests for all devices (allocationMode: All)
    all_leaves_out_used: bool
    """A request for all devices takes only those that are free."""
    none_are_all: bool
    """A request for all devices succeeds if no device matches."""
    all_forgets_choice: bool
    """A request for all devices in a later subrequest continues with the first subrequest after its first
    device.
    """
    all_of_second_choice_is_that_of_first: bool
    """A request for all devices in the second subrequest takes the devices that match the first, if the first
    is for all devices too.
    """
    all_ignores_classes: bool
    """A request for all devices ignores the selectors of its DeviceClass."""
    all_is_not_undone: bool
    """Devices of a request for all devices stay taken when the search backtracks."""

    # The search
    newer_allocators_keep_order: bool
    """With binding conditions or consumable capacity, the devices of a request are tried only in the order of
    the pools, not in every order.
    """
    size_limit_ends_search: bool
    """Exceeding the limit on devices ends the whole search, instead of trying other devices for earlier
    requests.
    """
    long_searches_are_errors: bool
    """A search that takes too long is an error: the scheduler retries the pod later, not when the cluster
    changes.
    """
    admin_access_is_exclusive: bool
    """Requests with admin access in one claim get different devices."""
    unknown_effects_prevent: bool
    """Taints with any effect, also unknown ones, exclude a device from requests that do not tolerate them."""

    # Results
    claim_limit_names_request: bool
    """The error for too many devices names the request that exceeds the limit."""
    selector_errors_name_devices: bool
    """The error of a selector names the device, and gives a hint for a missing key."""
    config_of_classes_names_no_request: bool
    """Configuration from a DeviceClass names no request."""
    config_for_all_names_no_request: bool
    """Configuration for all requests of a claim names no request, and is listed once."""
    config_is_filtered: bool
    """The result has only the claim's configuration for requests and subrequests that were allocated."""
    devices_have_overhead: bool
    """Devices may also consume node-allocatable resources as overhead, and devices that map to such resources
    are not shared.
    """
    results_have_tolerations: bool
    """Allocation results have the request's tolerations."""
    newer_results_have_tolerations: bool
    """With binding conditions or consumable capacity, allocation results have the request's tolerations."""
    list_attributes_are_gated: bool
    """Attributes may be lists if the gate DRAListTypeAttributes is on; in other releases lists never match.
    """
    admin_access_is_gated: bool
    """Requests may use admin access only if the gate DRAAdminAccess is on; in other releases always."""
    admin_access_takes_devices: bool
    """Devices that a claim uses with admin access are in use for other claims."""
    binding_errors_name_claim_first: bool
    """Errors about devices that do not become ready begin with the claim."""
    classic_drivers: DriverWait
    choices_are_scored: bool
    """The scheduler prefers nodes on which earlier subrequests of `firstAvailable` are allocated."""


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
    """The quirks of release 1.`minor` that are about allocating devices."""
    return AllocationQuirks(**values_at(HISTORY, minor))
