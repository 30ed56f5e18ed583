"""Searches a schema for a feature at any depth. Walks can then skip the values of schemas without it."""

from collections.abc import Callable, Iterator

from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.schema import Schema


def anywhere(test: Callable[[Schema], bool]) -> Callable[[Schema], bool]:
    """Returns a function: whether a schema, or a schema of its members and items, passes a test.

    The result is kept on each schema node. The function does not look into branches such as anyOf.
    """

    def holds(schema: Schema) -> bool:
        known: bool | None = schema.walks.get(holds)
        if known is None:
            known = schema.walks[holds] = test(schema) or any(map(holds, _below(schema)))
        return known

    return holds


def _below(schema: Schema) -> Iterator[Schema]:
    yield from schema.properties.values()
    for several in (schema.additional_properties, schema.items):
        single = one(several)
        if single is not None:
            yield single
