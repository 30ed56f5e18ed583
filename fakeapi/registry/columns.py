"""The columns of a kind, as clients that print tables get them.

Names, order and cells follow k8s.io/kubernetes `pkg/printers/internalversion`, ages
k8s.io/apimachinery `pkg/util/duration`. A column's description is the text that the release's servers send.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.resource import Resource

UNKNOWN = "<unknown>"
INVALID = "<invalid>"

NAME = (
    "Name must be unique within a namespace. Is required when creating resources, although some resources "
    "may allow a client to request the generation of an appropriate name automatically. Name is primarily "
    "intended for creation idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
AGE = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not "
    "guaranteed to be set in happens-before order across separate operations. Clients may not set this "
    "value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null "
    "for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)
PHASE = "The status of the namespace"
STATE = "A summary of the current state (allocated, pending, reserved, etc.)."
CLASS_NAME = (
    "ResourceClassName references the driver and additional parameters via the name of a ResourceClass "
    "that was created as part of the driver deployment."
)
ALLOCATION_MODE = (
    'Allocation can start immediately or when a Pod wants to use the resource. "WaitForFirstConsumer" is '
    "the default."
)
CLASS_DRIVER = (
    "DriverName defines the name of the dynamic resource driver that is used for allocation of a "
    "ResourceClaim that uses this class.\n\nResource drivers have a unique name in forward domain order "
    "(acme.example.com)."
)
SELECTED_NODE = (
    "SelectedNode is the node for which allocation of ResourceClaims that are referenced by the Pod and "
    'that use "WaitForFirstConsumer" allocation is to be attempted.'
)
GENERATED_FROM = (
    "If this object was created from some other resource, then this links back to that resource. This "
    "field is used to find the in-tree representation of the {0} parameters when the parameter reference "
    "of the {0} refers to some unknown type."
)
SLICE_NODE_V1ALPHA2 = (
    "NodeName identifies the node which provides the resources if they are local to a node.\n\nA field "
    "selector can be used to list only ResourceSlice objects with a certain node name."
)
SLICE_DRIVER_V1ALPHA2 = (
    "DriverName identifies the DRA driver providing the capacity information. A field selector can be used "
    "to list only ResourceSlice objects with a certain driver name."
)
SLICE_NODE = (
    "NodeName identifies the node which provides the resources in this pool. A field selector can be used "
    "to list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit "
    "access from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that "
    "adding new nodes of the same type as some old node might also make new resources "
    "available.\n\nExactly one of {} must be set. This field is immutable."
)
SLICE_DRIVER = (
    "Driver identifies the DRA driver providing the capacity information. A field selector can be used to "
    "list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end "
    "with a DNS domain owned by the vendor of the driver. This field is immutable."
)
SLICE_POOL = (
    "Name is used to identify the pool. For node-local devices, this is often the node name, but this is "
    "not required.\n\nIt must not be longer than 253 characters and must consist of one or more DNS "
    "sub-domains separated by slashes. This field is immutable."
)
TAINT_KEY = "The taint key to be applied to a device. Must be a label name."
TAINT_VALUE = "The taint value corresponding to the taint key. Must be a label value."
TAINT_EFFECT = (
    "The effect of the taint on claims that do not tolerate the taint and through such claims on the pods "
    "using them. Valid effects are NoSchedule and NoExecute. PreferNoSchedule as used for nodes is not "
    "valid here."
)
TAINT_ADDED = (
    "TimeAdded represents the time at which the taint was added. Added automatically during create or "
    "update if not set."
)

Cell = Callable[[Object, float], str]


@dataclass(frozen=True, slots=True)
class Column:
    """`cell` makes the text for an object at a time in seconds since the epoch."""

    name: str
    description: str
    cell: Cell
    format: str = ""

    def definition(self) -> dict[str, str | int]:
        """A TableColumnDefinition: of strings, and for every width of output."""
        return {
            "name": self.name,
            "type": "string",
            "format": self.format,
            "description": self.description,
            "priority": 0,
        }


def tabulates(resource: Resource, subresource: str) -> bool:
    """Whether a table can be had: of any resource itself, and of the status of namespaces alone."""
    return not subresource or (resource.kind.resource, subresource) == ("namespaces", "status")


def columns_of(kind: str, schema: Struct) -> tuple[Column, ...]:
    """The columns of a kind by what its type has: name, what the kind adds, age."""
    made: tuple[Column, ...] | None = schema.walks.get((columns_of, kind))
    if made is None:
        made = schema.walks[columns_of, kind] = _columns(kind, schema)
    return made


def _columns(kind: str, schema: Struct) -> tuple[Column, ...]:
    added = _ADDED.get(kind)
    return (
        Column("Name", NAME, _at("metadata", "name"), "name"),
        *(added(schema) if added else ()),
        Column("Age", AGE, lambda obj, now: since(obj["metadata"].get("creationTimestamp"), now)),
    )


def since(stamp: str | None, now: float) -> str:
    """How long ago a time was, to two or three figures; `<invalid>` for one that is yet to come."""
    return age(now - datetime.fromisoformat(stamp).timestamp()) if stamp else UNKNOWN


def age(seconds: float) -> str:
    """A duration for people. Clocks may disagree by less than two seconds: that is no time at all."""
    whole = int(seconds)
    if whole < -1:
        return INVALID
    whole = max(whole, 0)
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if minutes < 2:
        return f"{whole}s"
    if minutes < 10:
        return _two(minutes, "m", whole % 60, "s")
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if days < 2:
        return f"{hours}h"
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    years = days // 365
    if years < 2:
        return f"{days}d"
    return _two(years, "y", days % 365, "d") if years < 8 else f"{years}y"


def _two(large: int, unit: str, small: int, small_unit: str) -> str:
    """A duration in two units, the small one only where there is something of it."""
    return f"{large}{unit}{small}{small_unit}" if small else f"{large}{unit}"


def _at(*path: str) -> Cell:
    """The text at a path; empty where there is none."""

    def cell(obj: Object, now: float) -> str:
        value: Any = obj
        for name in path:
            value = value.get(name) or {}
        return value or ""

    return cell


def _namespace(schema: Struct) -> tuple[Column, ...]:
    return (Column("Status", PHASE, _at("status", "phase")),)


def _class(schema: Struct) -> tuple[Column, ...]:
    return (Column("DriverName", CLASS_DRIVER, _at("driverName")),)


def _claim(schema: Struct) -> tuple[Column, ...]:
    deallocates = "deallocationRequested" in _fields(schema, "status")
    state = Column("State", STATE, lambda obj, now: _state(obj, deallocates=deallocates))
    if "resourceClassName" not in _fields(schema, "spec"):
        return (state,)
    return (*_class_and_mode("spec"), state)


def _template(schema: Struct) -> tuple[Column, ...]:
    if "resourceClassName" not in _fields(schema, "spec", "spec"):
        return ()
    return _class_and_mode("spec", "spec")


def _class_and_mode(*path: str) -> tuple[Column, ...]:
    return (
        Column("ResourceClassName", CLASS_NAME, _at(*path, "resourceClassName")),
        Column("AllocationMode", ALLOCATION_MODE, _at(*path, "allocationMode")),
    )


def _state(obj: Object, *, deallocates: bool) -> str:
    status = obj.get("status") or {}
    deleted = bool(obj["metadata"].get("deletionTimestamp"))
    states = ["deleted"] if deleted else []
    if status.get("allocation") is None:
        return "deleted" if deleted else "pending"
    states.append("allocated")
    if status.get("reservedFor"):
        states.append("reserved")
    elif deallocates and (deleted or status.get("deallocationRequested")):
        states.append("deallocating")
    return ",".join(states)


def _scheduling(schema: Struct) -> tuple[Column, ...]:
    return (Column("SelectedNode", SELECTED_NODE, _at("spec", "selectedNode")),)


def _claim_parameters(schema: Struct) -> tuple[Column, ...]:
    return (Column("GeneratedFrom", GENERATED_FROM.format("claim"), _generated_from),)


def _class_parameters(schema: Struct) -> tuple[Column, ...]:
    return (Column("GeneratedFrom", GENERATED_FROM.format("class"), _generated_from),)


def _generated_from(obj: Object, now: float) -> str:
    found = obj.get("generatedFrom")
    if not found:
        return ""
    return f"{found.get('kind', '')}.{found.get('apiGroup', '')} {found.get('name', '')}"


def _slice(schema: Struct) -> tuple[Column, ...]:
    if "spec" not in schema.fields:
        return (
            Column("Node", SLICE_NODE_V1ALPHA2, _at("nodeName")),
            Column("Driver", SLICE_DRIVER_V1ALPHA2, _at("driverName")),
        )
    per_device = "perDeviceNodeSelection" in _fields(schema, "spec")
    ways = "NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection"
    return (
        Column(
            "Node",
            SLICE_NODE.format(ways if per_device else "NodeName, NodeSelector and AllNodes"),
            _at("spec", "nodeName"),
        ),
        Column("Driver", SLICE_DRIVER, _at("spec", "driver")),
        Column("Pool", SLICE_POOL, _at("spec", "pool", "name")),
    )


def _taint_rule(schema: Struct) -> tuple[Column, ...]:
    def added(obj: Object, now: float) -> str:
        stamp = obj["spec"]["taint"].get("timeAdded")
        return since(stamp, now) if stamp else ""

    return (
        Column("Key", TAINT_KEY, _at("spec", "taint", "key")),
        Column("Value", TAINT_VALUE, _at("spec", "taint", "value")),
        Column("Effect", TAINT_EFFECT, _at("spec", "taint", "effect")),
        Column("TimeAdded", TAINT_ADDED, added),
    )


def _fields(schema: Struct, *path: str) -> dict[str, Any]:
    """The fields of the struct at a path."""
    for name in path:
        node = schema.fields[name].node
        assert isinstance(node, Struct), f"{name} is no struct"
        schema = node
    return schema.fields


_ADDED: dict[str, Callable[[Struct], tuple[Column, ...]]] = {
    "Namespace": _namespace,
    "ResourceClass": _class,
    "ResourceClaim": _claim,
    "ResourceClaimTemplate": _template,
    "PodSchedulingContext": _scheduling,
    "ResourceClaimParameters": _claim_parameters,
    "ResourceClassParameters": _class_parameters,
    "ResourceSlice": _slice,
    "DeviceTaintRule": _taint_rule,
}
