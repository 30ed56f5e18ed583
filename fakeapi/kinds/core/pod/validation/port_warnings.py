"""Warns about duplicate and overlapping ports of containers.

Follows k8s.io/kubernetes `pkg/api/pod/warnings.go`.
"""

from collections.abc import Iterator

from fakeapi.kinds.core.pod.validation.checks import containers_at
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules


def port_warnings(spec: Object, path: str, rules: ReleaseRules) -> Iterator[str]:
    """Yields warnings about the ports of all containers. `path`: the path of the pod's spec."""
    quirks = rules.quirks.pods
    ports = [
        (f"{place}.ports[{index}]", port)
        for place, container in containers_at(spec, path)
        for index, port in enumerate(container.get("ports") or ())
    ]
    if quirks.ports_are_compared:
        yield from _number_warnings(ports)
    if not quirks.port_names_are_compared:
        return
    seen: dict[str, str] = {}
    for place, port in ports:
        name = port.get("name", "")
        if name and name in seen:
            first = seen[name]
            rule = f"services and probes that select ports by name will use {first}"
            yield f"{place}: duplicate port name {quote(name)} with {first}, {rule}"
        elif name:
            seen[name] = place


def _number_warnings(ports: list[tuple[str, Object]]) -> Iterator[str]:
    seen: dict[tuple[int, str], list[tuple[str, Object]]] = {}
    for place, port in ports:
        if port.get("hostIP") and not port.get("hostPort"):
            yield f"{place}: hostIP set without hostPort: {_printed(port)}"
        others = seen.setdefault((port.get("containerPort", 0), port.get("protocol", "")), [])
        for other_place, other in others:
            if relation := _relation(port, other):
                yield f"{place}: {relation} port definition with {other_place}"
        others.append((place, port))


def _relation(port: Object, other: Object) -> str:
    ips = port.get("hostIP", ""), other.get("hostIP", "")
    numbers = port.get("hostPort", 0), other.get("hostPort", 0)
    if ips[0] == ips[1] and numbers[0] == numbers[1]:
        return "duplicate"
    if not all(numbers):
        return "overlapping"
    if numbers[0] == numbers[1] and bool(ips[0]) != bool(ips[1]):
        return "dangerously ambiguous"
    return ""


def _printed(port: Object) -> str:
    """Formats a container port like Go's `%+v`."""
    members = (
        ("Name", port.get("name", "")),
        ("HostPort", port.get("hostPort", 0)),
        ("ContainerPort", port.get("containerPort", 0)),
        ("Protocol", port.get("protocol", "")),
        ("HostIP", port.get("hostIP", "")),
    )
    return "{" + " ".join(f"{name}:{value}" for name, value in members) + "}"
