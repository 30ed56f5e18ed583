"""Fills in the defaults of a schema.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/schema/defaulting`.
"""

from typing import Any

from fakeapi.machinery.structural.pruning import one
from fakeapi.machinery.structural.schema import Schema, copied


def default(obj: Any, schema: Schema | None) -> None:
    """Sets, in place, members that are missing, and those that are null and may not be, to copies of their
    defaults; then fills in what is missing within them.

    `nulls.prune_nulls` comes first: it removes the nulls that have no default to replace them.
    """
    if schema is None:
        return
    match obj:
        case dict():
            for name, below in schema.properties.items():
                if below.default is not None and (name not in obj or _is_refused_null(obj[name], below)):
                    obj[name] = copied(below.default)
            others = one(schema.additional_properties)
            for name, member in obj.items():
                below_ = schema.properties.get(name)
                if below_ is None and _is_refused_null(member, others):
                    obj[name] = copied(others.default) if others is not None else None
                default(obj[name], below_ or others)
        case list():
            items = one(schema.items)
            for index, item in enumerate(obj):
                if items is not None and _is_refused_null(item, items):
                    obj[index] = copied(items.default)
                default(obj[index], items)


def _is_refused_null(value: Any, schema: Schema | None) -> bool:
    return value is None and schema is not None and not schema.nullable
