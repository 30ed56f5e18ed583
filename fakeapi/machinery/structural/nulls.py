"""Removes nulls that the schema of an object does not allow.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/defaulting`
(PruneNonNullableNullsWithoutDefaults).
"""

from typing import Any

from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.schema import Schema


def prune_nulls(obj: Any, schema: Schema | None) -> None:
    """Removes null members of objects in place, unless they are nullable or have a default.

    `defaulting.default` replaces nulls that have a default. Keeps null items of lists, and unknown members.

    `schema`: the schema of `obj`; with None, all members are unknown
    """
    match obj:
        case dict():
            gone = []
            for name, member in obj.items():
                below = _schema_of(name, schema)
                if member is None and below is not None and not below.nullable and below.default is None:
                    gone.append(name)
                elif isinstance(member, dict | list):
                    prune_nulls(member, below)
            for name in gone:
                del obj[name]
        case list():
            items = one(schema.items) if schema is not None else None
            for item in obj:
                prune_nulls(item, items)


def _schema_of(name: str, schema: Schema | None) -> Schema | None:
    if schema is None:
        return None
    return schema.properties.get(name) or one(schema.additional_properties)
