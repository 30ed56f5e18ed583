"""Values as Go's `%#v` prints them into errors: structs by their type and fields, lists by their type.

Only what errors of these kinds show is here. Where Go prints an address, any address will do.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.golang.strconv import quote

_ADDRESS = "0xc000012345"


@dataclass(frozen=True, slots=True)
class Dump:
    """Text that a field error prints as its value: a Go value that has no JSON form."""

    text: str

    def __str__(self) -> str:
        return self.text


def strings(texts: Iterable[str]) -> Dump:
    return Dump("[]string{" + ", ".join(map(quote, texts)) + "}")


def node_selector_terms(terms: list[dict[str, Any]] | None) -> Dump:
    """`[]core.NodeSelectorTerm`"""
    return Dump(_list("core.NodeSelectorTerm", terms, _term))


def device_attribute(attribute: dict[str, Any]) -> Dump:
    """`resource.DeviceAttribute`"""
    fields = (
        ("IntValue", "int", "int64"),
        ("BoolValue", "bool", "bool"),
        ("StringValue", "string", "string"),
        ("VersionValue", "version", "string"),
    )
    texts = (f"{go}:{_pointer(kind, attribute.get(name))}" for go, name, kind in fields)
    return Dump(f"resource.DeviceAttribute{{{', '.join(texts)}}}")


def resource_slice_spec(spec: dict[str, Any]) -> Dump:
    """`resource.ResourceSliceSpec` of 1.31, its devices by their names alone."""
    pool = spec["pool"]
    devices = _list("resource.Device", spec["devices"], lambda device: f"{{Name:{quote(device['name'])}}}")
    return Dump(
        f"resource.ResourceSliceSpec{{Driver:{quote(spec['driver'])}, Pool:resource.ResourcePool{{"
        f"Name:{quote(pool['name'])}, Generation:{pool['generation']}, "
        f"ResourceSliceCount:{pool['resourceSliceCount']}}}, NodeName:{quote(spec.get('nodeName', ''))}, "
        f"NodeSelector:{_pointer('core.NodeSelector', spec.get('nodeSelector'))}, "
        f"AllNodes:{str(spec.get('allNodes', False)).lower()}, Devices:{devices}}}"
    )


def _pointer(kind: str, value: Any) -> str:
    return f"(*{kind})({'nil' if value is None else _ADDRESS})"


def _list(kind: str, items: list[Any] | None, text: Any) -> str:
    if items is None:
        return f"[]{kind}(nil)"
    return f"[]{kind}{{{', '.join(kind + text(item) for item in items)}}}"


def _term(term: dict[str, Any]) -> str:
    texts = (
        f"{go}:{_list('core.NodeSelectorRequirement', term.get(name), _requirement)}"
        for go, name in (("MatchExpressions", "matchExpressions"), ("MatchFields", "matchFields"))
    )
    return f"{{{', '.join(texts)}}}"


def _requirement(requirement: dict[str, Any]) -> str:
    values = requirement.get("values")
    shown = "[]string(nil)" if values is None else strings(values)
    return f"{{Key:{quote(requirement['key'])}, Operator:{quote(requirement['operator'])}, Values:{shown}}}"
