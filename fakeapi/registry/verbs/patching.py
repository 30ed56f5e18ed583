"""Patch: applies a JSON, merge or strategic merge patch to the stored object, and updates the object.

Follows k8s.io/apiserver `pkg/endpoints/handlers/patch.go`. If another client changes the object first, the
server applies the patch again to the newest state, unless the patch contains a resourceVersion.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.field_errors import invalid
from fakeapi.machinery.golang.fmt import printed
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch import json_patch, merge_patch, strategic_merge
from fakeapi.machinery.patch.media_types import JSON_PATCH, MERGE_PATCH
from fakeapi.machinery.schema import raw_extension
from fakeapi.machinery.schema.decode_errors import UnstructuredDecodeErrors
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.decoding import (
    Unreadable,
    check_kind,
    complete,
    conversion_problem,
    type_of,
    warn_or_refuse,
)
from fakeapi.registry.requests.name_matching import check_name
from fakeapi.registry.requests.options import Warnings, WriteResult
from fakeapi.registry.requests.sent_document import SentDocument
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.verbs.changing import attempts, restored


class Patch(Protocol):
    """A decoded JSON, merge or strategic merge patch."""

    strict: Sequence[str]
    """Messages about unknown and duplicate fields in the patch itself."""
    typed: bool
    """Whether the patch applies to the typed object, as strategic merge patches do.

    If so, the server ignores kind and apiVersion of the result.
    """

    def applied_to(self, old: Object, resource: Resource) -> Any:
        """Returns the patched document, which may have any JSON type.

        Raises ApiError if the patch cannot be applied to `old`.
        """
        ...

    def value_in_errors(self, document: Any) -> str:
        """Returns the invalid value that an error message prints, as text.

        Some patch types print the patched document, others print the patch itself.
        """
        ...


class _JsonPatch:
    typed = False

    def __init__(self, body: bytes, *, checked: bool) -> None:
        self._operations = json_patch.decode_operations(body, checked=checked)
        self.strict: Sequence[str] = json_patch.strict_errors(body) if checked else ()

    def applied_to(self, old: Object, resource: Resource) -> Any:
        return json_patch.apply(self._operations, _compact(old, resource))

    def value_in_errors(self, document: Any) -> str:
        return go_encode(document).decode()


class _MergePatch:
    typed = False

    def __init__(self, body: bytes, *, checked: bool) -> None:
        self._patch = merge_patch.decode_patch(body, checked=checked)
        self.strict: Sequence[str] = merge_patch.strict_errors(body) if checked else ()

    def applied_to(self, old: Object, resource: Resource) -> Any:
        return merge_patch.apply(self._patch, _compact(old, resource))

    def value_in_errors(self, document: Any) -> str:
        return go_encode(document).decode()


class _StrategicMergePatch:
    typed = True

    def __init__(self, body: bytes, *, checked: bool) -> None:
        self._patch = strategic_merge.decode_patch(body)
        self.strict: Sequence[str] = strategic_merge.strict_errors(body) if checked else ()

    def applied_to(self, old: Object, resource: Resource) -> Any:
        keeps = resource.release.quirks.merge_keeps_directives
        return strategic_merge.apply(self._patch, old, resource.schema, keeps_directives=keeps)

    def value_in_errors(self, document: Any) -> str:
        return printed(self._patch)


def read_patch(body: bytes, media_type: str, validation: str) -> Patch:
    """Decodes a JSON, merge or strategic merge patch.

    `validation`: the query parameter fieldValidation. Raises ApiError 400 if the patch is malformed, or 413
    if a JSON patch has too many operations.
    """
    checked = validation != "Ignore"
    if media_type == JSON_PATCH:
        return _JsonPatch(body, checked=checked)
    if media_type == MERGE_PATCH:
        return _MergePatch(body, checked=checked)
    return _StrategicMergePatch(body, checked=checked)


def _compact(old: Object, resource: Resource) -> Object:
    """Returns the object with its RawExtension values as compact JSON, like Go's encoding/json."""
    compact: Object = raw_extension.mapped(old, resource.schema, raw_extension.compact)
    return compact


async def patch(request: ServerWrite, body: bytes, media_type: str) -> WriteResult:
    """Patches the stored object by a JSON, merge or strategic merge patch.

    Reads the object before the body, so that the error 404 precedes errors of the body.

    Raises ApiError:

    - 400: the patch is malformed
    - 403, or another code of an admission plugin: admission rejects the change
    - 404: the object does not exist
    - 409: the resourceVersion in the patch is not the stored one, or other clients keep changing the object
    - 413: a JSON patch has too many operations
    - 422: the patch cannot be applied, or the patched object is invalid
    """
    resource, options = request.resource, request.options
    manager = resource.manager(request.target.subresource)
    decoded: Patch | None = None
    sent = None if resource.kind.unstructured else request.sent

    def changed(old: Object) -> Object:
        nonlocal decoded
        if decoded is None:
            decoded = read_patch(body, media_type, options.validation)
        new = patched(resource, decoded, old, options.validation, request.warnings, sent)
        return manager.update(
            old, new, options.manager, request.server.store.now(), partial(restored, request)
        )

    for attempt in attempts(request):
        async with attempt as old:
            new = await attempt.run(len(body), partial(changed, old))
            check_name(resource, request.target, new)
            await attempt.check(new)
        result = await attempt.commit()
        if result is not None:
            return result
    raise AssertionError("the attempts end with an error")


def patched(
    resource: Resource,
    decoded: Patch,
    old: Object,
    validation: str,
    warnings: Warnings,
    sent: SentDocument | None = None,
) -> Object:
    """Returns the patched object in canonical form, with defaults.

    - `validation`: the query parameter fieldValidation.
    - `sent`: receives the patched document.

    Raises ApiError if the patch cannot be applied, or if the patched document is not an object of the
    resource's kind. With Strict, also raises ApiError for unknown and duplicate fields.
    """
    document = decoded.applied_to(old, resource)
    if sent is not None:
        sent.keep(document, resource.schema)

    def refuse(why: str) -> ApiError:
        return errors.invalid(
            Qualified("", ""), "", [invalid("patch", decoded.value_in_errors(document), why)]
        )

    body = resource.body_type
    try:
        problem = "" if decoded.typed else conversion_problem(body, *type_of(document, body))
        check_kind(document, body, lambda: decoded.value_in_errors(document))
    except Unreadable as error:
        raise refuse(str(error)) from None
    if problem:
        raise refuse(problem)
    try:
        if decoded.typed:
            new, unknown = decode(document, resource.schema, UnstructuredDecodeErrors())
            unknown.sort()
        elif resource.kind.unstructured:
            new, unknown = decode(document, resource.schema)
        elif not document.get("apiVersion"):
            new, unknown = _of_no_version(resource, document)
        else:
            new, unknown = resource.versions.read(document, resource.kind)
    except DecodeError as error:
        raise refuse(str(error)) from None
    refusal = warn_or_refuse([*decoded.strict, *unknown], validation, warnings)
    if refusal:
        raise refuse(refusal)
    return complete(
        resource.body_type, raw_extension.mapped(new, resource.schema, raw_extension.marshalled), document
    )


def _of_no_version(resource: Resource, document: Object) -> tuple[Object, list[str]]:
    """Decodes a patched document without apiVersion: returns an empty object and one error per field.

    Kubernetes decodes such a document as the internal version of the kind. Types of the internal version have
    no JSON names, so all fields of the document are unknown.
    """
    empty, _ = decode({}, resource.schema)
    return empty, [f'unknown field "{key}"' for key in sorted(document) if key not in ("kind", "apiVersion")]
