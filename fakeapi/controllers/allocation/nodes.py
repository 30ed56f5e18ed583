"""Node selectors of devices, allocations and pods.

Follows k8s.io/component-helpers `scheduling/corev1/nodeaffinity`.
"""

from collections.abc import Iterable, Mapping

from fakeapi.machinery.json_types import Object


def matches_selector(selector: Object, node: Object) -> bool:
    """Whether any term of a NodeSelector matches the node. A selector without terms does not match any
    node.
    """
    return any(matches_term(term, node) for term in selector.get("nodeSelectorTerms") or ())


def matches_term(term: Object, node: Object) -> bool:
    """Whether the node meets all requirements of a NodeSelectorTerm. An empty term does not match any
    node.
    """
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    metadata = node["metadata"]
    labels = metadata.get("labels") or {}
    own = {"metadata.name": metadata["name"]}
    return _all_met(expressions, labels) and _all_met(fields, own)


def _all_met(requirements: Iterable[Object], values: Mapping[str, str]) -> bool:
    return all(is_met(requirement, values) for requirement in requirements)


def is_met(requirement: Object, values: Mapping[str, str]) -> bool:
    """Whether labels or fields meet a NodeSelectorRequirement (key, operator, values).

    `values`: the labels or the fields of a node.
    """
    key, operator = requirement["key"], requirement["operator"]
    allowed = requirement.get("values") or ()
    has = key in values
    match operator:
        case "In":
            return has and values[key] in allowed
        case "NotIn":
            return not has or values[key] not in allowed
        case "Exists":
            return has
        case "DoesNotExist":
            return not has
        case "Gt" | "Lt":
            return has and _compare(operator, values[key], allowed)
        case _:
            return False


def _compare(operator: str, value: str, wanted: Iterable[str]) -> bool:
    try:
        left, right = int(value[:20]), int(next(iter(wanted), "")[:20])
    except ValueError:
        return False
    return left > right if operator == "Gt" else left < right


def serves_node(place: Object, node: Object) -> bool:
    """Whether a node can use the devices of a ResourceSlice, or a device with its own node selection.

    `place`: the spec of the ResourceSlice or of the device.
    """
    if place.get("nodeName"):
        return bool(place["nodeName"] == node["metadata"]["name"])
    if place.get("allNodes"):
        return True
    return bool(place.get("nodeSelector")) and matches_selector(place["nodeSelector"], node)


def merged_selector(places: Iterable[tuple[Object, bool]], node_name: str) -> Object | None:
    """Returns one node selector that combines the selectors of all devices.

    Returns None if the devices can be used on all nodes.

    - `places`: for each device, the spec of the slice or device that selects nodes, and whether bindsToNode
      is set.
    - `node_name`: the chosen node. If a device has `nodeName` or bindsToNode, the result selects only this
      node.
    """
    term: Object = {}
    for place, binds in places:
        if place.get("nodeName") or binds:
            here = {"key": "metadata.name", "operator": "In", "values": [node_name]}
            return {"nodeSelectorTerms": [{"matchFields": [here]}]}
        for part in ("matchExpressions", "matchFields"):
            for own_term in ((place.get("nodeSelector") or {}).get("nodeSelectorTerms") or ())[:1]:
                for requirement in own_term.get(part) or ():
                    known = term.setdefault(part, [])
                    if not any(_same(requirement, other) for other in known):
                        known.append(requirement)
    term = {part: requirements for part, requirements in term.items() if requirements}
    return {"nodeSelectorTerms": [term]} if term else None


def _same(one: Object, other: Object) -> bool:
    alike = one["key"] == other["key"] and one["operator"] == other["operator"]
    return alike and set(one.get("values") or ()) == set(other.get("values") or ())
