"""Named differences between releases in how devices are allocated to claims.

As `fakeapi.releases.quirks`: each name says what the allocator of a release does, the table at the end from
which release on. From k8s.io/dynamic-resource-allocation `structured` and from recordings of the releases'
own schedulers; some are defects, which a claim meets in that release's clusters.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cache

from fakeapi.releases.history import History, values_at


class Duplicates(Enum):
    """The effect of duplicate device names in a pool."""

    NOTHING = "nothing"
    ERROR = "error"
    """The search fails where it comes to the pool."""
    SKIP = "skip"
    """The pool is passed over."""


class CountersOf(Enum):
    """The scope of the counters that a device consumes."""

    SLICE_ANEW = "slice, counted anew"
    """In the slice of the device; counted anew for each device, which all that it consumes must be in."""
    SLICE = "slice"
    """In the slice of the device; those of other slices are not limited."""
    POOL = "pool"


class DriverWait(Enum):
    """The condition of a pod that waits for the controller of a classic driver."""

    ERROR = "error"
    """An error of the plugin at reserving."""
    RESERVING = "reserving"
    """One node that lacks what the driver is to allocate."""
    PLAIN = "plain"
    """The bare reason, at binding."""
    BINDING = "binding"
    """One node that lacks the driver's answer, at binding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationQuirks:
    """The rules by which a release allocates devices."""

    # pools
    duplicates: Duplicates
    newer_slice_counts_twice: bool
    """The slice that shows a pool's newer generation is in the pool twice."""
    incomplete_pools_serve: bool
    """Requests for a number of devices are served from pools that lack slices."""
    other_nodes_complete_pools: bool
    """Slices that the node cannot see count where it is asked whether a pool is complete, and which
    generation it has."""
    newer_allocators_sort_pools: bool
    """With binding conditions or consumable capacity, pools come by driver and name, those with binding
    conditions last, and their slices by name."""
    newer_allocators_put_conditions_last: bool
    """With binding conditions or consumable capacity, pools and slices with binding conditions come last."""
    slices_with_counters_always_count: bool
    """Slices with counters belong to their pool also where the gate of partitionable devices is off."""
    counters_of: CountersOf
    refused_devices_keep_counters: bool
    """The counters of a device that a taint or a constraint keeps from a request, and of a shared one that is
    given back, stay consumed for the rest of the search."""
    shared_devices_take_counters_again: bool
    """A shared device consumes its counters for each request that gets a share of it."""
    distinct_is_the_same_device: bool
    """Attributes that are to be distinct may have the same value, but not be of the same (shared) device."""
    capacity_is_of_another_device: bool
    """Whether a device has the capacity for a request is asked, once more, of the device of its slice whose
    place is that of the device in the request. If that lacks it, the device stays taken for the rest of the
    search, and constraints keep its attributes."""
    shared_devices_in_use_hold_counters: bool
    """Counters are consumed by the shared devices of other claims."""

    # requests for all devices
    all_leaves_out_used: bool
    """A request for all devices takes those that are free."""
    none_are_all: bool
    """A request for all devices is content where there is none."""
    all_forgets_choice: bool
    """A request for all devices in a later choice goes on as if it were the first choice."""
    all_of_second_choice_is_that_of_first: bool
    """A request for all devices in the second choice takes the devices that the selectors of the first have
    selected, where the first is for all devices too."""
    all_ignores_classes: bool
    """A request for all devices does not look at the selectors of its class."""
    all_is_not_undone: bool
    """What a request for all devices took stays taken when the search goes back."""

    # the search
    newer_allocators_keep_order: bool
    """With binding conditions or consumable capacity, devices of one request are taken in the order of the
    pools, not in every order."""
    size_limit_ends_search: bool
    """What would be too many devices ends the search for other devices of the requests before."""
    long_searches_are_errors: bool
    """A pod whose devices take too long to find is tried again later, and not when something changes."""
    admin_access_is_exclusive: bool
    """Two requests with admin access of one claim get different devices."""
    unknown_effects_prevent: bool
    """Taints of any effect keep a device from those who do not tolerate them."""

    # results
    claim_limit_names_request: bool
    """The error for too many devices names the request that is too much."""
    selector_errors_name_devices: bool
    """The error of a selector says on which device it failed, and what helps where a key is missing."""
    config_of_classes_names_no_request: bool
    config_for_all_names_no_request: bool
    """Configuration that is for all requests of a claim names none of them, and is there once."""
    config_is_filtered: bool
    """The result has the claim's configuration for the requests and choices that were allocated."""
    devices_have_overhead: bool
    """Devices take node-allocatable resources as overhead too; those that stand for some are not shared."""
    results_have_tolerations: bool
    newer_results_have_tolerations: bool
    """With binding conditions or consumable capacity, results have tolerations."""
    list_attributes_are_gated: bool
    """Attributes may be lists if the gate DRAListTypeAttributes is on; before, lists never match."""
    admin_access_is_gated: bool
    """Requests may ask for admin access if the gate DRAAdminAccess is on; before, always."""
    admin_access_takes_devices: bool
    """Devices that a claim has with admin access are in use for others."""
    binding_errors_name_claim_first: bool
    """The errors about devices that do not become ready begin with the claim."""
    classic_drivers: DriverWait
    choices_are_scored: bool
    """Of several nodes, the one with the better choices is preferred."""


_HISTORY: History = {
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
    return AllocationQuirks(**values_at(_HISTORY, minor))
