"""Limits on the parts of resource.k8s.io objects, by release.

Follows k8s.io/kubernetes `pkg/apis/resource/types.go` and `pkg/apis/resource/validation`. Requests over a
limit fail with 422.
"""

from functools import cache

from fakeapi.releases.history import ReleaseValues, since

_KIB = 1024
_TYPES = "pkg/apis/resource"
_VALIDATION = "pkg/apis/resource/validation"


class Limits(ReleaseValues):
    """The limits of one release on resource.k8s.io objects.

    The values are numbers of items, lengths in bytes, or CEL costs. None means that the release has no such
    limit.
    """

    reserved_for: int = since({27: 32, 32: 256}, _TYPES)  # 1.32.0 still has the limit 32
    scheduling_nodes: int = 128

    # Limits of v1alpha2
    resource_handles: int = 32
    resource_handle_data: int = 16 * _KIB

    # Limits of v1alpha3 and later versions
    requests: int = 32
    constraints: int = 32
    configs: int = 32
    selectors: int = 32
    request_references: int = 32
    allocation_results: int = 32
    allocation_configs: int = 64
    driver_name: int = 63
    pool_name: int = 253
    slice_devices: int = 128
    device_attributes_and_capacities: int = 32
    attribute_domain: int = 63
    attribute_id: int = 32
    attribute_value: int = 64
    cel_expression: int | None = since({27: None, 32: 10 * _KIB}, _VALIDATION)
    cel_cost: int | None = since({27: None, 32: 1_000_000}, _VALIDATION)
    opaque_parameters: int | None = since({27: None, 32: 10 * _KIB}, _VALIDATION)
    first_available: int = 8
    tolerations: int = 16
    taints: int = since({27: 4, 35: 16}, _TYPES)
    shared_counters: int = 32
    slice_device_counters: int = 1024
    device_counters: int = 32

    # From 1.34 on, the first release with v1, these limits apply to all versions.
    binding_conditions: int = 4
    discrete_capacity_values: int = 10

    # From 1.35 on, these limits replace shared_counters, slice_device_counters and device_counters.
    devices_with_taints_or_counters: int = 64
    counter_sets: int = 8
    counters_of_a_set: int = 32
    counter_consumptions_of_a_device: int = 2
    counters_of_a_consumption: int = 32
    taint_rule_conditions: int = 8

    # Limits from 1.36 on
    attribute_values_of_a_device: int = 48

    # Limits from 1.37 on
    derived_attribute_cost: int = 1_000_000

    # Limits of status.devices
    device_conditions: int = 8
    device_data: int = 10 * _KIB
    device_ips: int = 16
    interface_name: int = 256
    hardware_address: int = 128


@cache
def limits_of(minor: int) -> Limits:
    """Returns the limits of release 1.`minor`, at its last patch."""
    return Limits(minor)
