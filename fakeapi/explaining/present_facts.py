"""Lists facts about objects that are not being deleted: their selectors, devices, taints and users."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from fakeapi.controllers.allocation.model import DeviceID
from fakeapi.controllers.scheduler.device_taint_rules import applies_to_names
from fakeapi.explaining.cluster_objects import ClusterObjects, class_path
from fakeapi.explaining.dropped import taint_text, users_text
from fakeapi.explaining.model import NAMES_SHOWN, devices_text, listed
from fakeapi.explaining.pool_facts import drivers_of_class, slices_of_pool
from fakeapi.explaining.resource_facts import amount_text
from fakeapi.explaining.selector_text import by_domain, shortened, value_text
from fakeapi.machinery.json_types import Object

Published = tuple[Object, Object]
"""A ResourceSlice and an entry of its devices."""

DEVICES_LISTED = 128
"""Maximum number of devices in the facts about a slice or taint rule. A slice has at most 128 devices."""

_VALUES_LENGTH = 1000
"""Maximum number of characters of the values of one device."""

_LABELS_SHOWN = 12


def present_lines(cluster: ClusterObjects, obj: Object) -> list[str]:
    """Returns facts about an object, one line each; [] for kinds without facts."""
    lines = _FACTS.get(obj["kind"])
    return [] if lines is None else [*lines(cluster, obj)]


def _class(cluster: ClusterObjects, device_class: Object) -> Iterator[str]:
    """Yields the selectors of a DeviceClass, the devices of its drivers, and the number of its claims."""
    for index, selector in enumerate(device_class["spec"].get("selectors") or ()):
        expression = (selector.get("cel") or {}).get("expression", "")
        yield f"selectors[{index}]: {shortened(expression, _VALUES_LENGTH)}"
    for driver in drivers_of_class(device_class):
        published = [one for one in _published(cluster) if one[0]["spec"]["driver"] == driver]
        yield f"driver {driver} publishes {_counts(cluster, published)}"
        yield from _by_node(cluster, published)
        for pool in (pool for pool in cluster.slices_by_pool if pool.driver == driver):
            slices = slices_of_pool(cluster, pool)
            yield from [slices.text] if slices.is_incomplete else []
            yield from slices.old_lines
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
    """Yields facts about a node: its readiness, labels, taints, pods, free resources, and devices by
    driver.
    """
    name = node["metadata"]["name"]
    ready = [one["status"] for one in node["status"].get("conditions") or () if one["type"] == "Ready"]
    yield f"Ready: {ready[0] if ready else 'unknown'}"
    if node["spec"].get("unschedulable"):
        yield "cordoned (spec.unschedulable): no new pods"
    labels = [f"{key}={value}" for key, value in sorted((node["metadata"].get("labels") or {}).items())]
    yield from [f"labels: {listed(labels, _LABELS_SHOWN)}"] if labels else []
    yield from (f"taint: {taint_text(taint)}" for taint in node["spec"].get("taints") or ())
    state = cluster.node_states[name]
    yield f"{len(state.pods)} {'pod' if len(state.pods) == 1 else 'pods'}"
    for resource in ("cpu", "memory"):
        total = state.allocatable(resource)
        free = amount_text(resource, total - state.requested.get(resource, Fraction(0)))
        yield f"{resource}: {free} free of {amount_text(resource, total)}"
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
    """Yields the number of devices, and a line for each device with its taints, values and users.

    Leaves out devices after the first DEVICES_LISTED.
    """
    yield _counts(cluster, published)
    for one in published[:DEVICES_LISTED]:
        spec, device = one[0]["spec"], one[1]
        values = [
            f"{name} {value_text(field, value)}"
            for field in ("attributes", "capacity")
            for named in by_domain(device.get(field) or {}, spec["driver"]).values()
            for name, value in named.items()
        ]
        users = users_text(_users(cluster, one))
        values = [f"tainted {taint_text(taint)}" for taint in device.get("taints") or ()] + values
        text = f"{_id_of(one)}: {shortened(', '.join(values), _VALUES_LENGTH)}"
        yield f"{text.rstrip(': ')}{f'; in use by {users}' if users else ''}"
    if len(published) > DEVICES_LISTED:
        yield f"{len(published) - DEVICES_LISTED} more devices"


def where(spec: Object) -> str:
    """Returns a text about the nodes that can use a ResourceSlice."""
    if spec.get("nodeName"):
        return f"node {spec['nodeName']}"
    if spec.get("allNodes"):
        return "all nodes"
    if spec.get("nodeSelector"):
        return f"nodes with {_selector_text(spec['nodeSelector'])}"
    return "nodes that each device names"


def _selector_text(selector: Object) -> str:
    """Returns the terms of a node selector as text, such as "rack In (1)"."""
    terms = [
        " and ".join(
            " ".join(
                [
                    one["key"],
                    one["operator"],
                    *([f"({','.join(one['values'])})"] if one.get("values") else []),
                ]
            )
            for one in [*(term.get("matchExpressions") or ()), *(term.get("matchFields") or ())]
        )
        for term in selector.get("nodeSelectorTerms") or ()
    ]
    return shortened(" or ".join(terms))
