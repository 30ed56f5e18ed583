"""Formats scalars, structs and fields of structs as the field errors of a release print them."""

from collections.abc import Mapping
from typing import Any

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.meta.wording import Wording
from fakeapi.machinery.schema.nodes import Node, Struct
from fakeapi.machinery.schema.unversioned_json import unversioned_json
from fakeapi.machinery.schema.unversioned_syntax import package_of, unversioned_syntax
from fakeapi.releases.rules import ReleaseRules


def printed_value(value: Any, go_syntax: str, wording: Wording) -> Dump:
    """Formats `value` as JSON; returns `go_syntax` in releases whose errors print Go syntax."""
    return Dump(wording.json(value) if wording.json_values else go_syntax)


def printed_plain(value: Any, wording: Wording) -> Any:
    """Formats `value` as JSON; returns `value` itself in releases whose errors print Go syntax.

    Use this for None, numbers, strings of a named Go type, and fields of any JSON type.
    """
    return Dump(wording.json(value)) if wording.json_values else value


def printed_struct(value: Any, type_name: str, rules: ReleaseRules) -> Dump:
    """Formats a value of a type such as `rbac/v1.RoleRef`; None is printed as a nil pointer."""
    if value is None:
        return printed_value(None, '"null"', rules.quirks.wording)
    return printed_as(value, rules.schemas.struct(type_name), rules)


def printed_as(value: Any, struct: Struct, rules: ReleaseRules) -> Dump:
    """Formats a value. `struct`: the value's type, possibly of the internal version."""
    return _printed(value, struct, package_of(struct), rules.quirks.wording)


def printed_field(value: Any, type_name: str, name: str, rules: ReleaseRules) -> Dump:
    """Formats the value of the field `name` of the type `type_name`; None is printed as nil or null."""
    struct = rules.schemas.struct(type_name)
    return _printed(value, struct.fields[name].node, package_of(struct), rules.quirks.wording)


def printed_selector(selector: Mapping[str, Any] | None, rules: ReleaseRules) -> Dump:
    """Formats a metav1.LabelSelector, without its empty fields; None is printed as a nil pointer."""
    fields = selector and {name: value for name, value in selector.items() if value}
    return printed_struct(fields, "meta/v1.LabelSelector", rules)


def _printed(value: Any, node: Node, package: str, wording: Wording) -> Dump:
    if not wording.json_values:
        return Dump(unversioned_syntax(value, node, package))
    return Dump("null" if value is None else unversioned_json(value, node))
