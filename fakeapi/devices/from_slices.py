"""Makes descriptions of simulated drivers from ResourceSlices of a cluster."""

from collections.abc import Iterable, Mapping
from typing import Any

from fakeapi.devices.model import DeviceError
from fakeapi.machinery.json_types import Object

KIND = "ResourceSlice"


def descriptions_of_slices(documents: Iterable[Any]) -> list[Object]:
    """Returns a description for each DRA driver that publishes ResourceSlices of nodes.

    Reads slices of v1alpha3 and newer. Uses only the newest generation of each pool. Ignores other objects,
    and slices without a nodeName.

    - `documents`: objects, or Kubernetes lists with objects in `items`.

    Raises DeviceError if no slice has a nodeName, if a slice has no driver or no pool name, or if a device is
    not a mapping.
    """
    pools: dict[tuple[str, str, str], list[Object]] = {}
    for resource_slice in _slices(documents):
        spec = resource_slice["spec"]
        node = spec.get("nodeName")
        if isinstance(node, str) and node:
            pools.setdefault((spec["driver"], node, spec["pool"]["name"]), []).append(spec)
    if not pools:
        raise DeviceError("no ResourceSlice has spec.nodeName")
    drivers: dict[str, Object] = {}
    for (driver, node, pool), specs in pools.items():
        newest = max(spec["pool"].get("generation", 0) for spec in specs)
        current = [spec for spec in specs if spec["pool"].get("generation", 0) == newest]
        description = drivers.setdefault(driver, {"name": driver, "nodes": {}})
        if pool != node:
            description["pool"] = pool.replace(node, "{node}")
        devices = [_in_v1_layout(device) for spec in current for device in spec.get("devices") or ()]
        description["nodes"].setdefault(node, []).extend(devices)
        counters = [each for spec in current for each in spec.get("sharedCounters") or ()]
        if counters:
            description["counters"] = counters
    return list(drivers.values())


def _slices(documents: Iterable[Any]) -> Iterable[Object]:
    for document in documents:
        if not isinstance(document, Mapping):
            continue
        if document.get("kind") == KIND:
            if not _is_slice(document):
                raise DeviceError("a ResourceSlice without spec.driver or spec.pool.name")
            yield dict(document)
        elif isinstance(document.get("items"), list):
            kind = str(document.get("kind", "")).removesuffix("List")
            yield from _slices(
                {"kind": kind, **each} for each in document["items"] if isinstance(each, Mapping)
            )


def _is_slice(document: Mapping[str, Any]) -> bool:
    spec = document.get("spec")
    pool = spec.get("pool") if isinstance(spec, Mapping) else None
    return (
        isinstance(spec, Mapping)
        and isinstance(spec.get("driver"), str)
        and isinstance(pool, Mapping)
        and isinstance(pool.get("name"), str)
    )


def _in_v1_layout(device: Any) -> Object:
    """Converts a device to the layout of v1. Up to v1beta1, the fields of a device are below `basic`.

    Raises DeviceError if the device is not a mapping.
    """
    if not isinstance(device, Mapping):
        raise DeviceError(f"a device is a mapping with a name, not {device!r:.80}")
    basic = device.get("basic")
    rest = {name: value for name, value in device.items() if name != "basic"}
    return {**rest, **basic} if isinstance(basic, Mapping) else rest
