"""Values as field errors print them, by release.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`. From 1.34 on values are printed
as JSON of the internal version, before that as Go's `%#v` prints them.
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
    """Returns a value of a type such as `rbac/v1.RoleRef` as an error prints it; None is printed as null."""
    if value is None:
        return Dump("null") if rules.quirks.wording.json_values else "null"
    return shown_as(value, rules.schemas.struct(type_name), rules)


def shown_as(value: Any, node: Struct, rules: ReleaseRules) -> Dump:
    """Returns a value as an error prints it, in the form of the internal version."""
    if rules.quirks.wording.json_values:
        return Dump(unversioned_json(value, node))
    return Dump(unversioned_syntax(value, node, package_of(node)))


def shown_strings(texts: Sequence[str], rules: ReleaseRules) -> Dump:
    """Returns a list of strings as an error prints it."""
    return Dump(rules.quirks.wording.strings(texts))


def shown_plain(value: Any, rules: ReleaseRules) -> Any:
    """Returns an optional number or text as an error prints it; None is printed as null."""
    if value is None:
        return Dump("null") if rules.quirks.wording.json_values else "null"
    return Dump(go_encode(value).decode()) if rules.quirks.wording.json_values else value


def shown_field(value: Any, type_name: str, name: str, rules: ReleaseRules) -> Any:
    """Returns the value of one field as an error prints it.

    `type_name` is the type of the struct, such as `admissionregistration/v1.RuleWithOperations`.
    """
    struct = rules.schemas.struct(type_name)
    node = struct.fields[name].node
    if rules.quirks.wording.json_values:
        return Dump(unversioned_json(value, node))
    return Dump(unversioned_syntax(value, node, package_of(struct)))
