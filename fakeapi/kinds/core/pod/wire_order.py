"""The order of a pod's members, which is that of its Go type."""

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import List, Struct

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def in_wire_order(pod: Object, schema: Struct) -> Object:
    """`pod` with the members of its spec, its containers and its status in the order of their types.

    For what was put together from several pods. What is deeper inside is as it was.
    """
    spec_type, status_type = _struct(schema, "spec"), _struct(schema, "status")
    spec = _sorted(pod["spec"], spec_type)
    for name in _CONTAINERS:
        if spec.get(name):
            container_type = _struct(spec_type, name)
            spec[name] = [_sorted(each, container_type) for each in spec[name]]
    return {**pod, "spec": spec, "status": _sorted(pod["status"], status_type)}


def _sorted(value: Object, struct: Struct) -> Object:
    return {name: value[name] for name in struct.fields if name in value}


def _struct(struct: Struct, name: str) -> Struct:
    node = struct.fields[name].node
    found = node.items if isinstance(node, List) else node
    assert isinstance(found, Struct), f"{name} holds no struct"
    return found
