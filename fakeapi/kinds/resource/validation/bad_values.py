"""Formats rejected values like the error messages of a release.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`: JSON from 1.34 on, Go's `%#v`
before 1.34.
"""

from typing import Any

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.schema.nodes import List, Node, Struct
from fakeapi.machinery.schema.unversioned_json import unversioned_json
from fakeapi.machinery.schema.unversioned_syntax import package_of, unversioned_syntax
from fakeapi.releases.rules import ReleaseRules

HUB_VERSION = "v1"
"""The API version whose types have the layout of the hub version, in which objects are stored."""

_BEFORE_V1 = ("resource/v1beta2", "resource/v1beta1", "resource/v1alpha3", "resource/v1alpha2")
"""The Go packages of versions before v1, newest first.

A release's internal types have the layout of its newest version.
"""


def plain(value: Any, rules: ReleaseRules) -> Any:
    """Formats None, a list of strings, or a string of a named Go type for an error message."""
    return Dump(go_encode(value).decode()) if rules.quirks.wording.json_values else value


def struct(value: Any, type_name: str, rules: ReleaseRules, *, version: str = HUB_VERSION) -> Any:
    """Formats a value of the Go type `type_name` for an error message.

    From 1.34 on, errors use the layout of `version`. Before 1.34 they use the layout of the newest version
    that the release has.
    """
    if value is None:
        return plain(value, rules)
    if not rules.quirks.wording.json_values:
        node = _newest(type_name, rules)
        return Dump(unversioned_syntax(value, node, package_of(node)))
    return Dump(unversioned_json(value, rules.schemas.struct(f"resource/{version}.{type_name}")))


def _newest(type_name: str, rules: ReleaseRules) -> Struct:
    for package in _BEFORE_V1:
        try:
            return rules.schemas.struct(f"{package}.{type_name}")
        except KeyError:
            continue
    raise KeyError(type_name)


def items_of(holder: Any, name: str, type_name: str, rules: ReleaseRules) -> Any:
    """Formats a list for an error message. The list is the field `name` of the Go type `type_name`."""
    struct = rules.schemas.struct(type_name)
    node: Node = struct.fields[name].node
    assert isinstance(node, List)
    if not rules.quirks.wording.json_values:
        return Dump(unversioned_syntax(holder, node, package_of(struct)))
    return Dump(unversioned_json(holder, node)) if holder is not None else plain(None, rules)
