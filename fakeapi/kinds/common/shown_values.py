"""Formats values like the field errors of a release.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`. From 1.34 on, errors print
values as JSON of the internal version. Before 1.34, errors print values like Go's `%#v`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.schema.unversioned_json import unversioned_json
from fakeapi.machinery.schema.unversioned_syntax import package_of, unversioned_syntax
from fakeapi.releases.rules import ReleaseRules


def shown_struct(value: Any, type_name: str, rules: ReleaseRules) -> Any:
    """Formats a value of a type such as `rbac/v1.RoleRef` for an error message. None is printed as null."""
    if value is None:
        return Dump("null") if rules.quirks.wording.json_values else "null"
    return shown_as(value, rules.schemas.struct(type_name), rules)


def shown_as(value: Any, node: Struct, rules: ReleaseRules) -> Dump:
    """Formats a value in the internal version for an error message. `node`: the schema node of its type."""
    if rules.quirks.wording.json_values:
        return Dump(unversioned_json(value, node))
    return Dump(unversioned_syntax(value, node, package_of(node)))


def shown_strings(texts: Sequence[str], rules: ReleaseRules) -> Dump:
    """Formats a list of strings for an error message."""
    return Dump(rules.quirks.wording.strings(texts))


def shown_plain(value: Any, rules: ReleaseRules) -> Any:
    """Formats an optional number or string for an error message. None is printed as null."""
    if value is None:
        return Dump("null") if rules.quirks.wording.json_values else "null"
    return Dump(go_encode(value).decode()) if rules.quirks.wording.json_values else value


def shown_field(value: Any, type_name: str, name: str, rules: ReleaseRules) -> Any:
    """Formats the value of one field for an error message.

    - `type_name`: the type of the struct, such as `admissionregistration/v1.RuleWithOperations`
    - `name`: the name of the field
    """
    struct = rules.schemas.struct(type_name)
    node = struct.fields[name].node
    if rules.quirks.wording.json_values:
        return Dump(unversioned_json(value, node))
    return Dump(unversioned_syntax(value, node, package_of(struct)))
