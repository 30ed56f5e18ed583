"""Creates the schema nodes of Go types from a release's table of types, on first use.

The table names types like Go, with complete packages: `[]resource/v1alpha3.Device`,
`map[string]*meta/v1.Time`. A schema node has the short name that Go's messages print: `[]v1alpha3.Device`.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fakeapi.machinery.schema.nodes import (
    AnyValue,
    Field,
    List,
    ListType,
    Map,
    Node,
    Scalar,
    ScalarKind,
    Struct,
)
from fakeapi.releases.tables import TypeEntry

_WORDS: dict[str, Node] = {
    "string": Scalar(ScalarKind.STRING, "string"),
    "bool": Scalar(ScalarKind.BOOLEAN, "bool"),
    "int": Scalar(ScalarKind.INTEGER, "int", 64),
    "int32": Scalar(ScalarKind.INTEGER, "int32", 32),
    "int64": Scalar(ScalarKind.INTEGER, "int64", 64),
    "float64": Scalar(ScalarKind.NUMBER, "float64"),
    "[]byte": Scalar(ScalarKind.BYTES, "[]uint8"),
    "meta/v1.Time": Scalar(ScalarKind.TIME, "v1.Time"),
    "meta/v1.MicroTime": Scalar(ScalarKind.MICRO_TIME, "v1.MicroTime"),
    "meta/v1.FieldsV1": AnyValue("v1.FieldsV1"),
    "resource.Quantity": Scalar(ScalarKind.QUANTITY, "resource.Quantity"),
    "runtime.RawExtension": AnyValue("runtime.RawExtension"),
    "apiextensions/v1.JSON": AnyValue("v1.JSON"),
    "intstr.IntOrString": Scalar(ScalarKind.INT_OR_STRING, "intstr.IntOrString"),
}
_SCHEMA_PROPS = "apiextensions/v1.JSONSchemaProps"
_CHOICES = frozenset(f"{_SCHEMA_PROPS}{other}" for other in ("OrArray", "OrBool", "OrStringArray"))
"""Go types whose values are either a schema or another value, such as a bool."""
_WRAPPED = "[]string"
"""The underlying Go type of ExtraValue, Verbs and similar types. In protobuf, these types are messages."""

_VERSIONS = ("v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1")
"""API versions of all groups, newest first."""

_PLAIN: dict[str, Any] = {}
"""Empty table data for list items and map values, for which the tables contain only the type."""


class Schemas:
    """The schema nodes of one release's types. Each type has exactly one Struct, which may contain itself."""

    __slots__ = ("_newest", "_structs", "_types", "keys_may_be_absent")

    def __init__(self, types: Mapping[str, TypeEntry], *, keys_may_be_absent: bool = False) -> None:
        """Creates schemas from a table of types. Each type is read on first use.

        `keys_may_be_absent`: whether items of a map list may omit some of their keys.
        """
        self._types = types
        self.keys_may_be_absent = keys_may_be_absent
        self._structs: dict[str, Struct] = {}
        self._newest: dict[tuple[str, str], str] = {}

    def struct(self, name: str) -> Struct:
        """Returns the struct of a type such as `resource/v1alpha3.ResourceClaim`.

        Raises KeyError if the type does not exist or is not a struct.
        """
        struct = self._structs.get(name)
        if struct is None:
            entry = self._types[name]
            if isinstance(entry, str) or "fields" not in entry:
                raise KeyError(name)
            struct = self._make(name, entry)
        return struct

    def newest_type(self, group: str, name: str) -> str:
        """Returns a struct's full name, such as `flowcontrol/v1.FlowSchemaSpec`, in the newest API version.

        Structs of the internal version have the layout of this API version. Raises KeyError if no API version
        has the struct.

        `group`: the first part of the group's name, such as `flowcontrol`
        """
        newest = self._newest.get((group, name))
        if newest is None:
            newest = self._newest[group, name] = self._find_newest(group, name)
        return newest

    def _find_newest(self, group: str, name: str) -> str:
        for version in _VERSIONS:
            full_name = f"{group}/{version}.{name}"
            with contextlib.suppress(KeyError):
                self.struct(full_name)
                return full_name
        raise KeyError(name)

    def entry(self, name: str) -> TypeEntry:
        """Returns the table's entry of a type, which also contains enum values and the gates of fields.

        Raises KeyError for a type that is not in the table.
        """
        return self._types[name]

    def _make(self, name: str, entry: dict[str, Any]) -> Struct:
        struct = self._structs[name] = Struct(
            printed(name), atomic=entry.get("atomic", False), full_name=name
        )
        for member in entry["fields"]:
            struct.fields[member["name"]] = self._field(member)
        return struct

    def _field(self, member: dict[str, Any]) -> Field:
        go: str = member["type"]
        return Field(
            name=member["name"],
            node=self._node(go.removeprefix("*"), member),
            required=member.get("required", False),
            omitempty=member.get("omitempty", False),
            omitzero=member.get("omitzero", False),
            pointer=go.startswith("*"),
            default=member.get("default"),
            patch_replace="replace" in member.get("patch", ""),
            protobuf_path=tuple(member.get("numbers", ())),
        )

    def _node(self, go: str, member: dict[str, Any]) -> Node:
        """Returns the schema node of a type.

        - `go`: the Go name of the type
        - `member`: the entry, in the release tables, of a struct field that has this type. The entry says how
          lists and maps merge. For the type of list items and map values, the entry is empty.
        """
        if go in _CHOICES:
            return AnyValue(printed(go), self._schema_props)
        if (word := _WORDS.get(go)) is not None:
            return word
        if go.startswith("[]"):
            return self._list(go, member)
        if go.startswith("map["):
            values = self._node(go.partition("]")[2].removeprefix("*"), _PLAIN)
            return Map(values, printed(go), atomic=member.get("map") == "atomic")
        if (struct := self._structs.get(go)) is not None:
            return self._as_held(struct, member)
        entry = self._types[go]
        if isinstance(entry, dict) and "fields" in entry:
            return self._as_held(self._make(go, entry), member)
        return self._renamed(go, entry if isinstance(entry, str) else entry["type"], member)

    @staticmethod
    def _as_held(made: Struct, member: dict[str, Any]) -> Struct:
        """Returns the struct `made` as the type of a field.

        `member`: the table's data of the field. If this data changes whether the struct is atomic, the result
        is a changed copy.
        """
        atomic = {"atomic": True, "granular": False}.get(member.get("map", ""), made.atomic)
        if atomic == made.atomic:
            return made
        return Struct(made.go_type, made.fields, atomic=atomic, full_name=made.full_name)

    def _schema_props(self) -> Struct:
        return self.struct(_SCHEMA_PROPS)

    def _list(self, go: str, member: dict[str, Any]) -> List:
        """Returns the schema node of a list type.

        For a list without x-kubernetes-list-type, derives the list type from the merge strategy, as in
        k8s.io/kube-openapi `pkg/schemaconv`. ownerReferences and finalizers have a list type only from 1.30
        on.
        """
        item = go[2:].removeprefix("*")
        merges, merge_key = "merge" in member.get("patch", ""), member.get("patch_key")
        keys = tuple(member.get("keys", ()))
        if "list" in member:
            list_type = ListType(member["list"])
        elif merges:
            list_type = ListType.MAP if merge_key else ListType.SET
            keys = (merge_key,) if merge_key else ()
        else:
            list_type = ListType.ATOMIC
        return List(
            items=self._node(item, _PLAIN),
            go_type=printed(go),
            list_type=list_type,
            keys=keys,
            key_defaults=self._defaults(item, keys),
            keys_may_be_absent=self.keys_may_be_absent,
            patch_merge=merges,
            patch_merge_key=merge_key,
        )

    def _defaults(self, item: str, keys: tuple[str, ...]) -> tuple[tuple[str, Any], ...]:
        """Returns the default values of the keys that items of a map list may omit, as (key, default)."""
        if not keys:
            return ()
        entry = self._types[item]
        assert not isinstance(entry, str), f"items with keys are structs: {item}"
        defaults = {member["name"]: member.get("default") for member in entry["fields"]}
        return tuple((key, defaults[key]) for key in keys if defaults.get(key) is not None)

    def _renamed(self, go: str, underlying: str, member: dict[str, Any]) -> Node:
        """Returns the schema node of a named type with another underlying type.

        For a scalar, error messages print the named type: `types.UID`, not `string`.
        """
        match self._node(underlying, member):
            case Scalar(kind=kind, bits=bits):
                return Scalar(kind, printed(go), bits)
            case List() as found if underlying == _WRAPPED:
                return replace(found, wrapped=True)
            case node:
                return node


def underlying_type(entry: TypeEntry) -> str | None:
    """Returns the underlying type of a named type; None for a struct."""
    if isinstance(entry, str):
        return entry
    underlying: str | None = entry.get("type")
    return underlying


def printed(go: str) -> str:
    """Returns a type's name as Go prints it: with only the last part of package paths, and uint8 for byte."""
    if go.startswith("*"):
        return "*" + printed(go[1:])
    if go.startswith("[]"):
        return "[]" + printed(go[2:])
    if go.startswith("map["):
        key, _, value = go.removeprefix("map[").partition("]")
        return f"map[{printed(key)}]{printed(value)}"
    return "uint8" if go == "byte" else go.rpartition("/")[2]
