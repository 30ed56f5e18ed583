"""Validates `status.devices`, the status that drivers report for each allocated device.

Follows k8s.io/kubernetes `pkg/apis/resource/validation` and `pkg/registry/resource/resourceclaim` from 1.32.
"""

from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.kinds.common.invalid_texts import validate_dns_label
from fakeapi.kinds.resource.validation import ip_addresses
from fakeapi.kinds.resource.validation.collections import too_many_items, validate_set
from fakeapi.kinds.resource.validation.identifiers import (
    DeviceId,
    device_id,
    validate_driver_name,
    validate_pool_name,
)
from fakeapi.kinds.resource.validation.opaque import validate_raw_extension
from fakeapi.kinds.resource.validation.share_ids import validate_share_id
from fakeapi.machinery.field_errors import FieldError, invalid, too_long
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.releases.rules import ReleaseRules


def allocated_devices(status: Object) -> frozenset[DeviceId]:
    """Returns the devices that the status of a claim allocates."""
    if "allocation" not in status:
        return frozenset()
    results = status["allocation"]["devices"].get("results", ())
    return frozenset(device_id(result) for result in results)


def without_deallocated(devices: list[Object], new: Object, old: Object) -> list[Object]:
    """Returns `devices` without the devices that `old` allocates but `new` does not."""
    gone = allocated_devices(old) - allocated_devices(new)
    return [device for device in devices if device_id(device) not in gone] if gone else devices


def validate_device_statuses(
    devices: list[Object], allocated: frozenset[DeviceId], path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Validates `status.devices` of a ResourceClaim. Every device in the list must be in `allocated`."""
    return validate_set(
        devices,
        path,
        None,
        lambda device, place: _validate_device_status(device, allocated, place, rules),
        rules,
        key=device_id,
        key_field="deviceID",
        show=lambda device: device.printed(rules),
    )


def _validate_device_status(
    device: Object, allocated: frozenset[DeviceId], path: str, rules: ReleaseRules
) -> list[FieldError]:
    errors = [
        *validate_driver_name(device["driver"], f"{path}.driver", rules),
        *validate_pool_name(device["pool"], f"{path}.pool", rules),
        *validate_dns_label(device["device"], f"{path}.device"),
    ]
    if device.get("shareID") is not None:
        errors += validate_share_id(device["shareID"], f"{path}.shareID")
    named = device_id(device)
    if named not in allocated:
        errors.append(invalid(path, named.printed(rules), "must be an allocated device in the claim"))
    conditions = device["conditions"] or ()
    if len(conditions) > rules.limits.device_conditions:
        errors.append(
            too_many_items(f"{path}.conditions", len(conditions), rules.limits.device_conditions, rules)
        )
    errors += validate_conditions(conditions, f"{path}.conditions", rules)
    if device.get("data") is not None:
        errors += validate_raw_extension(device["data"], f"{path}.data", rules.limits.device_data, rules)
    if "networkData" in device:
        errors += _validate_network_data(device["networkData"], f"{path}.networkData", rules)
    return errors


def _validate_network_data(data: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, most in (
        ("interfaceName", rules.limits.interface_name),
        ("hardwareAddress", rules.limits.hardware_address),
    ):
        if names.byte_length(data.get(name, "")) > most:
            errors.append(too_long(f"{path}.{name}", most, rules.quirks.too_long))
    strict = rules.quirks.addresses_are_canonical
    errors += validate_set(
        data.get("ips"),
        f"{path}.ips",
        rules.limits.device_ips,
        ip_addresses.validate_interface_address if strict else ip_addresses.validate_cidr,
        rules,
        key=None if strict else ip_addresses.set_key,
    )
    return errors
