"""AllocationRules: the behaviour of the device allocator in a release, with its feature gates."""

from collections.abc import Mapping

import msgspec

from fakeapi.releases.allocation_quirks import AllocationQuirks, allocation_quirks_of


class AllocationRules(msgspec.Struct, frozen=True, kw_only=True):
    """The features and quirks of the device allocator in kube-scheduler.

    - Only the release decides about `quirks`.
    - Release and feature gates decide about `admin_access`, `list_attributes`, `pools_are_sorted`,
      `conditions_come_last`, `order_is_kept` and `results_have_tolerations`.
    - Each other field says whether a feature gate is on. `binding_conditions` needs two feature gates.
    """

    admin_access: bool
    prioritized_list: bool
    partitionable_devices: bool
    device_taints: bool
    binding_conditions: bool
    consumable_capacity: bool
    list_attributes: bool
    extended_resources: bool
    node_allocatable: bool
    compatibility_groups: bool
    optional_node_operations: bool
    pools_are_sorted: bool
    """Whether pools are sorted by driver and name, and ResourceSlices by name.

    Pools with binding conditions come after all other pools.
    """
    conditions_come_last: bool
    """Whether slices and pools with binding conditions come last, without any other sorting."""
    order_is_kept: bool
    """Whether the search tries each device once per request, in the order of the pools."""
    results_have_tolerations: bool
    quirks: AllocationQuirks


def allocation_rules(minor: int, gates: Mapping[str, bool]) -> AllocationRules:
    """Returns the allocation rules of release 1.`minor` with these feature gates."""
    quirks = allocation_quirks_of(minor)
    consumable = gates.get("DRAConsumableCapacity", False)
    conditions = gates.get("DRADeviceBindingConditions", False)
    binding = conditions and gates.get("DRAResourceClaimDeviceStatus", False)
    is_newer = consumable or binding
    return AllocationRules(
        admin_access=not quirks.admin_access_is_gated or gates.get("DRAAdminAccess", False),
        prioritized_list=gates.get("DRAPrioritizedList", False),
        partitionable_devices=gates.get("DRAPartitionableDevices", False),
        device_taints=gates.get("DRADeviceTaints", False),
        binding_conditions=binding,
        consumable_capacity=consumable,
        list_attributes=quirks.list_attributes_are_gated and gates.get("DRAListTypeAttributes", False),
        extended_resources=gates.get("DRAExtendedResource", False),
        node_allocatable=gates.get("DRANodeAllocatableResources", False),
        compatibility_groups=gates.get("DRADeviceCompatibilityGroups", False),
        optional_node_operations=gates.get("DRAOptionalNodeOperations", False),
        pools_are_sorted=quirks.newer_allocators_sort_pools and is_newer,
        conditions_come_last=quirks.newer_allocators_put_conditions_last and is_newer,
        order_is_kept=quirks.newer_allocators_keep_order and is_newer,
        results_have_tolerations=quirks.results_have_tolerations
        or (quirks.newer_results_have_tolerations and is_newer),
        quirks=quirks,
    )
