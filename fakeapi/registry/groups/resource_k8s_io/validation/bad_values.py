"""Values in errors, as a release shows them.

Follows `Error.ErrorBody` of k8s.io/apimachinery `pkg/util/validation/field`: from 1.34 on JSON, before that
what Go's `%#v` prints.
"""

from typing import Any

from fakeapi.machinery.golang.go_syntax import Dump
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.schema.nodes import List, Node
from fakeapi.machinery.schema.unversioned_json import unversioned_json
from fakeapi.releases.rules import ReleaseRules

HUB_VERSION = "v1"
"""The version whose types objects of the hub have."""


def plain(value: Any, rules: ReleaseRules) -> Any:
    """Nothing, a list of texts, or a text of a type with a name of its own."""
    return Dump(go_encode(value).decode()) if rules.quirks.wording.json_values else value


def struct(value: Any, type_name: str, rules: ReleaseRules, *, version: str = HUB_VERSION) -> Any:
    """A part of an object in the hub, of the type `type_name` of resource.k8s.io/`version`."""
    if not rules.quirks.wording.json_values or value is None:
        return plain(value, rules)
    return Dump(unversioned_json(value, rules.schemas.struct(f"resource/{version}.{type_name}")))


def items_of(holder: Any, name: str, type_name: str, rules: ReleaseRules) -> Any:
    """The list that a part of an object, of that type, has as its field `name`."""
    node: Node = rules.schemas.struct(type_name).fields[name].node
    assert isinstance(node, List)
    return Dump(unversioned_json(holder, node)) if holder is not None else plain(None, rules)
