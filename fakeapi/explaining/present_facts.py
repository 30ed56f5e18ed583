"""Lists facts about objects that are not being deleted: their selectors, devices, taints and users."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from fakeapi.controllers.allocation.model import DeviceID
from fakeapi.controllers.scheduler.device_taint_rules import applies_to_names
from fakeapi.explaining.cluster_objects import ClusterObjects, class_path
from fakeapi.explaining.dropped import taint_text, users_text
from fakeapi.explaining.model import NAMES_SHOWN, devices_text
from fakeapi.explaining.selector_text import by_domain, shortened, value_text
from fakeapi.machinery.json_types import Object

Published = tuple[Object, Object]
"""A ResourceSlice and an entry of its devices."""

_DRIVER = re.compile(r"""\bdevice\.driver\s*==\s*["']([^"']+)["']""")
"""The comparison with one driver in a CEL expression."""


def present_lines(cluster: ClusterObjects, obj: Object) -> list[str]:
    """Returns facts about an object, one line each; [] for kinds without facts."""
    lines = _FACTS.get(obj["kind"])
    return [] if lines is None else [*lines(cluster, obj)]


def _class(cluster: ClusterObjects, device_class: Object) -> Iterator[str]:
    """Yields the selectors of a DeviceClass, the devices of its drivers, and the number of its claims."""
    drivers = []
    for index, selector in enumerate(device_class["spec"].get("selectors") or ()):
        expression = (selector.get("cel") or {}).get("expression", "")
        drivers += _DRIVER.findall(expression)
        yield f"selectors[{index}]: {shortened(expression)}"
    for driver in dict.fromkeys(drivers):
        published = [one for one in _published(cluster) if one[0]["spec"]["driver"] == driver]
        yield f"driver {driver} publishes {_counts(cluster, published)}"
        yield from _by_node(cluster, published)
    name = device_class["metadata"]["name"]
    claims = [one for one in cluster.of("resourceclaims") if class_path(one, name)]
    waiting = sum(not one["status"].get("allocation") for one in claims)
    noun = "claim names" if len(claims) == 1 else "claims name"
    yield f"{len(claims)} {noun} the class{f'; {waiting} not allocated' if waiting else ''}"


def _slice(cluster: ClusterObjects, one: Object) -> Iterator[str]:
    """Yields the pool and the node of a ResourceSlice, and its devices."""
    spec = one["spec"]
    pool = spec["pool"]
    yield f"driver {spec['driver']}, pool {pool['name']}, generation {pool.get('generation', 0)}"
    yield f"for {where(spec)}"
    yield from _devices(cluster, [(one, device) for device in spec.get("devices") or ()])


def _rule(cluster: ClusterObjects, rule: Object) -> Iterator[str]:
    """Yields the taint and the selector of a DeviceTaintRule, and the devices that the rule selects."""
    taint, selector = rule["spec"].get("taint") or {}, rule["spec"].get("deviceSelector")
    yield f"taint: {taint_text(taint)}"
    parts = [f"{key} {value}" for key, value in (selector or {}).items() if isinstance(value, str) and value]
    every = "missing, so the rule selects no devices" if selector is None else "all devices"
    yield f"deviceSelector: {', '.join(parts) or every}"
    selected = [one for one in _published(cluster) if applies_to_names(rule["spec"], *_id_of(one))]
    yield from _devices(cluster, selected)


def _node(cluster: ClusterObjects, node: Object) -> Iterator[str]:
    """Yields facts about a node: its readiness, its taints, the number of its pods, and its devices by
    driver.
    """
    name = node["metadata"]["name"]
    ready = [one["status"] for one in node["status"].get("conditions") or () if one["type"] == "Ready"]
    yield f"Ready: {ready[0] if ready else 'unknown'}"
    yield from (f"taint: {taint_text(taint)}" for taint in node["spec"].get("taints") or ())
    pods = len(cluster.node_states[name].pods)
    yield f"{pods} {'pod' if pods == 1 else 'pods'}"
    published = [one for one in _published(cluster) if one[0]["spec"].get("nodeName") == name]
    for driver in dict.fromkeys(one[0]["spec"]["driver"] for one in published):
        own = [one for one in published if one[0]["spec"]["driver"] == driver]
        yield f"driver {driver} publishes {_counts(cluster, own)}"


_FACTS: Mapping[str, Callable[[ClusterObjects, Object], Iterable[str]]] = {
    "DeviceClass": _class,
    "ResourceSlice": _slice,
    "DeviceTaintRule": _rule,
    "Node": _node,
}


def _published(cluster: ClusterObjects) -> Iterator[Published]:
    for one in cluster.of("resourceslices"):
        for device in one["spec"].get("devices") or ():
            yield one, device


def _id_of(published: Published) -> DeviceID:
    spec = published[0]["spec"]
    return DeviceID(spec["driver"], spec["pool"]["name"], published[1]["name"])


def _users(cluster: ClusterObjects, published: Published) -> Sequence[Object]:
    return cluster.users.get(_id_of(published), ())


def _counts(cluster: ClusterObjects, published: Sequence[Published]) -> str:
    """Returns the number of devices, and how many of them are in use: "2 devices, 1 in use"."""
    used = sum(bool(_users(cluster, one)) for one in published)
    return (
        f"{devices_text(len(published)) if published else 'no devices'}{f', {used} in use' if used else ''}"
    )


def _by_node(cluster: ClusterObjects, published: Sequence[Published]) -> Iterator[str]:
    """Yields the number of devices on each node, for at most NAMES_SHOWN nodes."""
    places: dict[str, list[Published]] = {}
    for one in published:
        places.setdefault(where(one[0]["spec"]), []).append(one)
    for place, own in [*places.items()][:NAMES_SHOWN]:
        yield f"{place}: {_counts(cluster, own)}"
    if len(places) > NAMES_SHOWN:
        yield f"{len(places) - NAMES_SHOWN} more nodes"


def _devices(cluster: ClusterObjects, published: Sequence[Published]) -> Iterator[str]:
    """Yields the number of devices, and a line for each of the first devices with its values and users."""
    yield _counts(cluster, published)
    for one in published[:NAMES_SHOWN]:
        spec, device = one[0]["spec"], one[1]
        values = [
            f"{name} {value_text(field, value)}"
            for field in ("attributes", "capacity")
            for named in by_domain(device.get(field) or {}, spec["driver"]).values()
            for name, value in named.items()
        ]
        users = users_text(_users(cluster, one))
        text = f"{_id_of(one)}: {shortened(', '.join(values))}"
        yield f"{text.rstrip(': ')}{f'; in use by {users}' if users else ''}"
    if len(published) > NAMES_SHOWN:
        yield f"{len(published) - NAMES_SHOWN} more devices"


def where(spec: Object) -> str:
    """Returns a text about the nodes that can use a ResourceSlice."""
    if spec.get("nodeName"):
        return f"node {spec['nodeName']}"
    if spec.get("allNodes"):
        return "all nodes"
    return "nodes that a nodeSelector matches" if spec.get("nodeSelector") else "nodes that each device names"
