"""Server-side apply: merges an apply configuration into the stored object, or creates the object.

Follows k8s.io/apiserver `pkg/endpoints/handlers/patch.go` (applyPatcher). `fakeapi.machinery.apply` merges
the fields and computes the managedFields.
"""

from functools import partial
from typing import Any

from fakeapi.machinery import errors
from fakeapi.machinery.codec import JsonError, in_key_order
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.golang.numbers import parse_uint
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.meta.wording import Wording
from fakeapi.machinery.schema import raw_extension
from fakeapi.machinery.schema.decode_errors import UnstructuredDecodeErrors
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.decoding import complete, warn_of
from fakeapi.registry.requests.name_matching import check_name, match_namespace
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.store import LOCK_MESSAGE, WRITE_ATTEMPTS
from fakeapi.registry.verbs.changing import attempts
from fakeapi.registry.verbs.creating import admitted, insert

_BEYOND_FLOAT = lazy_pattern(rb"[0-9]{309}")
"""Matches 309 digits in a row: such a number may be too large for a float64."""


async def apply(request: ServerWrite, body: bytes) -> WriteResult:
    """Applies an apply configuration to the stored object, or creates the object.

    Raises ApiError:

    - 400: the body is malformed
    - 403, or another code of an admission plugin: the user may not create the object, or admission rejects it
    - 404: the request is for a subresource of a missing object
    - 409: field managers or resourceVersions conflict, or other clients keep changing the object
    - 422: the resulting object is invalid
    - 500: the configuration does not fit the schema
    """
    server, resource, target = request.server, request.resource, request.target
    for _ in range(WRITE_ATTEMPTS):
        exists = server.store.storage.newest(resource.key(target.namespace, target.name)) is not None
        if exists or not _creates(resource, target.subresource):
            return await _change(request, body)
        step = partial(applied, request, None, body)
        new = await server.heavy.run(len(body), step)
        match_namespace(resource, target, new["metadata"])
        new = await admitted(request, new)
        _check_version(new["metadata"].get("resourceVersion", ""))
        try:
            return await insert(request, new)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
    raise errors.conflict(resource.qualified, target.name, LOCK_MESSAGE)


def _creates(resource: Resource, subresource: str) -> bool:
    """Whether an apply creates an object that does not exist. `subresource`: "" for the object itself."""
    if not subresource:
        return True
    strategy = resource.strategy_for(subresource)
    return strategy.creates_on_update or strategy.creates_on_apply


async def _change(request: ServerWrite, body: bytes) -> WriteResult:
    for attempt in attempts(request):
        async with attempt as old:
            step = partial(applied, request, old, body)
            new = await attempt.run(len(body), step)
            await attempt.check(new)
        result = await attempt.commit()
        if result is not None:
            return result
    raise AssertionError("the attempts end with an error")


def applied(request: ServerWrite, old: Object | None, body: bytes) -> Object:
    """Returns `old` with the apply configuration applied and with new managedFields.

    If `old` is None, returns a new object. Raises ApiError if the body is malformed, does not fit the schema
    or the request, or conflicts with another field manager.
    """
    server, resource, target, options = request.server, request.resource, request.target, request.options
    wording = resource.release.quirks.wording
    config, repeated = read_configuration(body, wording)
    new = resource.manager(target.subresource).apply(
        old, config, options.manager, server.store.now(), force=options.force, typed=partial(_typed, request)
    )
    if repeated and options.validation == "Strict":
        why = f"error converting YAML to JSON: {repeated}"
        raise errors.bad_request(f"error strict decoding {wording.applied}: {why}")
    if repeated and options.validation == "Warn":
        warn_of(repeated, request.warnings)
    if old is None and new["metadata"].get("uid"):
        uid = new["metadata"]["uid"]
        why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        raise errors.conflict(resource.qualified, target.name, why)
    check_name(resource, target, new)
    return new


def read_configuration(body: bytes, wording: Wording) -> tuple[Object, str]:
    """Decodes an apply configuration from YAML or JSON; returns it with a message about duplicate keys.

    The message is "" if no key is duplicate. `wording`: the error texts of the release. An empty body or null
    gives {}. Raises ApiError 400 if the body is malformed or is another value than an object.
    """
    value, repeated = _read(body, wording)
    if value is None:
        return {}, repeated
    if not isinstance(value, dict):
        kind = {list: "array", str: "string", bool: "bool"}.get(type(value), "number")
        raise errors.bad_request(
            f"error decoding {wording.applied}: error unmarshaling JSON: while decoding JSON: "
            f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
        )
    return value, repeated


def _read(body: bytes, wording: Wording) -> tuple[Any, str]:
    """Decodes a body from JSON or YAML; returns the value and a message about duplicate keys.

    Uses the JSON decoder if possible, because the YAML decoder is slower. Uses the YAML decoder for two kinds
    of JSON bodies:

    - with duplicate keys, to get the message of the YAML decoder
    - with numbers beyond a float64, because YAML reads such numbers as strings

    The result has sorted keys, because Kubernetes sorts the keys when it converts YAML to JSON. An error
    about unknown fields therefore names the same field first. Raises ApiError 400 if the body is malformed.
    """
    try:
        value = json_decoding.decode_lenient(body)
        if not _BEYOND_FLOAT.search(body) and not json_decoding.duplicate_errors_of(body):
            return in_key_order(value), ""
    except JsonError:
        pass
    from fakeapi.machinery.golang import yaml_text  # noqa: PLC0415 - loads PyYAML, only for YAML

    try:
        loaded = yaml_text.load_strictly(body)
    except yaml_text.YamlError as error:
        why = f"error converting YAML to JSON: {error}"
        raise errors.bad_request(f"error decoding {wording.applied}: {why}") from None
    return loaded.value, loaded.strict_error


def _check_version(version: str) -> None:
    """Raises ApiError 500 if `version`, the resourceVersion of a new object, is not a number."""
    try:
        parse_uint(version or "0")
    except ValueError as error:
        raise ApiError(500, "", str(error)) from None


def _typed(request: ServerWrite, merged: Object) -> Object:
    resource = request.resource
    if resource.kind.unstructured:
        return resource.of_apply(merged)
    request.sent.keep(merged, resource.schema)
    new, _ = decode(merged, resource.schema, UnstructuredDecodeErrors())
    return complete(
        resource.body_type, raw_extension.mapped(new, resource.schema, raw_extension.marshalled), merged
    )
