"""Removes managed fields from the objects of audit events, for the option `omitManagedFields`.

Follows `copyWithoutManagedFields` of k8s.io/apiserver `pkg/audit/request.go`.
"""

from typing import Any

from fakeapi.machinery import codec


def without_managed_fields(body: bytes) -> bytes:
    """Returns the JSON of an object without its managed fields.

    Also removes the managed fields of the items of a list, and of the objects in the rows of a Table.
    """
    if b'"managedFields":' not in body:
        return body
    value = codec.decode(body)
    _remove(value)
    for item in value.get("items") or ():
        _remove(item)
    for row in value.get("rows") or ():
        _remove(row.get("object"))
    return codec.encode(value)


def _remove(value: Any) -> None:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    if isinstance(metadata, dict):
        metadata.pop("managedFields", None)
