"""Converts the bodies of requests and responses to the JSON of audit events.

Follows k8s.io/apiserver `pkg/audit/request.go`.
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


def patch_as_json(patch: bytes) -> bytes:
    """Returns a patch as compact JSON; empty if the patch is neither JSON nor YAML."""
    try:
        codec.decode(patch)
        return codec.compact(patch)
    except codec.JsonError:
        pass
    from fakeapi.machinery.golang import yaml_text  # noqa: PLC0415 - loads PyYAML, only for YAML

    try:
        return codec.encode(yaml_text.load(patch))
    except yaml_text.YamlError:
        return b""
