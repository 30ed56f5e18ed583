"""Searches a schema for a feature at any depth. Walks can then skip the values of schemas without it."""

from collections.abc import Callable, Iterator

from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.schema import Schema


def structural_children(schema: Schema) -> Iterator[Schema]:
    """Yields the schemas of the items and members of a schema; properties are sorted by name.

    Omits branches such as anyOf.
    """
    items, others = one(schema.items), one(schema.additional_properties)
    if items is not None:
        yield items
    for name in sorted(schema.properties):
        yield schema.properties[name]
    if others is not None:
        yield others


def anywhere(test: Callable[[Schema], bool]) -> Callable[[Schema], bool]:
    """Returns a function: whether a schema, or a structural child of it at any depth, passes a test.

    The result is kept on each schema node.
    """

    def holds(schema: Schema) -> bool:
        known: bool | None = schema.walks.get(holds)
        if known is None:
            known = schema.walks[holds] = test(schema) or any(map(holds, structural_children(schema)))
        return known

    return holds
