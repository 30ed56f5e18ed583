"""Warns about schemas with `x-kubernetes-list-type: set` whose items are arrays or objects.

Follows k8s.io/apiextensions-apiserver `pkg/registry/customresourcedefinition/strategy.go`.
"""

from collections.abc import Iterator

from fakeapi.kinds.apiextensions.internal_form import internal_spec
from fakeapi.kinds.apiextensions.validation.schemas import every
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.structural.schema import Schema
from fakeapi.releases.rules import ReleaseRules


def set_warnings(definition: Object, rules: ReleaseRules) -> list[str]:
    """Returns warnings about a CustomResourceDefinition that has sets of arrays or sets of objects.

    A set is a list with `x-kubernetes-list-type: set`. Returns at most two warnings: one about sets of
    arrays, one about sets of objects. Returns an empty list in releases without these warnings.
    """
    if not rules.quirks.custom.warns_of_sets:
        return []
    schemas = internal_spec(definition["spec"]).schemas
    return sorted({text for schema in schemas for text in _sets(schema)})


def _sets(schema: Schema) -> Iterator[str]:
    for node in every(schema):
        items = node.items
        if node.list_type == "set" and isinstance(items, Schema) and items.type in ("object", "array"):
            yield (
                f"x-kubernetes-list-type: set for items of type {quote(items.type)} is not supported by "
                "server-side apply or CEL validation rules"
            )
