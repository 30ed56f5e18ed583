"""Formats kube-apiserver's internal ("unversioned") Go types in Go syntax (`%#v`), for errors up to 1.33.

Internal types have the fields of the newest API version of the release in the same order, so the schema of
that version describes them. Their Go package is named after the API group. Go prints a pointer as an address;
here all addresses are the same. Follows Go's fmt package and `Error.ErrorBody` of k8s.io/apimachinery
`pkg/util/validation/field`.
"""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.schema.go_names import go_name
from fakeapi.machinery.schema.nodes import AnyValue, Field, List, Map, Node, Scalar, Struct
from fakeapi.machinery.schema.scalar_syntax import TIMES, scalar_syntax

ADDRESS = "0xc000012345"
"""The address that is printed for every pointer."""

_META = "meta/v1"
"""Name of the package meta/v1, whose types have no internal version."""

_VERSIONED = lazy_pattern(r"\bv[0-9]+(?:(?:alpha|beta)[0-9]+)?\.")


def unversioned_syntax(value: Any, node: Node, package: str) -> str:
    """Formats a canonical value like Go's `%#v`: `resource.Device{Name:"a", Basic:(*...)(nil)}`.

    `node`: the schema node of the value.
    `package`: the Go package of the type, see `package_of`.
    """
    return _syntax(value, node, package)


def package_of(node: Struct) -> str:
    """Returns the Go package of an internal type: `resource/v1beta2.Device` gives `resource`.

    Types of meta/v1 have the package `v1`.
    """
    if node.full_name.startswith(_META):
        return "v1"
    return node.full_name.partition("/")[0]


def _type(node: Node, package: str) -> str:
    """Returns the name of a schema node's internal Go type, in the Go package `package`."""
    match node:
        case Struct():
            return f"{package_of(node)}.{node.go_type.rpartition('.')[2]}"
        case List():
            return f"[]{_type(node.items, package)}"
        case Map(go_type="map[v1.ResourceName]resource.Quantity"):
            return "core.ResourceList"
        case Map():
            key = _VERSIONED.sub(f"{package}.", node.go_type.removeprefix("map[").partition("]")[0])
            return f"map[{key}]{_type(node.values, package)}"
        case Scalar(kind=kind) if kind in TIMES:
            return node.go_type
        case Scalar():
            return _VERSIONED.sub(f"{package}.", node.go_type)
        case AnyValue():
            return node.go_type


def _syntax(value: Any, node: Node, package: str) -> str:
    match node:
        case Struct():
            members = value or {}
            own = package_of(node)
            fields = (
                f"{_member_name(field.name, node)}:{_field(members.get(field.name), field, own)}"
                for field in node.fields.values()
                if not _is_inlined(field)
            )
            return f"{_type(node, package)}{{{', '.join(fields)}}}"
        case List():
            if value is None:
                return f"{_type(node, package)}(nil)"
            return (
                f"{_type(node, package)}{{{', '.join(_syntax(item, node.items, package) for item in value)}}}"
            )
        case Map():
            if value is None:
                return f"{_type(node, package)}(nil)"
            members = (f"{quote(key)}:{_syntax(value[key], node.values, package)}" for key in sorted(value))
            return f"{_type(node, package)}{{{', '.join(members)}}}"
        case AnyValue():
            return _raw(value, node)
        case Scalar():
            return scalar_syntax(value, node)


def _field(value: Any, field: Field, package: str) -> str:
    if not field.pointer:
        return _syntax(value, field.node, package)
    if value is None and isinstance(field.node, Scalar) and field.node.kind in TIMES:
        return "<nil>"  # metav1.Time and metav1.MicroTime format themselves.
    if value is not None and isinstance(field.node, Scalar) and field.node.kind in TIMES:
        return scalar_syntax(value, field.node)
    return f"(*{_type(field.node, package)})({'nil' if value is None else ADDRESS})"


def _member_name(name: str, struct: Struct) -> str:
    return "ObjectMeta" if name == "metadata" else go_name(name, struct)


def _is_inlined(field: Field) -> bool:
    return field.name in {"apiVersion", "kind"} and not field.protobuf_path


def _raw(value: Any, node: AnyValue) -> str:
    data = "" if value is None else ", ".join(f"{byte:#04x}" for byte in codec.encode(value))
    raw = "[]uint8(nil)" if value is None else f"[]uint8{{{data}}}"
    if node.go_type == "runtime.RawExtension":
        return f"runtime.RawExtension{{Raw:{raw}, Object:runtime.Object(nil)}}"
    return f"{node.go_type}{{Raw:{raw}}}"
