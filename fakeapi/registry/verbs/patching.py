"""What a patch means: the stored object, changed, and then treated like an update.

Follows k8s.io/apiserver `pkg/endpoints/handlers/patch.go`. A patch that names no resourceVersion never
conflicts: it is applied to whatever is the newest state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
from fakeapi.registry.options import ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.request_decoding import (
    Unreadable,
    complete,
    conversion_problem,
    type_of,
    warn_or_refuse,
)
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store, deduplicate_owners


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch that was read. `strict` are the texts about its own unknown and duplicate fields."""

    apply: Callable[[Object], Any]
    strict: tuple[str, ...]
    shown: Callable[[Any], str]
    """How a refusal shows what it refuses: the patched document, or the patch."""
    typed: bool = False
    """It is applied to the typed object, so that kind and apiVersion of the result mean nothing."""


def read_patch(resource: Resource, body: bytes, media_type: str, validation: str) -> Patch:
    """The patch in a body of one of the patch types. Raises ApiError 400, 413."""
    checked = validation != "Ignore"
    if media_type == JSON_PATCH:
        operations = json_patch.decode_operations(body, checked=checked)
        strict = json_patch.strict_errors(body) if checked else []
        return Patch(lambda old: json_patch.apply(operations, old), tuple(strict), _document)
    if media_type == MERGE_PATCH:
        patch = merge_patch.decode_patch(body, checked=checked)
        strict = merge_patch.strict_errors(body) if checked else []
        return Patch(lambda old: merge_patch.apply(patch, old), tuple(strict), _document)
    wanted = strategic_merge.decode_patch(body)
    keeps = resource.release.quirks.merge_keeps_directives
    strict = strategic_merge.strict_errors(body) if checked else []
    return Patch(
        lambda old: strategic_merge.apply(wanted, old, resource.schema, keeps_directives=keeps),
        tuple(strict),
        lambda document: printed(wanted),
        typed=True,
    )


def _document(patched: Any) -> str:
    return go_encode(patched).decode()


async def patch(
    store: Store,
    resource: Resource,
    target: ObjectReference,
    wanted: Callable[[], Patch],
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    """Apply a patch to the stored object. `wanted` reads it, once it is known that the object exists.

    Raises ApiError: 404, 409, 415, 422.
    """
    manager = resource.managers[target.subresource]
    read: list[Patch] = []

    def change(old: Object | None) -> Object:
        if old is None:
            raise errors.not_found(resource.qualified, target.name)
        if not read:
            read.append(wanted())
        new = _patched(resource, read[0], old, options.validation, warnings)
        new = manager.update(old, new, options.manager, store.now())
        check_name(resource, target, new)
        deduplicate_owners(new, warnings, after_admission=True)
        return new

    return await store.modify(resource, target, change, options, warnings)


def _patched(resource: Resource, wanted: Patch, old: Object, validation: str, warnings: Warnings) -> Object:
    document = wanted.apply(
        old if wanted.typed else raw_extension.mapped(old, resource.schema, raw_extension.compact)
    )

    def refuse(why: str) -> ApiError:
        return errors.invalid(Qualified("", ""), "", [invalid("patch", wanted.shown(document), why)])

    try:
        problem = "" if wanted.typed else conversion_problem(resource, *type_of(document, resource))
    except Unreadable as error:
        raise refuse(str(error)) from None
    if problem:
        raise refuse(problem)
    try:
        if wanted.typed:
            new, unknown = decode(document, resource.schema, UnstructuredDecodeErrors())
            unknown.sort()
        elif not document.get("apiVersion"):
            new, unknown = _of_no_version(resource, document)
        else:
            new, unknown = resource.versions.read(document, resource.kind)
    except DecodeError as error:
        raise refuse(str(error)) from None
    refusal = warn_or_refuse([*wanted.strict, *unknown], validation, warnings)
    if refusal:
        raise refuse(refusal)
    return complete(resource, raw_extension.mapped(new, resource.schema, raw_extension.marshalled), document)


def _of_no_version(resource: Resource, document: Object) -> tuple[Object, list[str]]:
    """A document without a version is read as the server's internal type, which has no JSON names."""
    empty, _ = decode({}, resource.schema)
    return empty, [f'unknown field "{key}"' for key in sorted(document) if key not in ("kind", "apiVersion")]


def check_name(resource: Resource, target: ObjectReference, obj: Object) -> None:
    """The name and namespace of a body must be those of the path. Raises ApiError 400."""
    meta = obj["metadata"]
    match_namespace(resource, target, meta)
    name = meta.get("name", "")
    if not name:
        raise errors.bad_request(
            f"the name of the object ({target.name} based on URL) was undeterminable: name must be provided"
        )
    if name != target.name:
        raise errors.bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({target.name})"
        )


def match_namespace(resource: Resource, target: ObjectReference, meta: Object) -> None:
    """A body's namespace is the path's, or absent and then filled in. Raises ApiError 400."""
    expected = target.namespace if resource.kind.namespaced else ""
    given = meta.get("namespace", "")
    if not given and expected:
        meta["namespace"] = expected
    elif given != expected:
        if not expected:
            meta.pop("namespace", None)
            return
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
