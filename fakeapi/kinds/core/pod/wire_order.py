"""Sorts the fields of a pod as Go encodes them: in the order of the Go type."""

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, Struct

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def in_wire_order(pod: Object, schema: Struct) -> Object:
    """Returns `pod` with the fields of spec, containers and status in the order of the Go types.

    Use this function for a pod that is merged from several pods. Deeper fields keep their order.
    """
    spec_type, status_type = _struct(schema, "spec"), _struct(schema, "status")
    spec = _sorted(pod["spec"], spec_type)
    for name in _CONTAINERS:
        if spec.get(name):
            container_type = _struct(spec_type, name)
            spec[name] = [_sorted(container, container_type) for container in spec[name]]
    return {**pod, "spec": spec, "status": _sorted(pod["status"], status_type)}


def _sorted(value: Object, struct: Struct) -> Object:
    return {name: value[name] for name in struct.fields if name in value}


def _struct(struct: Struct, name: str) -> Struct:
    node = struct.fields[name].node
    inner = node.items if isinstance(node, List) else node
    assert isinstance(inner, Struct), f"{name} holds no struct"
    return inner
