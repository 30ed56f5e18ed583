"""Applies JSON merge patches (RFC 7386) like Kubernetes, which uses gopkg.in/evanphx/json-patch v4.12.

Errors follow k8s.io/apiserver `pkg/endpoints/handlers/patch.go`, in all releases.
"""

from typing import Any

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.errors import bad_request
from fakeapi.machinery.golang.json_decoding import (
    check_untyped,
    decode_marking_duplicates,
    duplicate_errors_of,
    json_kind,
)

_BAD_PATCH = "Invalid JSON Patch"


def decode_patch(body: bytes, *, checked: bool = True) -> Any:
    """Decodes a JSON merge patch. Raises ApiError 400 if the body is not a JSON object.

    `checked`: False for fieldValidation=Ignore. The patch may then also be a list.
    """
    try:
        patch = decode_marking_duplicates(body)
        if checked:
            check_untyped(body)
    except JsonError as error:
        raise bad_request(f"error decoding patch: {error}" if checked else _BAD_PATCH) from error
    if isinstance(patch, dict) or (isinstance(patch, list) and not checked):
        return patch
    if patch is None or not checked:
        raise bad_request(_BAD_PATCH)
    raise bad_request(
        "error decoding patch: json: cannot unmarshal "
        f"{json_kind(patch)} into Go value of type map[string]interface {{}}"
    )


def strict_errors(body: bytes) -> list[str]:
    """Returns the strict errors for repeated keys in a JSON merge patch itself.

    In a response, these errors precede the errors of the patched object.
    """
    return duplicate_errors_of(body)


def apply(patch: Any, document: dict[str, Any]) -> Any:
    """Applies a JSON merge patch and returns the patched document.

    The result shares unchanged parts with `document`; neither argument is changed. Objects that the patch
    mentions have sorted keys, because Go encodes them again. A patch that is a list replaces the document.
    """
    return _merged(document, patch) if isinstance(patch, dict) else _pruned(patch)


def _merged(document: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    merged = dict(document)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
            continue
        current = merged.get(key)
        if isinstance(current, dict):
            # A list that replaces an object keeps its nulls.
            merged[key] = _merged(current, value) if isinstance(value, dict) else value
        else:
            merged[key] = _pruned(value)
    return dict(sorted(merged.items()))


def _pruned(value: Any) -> Any:
    """Returns a copy of a JSON value with sorted keys and without null members of objects, at any depth."""
    if isinstance(value, dict):
        return {key: _pruned(item) for key, item in sorted(value.items()) if item is not None}
    if isinstance(value, list):
        return [_pruned(item) for item in value]
    return value
