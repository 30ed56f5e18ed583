"""Renders objects and lists in the representation that the client accepts."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from itertools import chain
from typing import Any

from msgspec.structs import replace

from fakeapi.http.context import RequestContext
from fakeapi.http.negotiation import (
    JSON,
    METADATA,
    METADATA_OR_TABLE,
    Representation,
    negotiate,
    offer_of,
    prettified,
)
from fakeapi.http.protobuf import encode_body, has_protobuf
from fakeapi.http.response import SEND_BYTES_MAX, LazyResponse, Response
from fakeapi.http.status import body_of
from fakeapi.http.stored_messages import list_body, object_body
from fakeapi.http.transform import Transform, separated, transform_for
from fakeapi.http.turns import Turns
from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.decoding import CBOR, PROTOBUF, YAML
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.verbs.listing import Listed
from fakeapi.releases.release import ReleaseKinds
from fakeapi_storage import Entry

_NOT_ACCEPTABLE = 406

MADE_WHILE_READ_FROM = SEND_BYTES_MAX
"""Minimum size, in bytes, of a list in compact JSON that is generated while the client reads the list.

This saves memory.
"""

RENDERED_BESIDE_FROM = 2_000
"""Minimum number of items in a list that a thread renders, unless the list can be generated in pieces."""

RENDERED_BESIDE_BYTES = 256 * 1024
"""Minimum size, in bytes, of a list that a thread renders, even if the list has few items."""

_UNPRINTABLE = lazy_pattern("[\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")
"""Characters that JSON allows but go-yaml rejects. kube-apiserver creates YAML by parsing JSON as YAML."""


def negotiate_for(ctx: RequestContext, resource: Resource, *, tables: bool = True) -> None:
    """Chooses the representation of the response by the Accept header, and stores it in the context.

    `tables`: whether the client may request a Table, if the resource has one. Raises ApiError 406 if the
    client accepts no available representation.
    """
    tables = tables and resource.can_be_table(ctx.object.subresource)
    conversions = METADATA_OR_TABLE if tables else METADATA
    accept = ctx.request.header(b"accept")
    custom, offer = resource.kind.unstructured, offer_of(resource.release)
    shape = negotiate(accept, conversions, offer.answered, plain_protobuf=not custom)
    if shape.media_type == PROTOBUF and not custom and not has_protobuf(resource.schema):
        shape = negotiate(accept, conversions, offer.without_protobuf)
    ctx.representation = prettified(shape, ctx.request.query.first, ctx.agent)


def respond(ctx: RequestContext, resource: Resource, body: bytes, status: int = 200) -> Response:
    """Returns a response with an object in the negotiated representation. `body`: the JSON of the object.

    Raises ApiError:

    - 400 for an invalid Table parameter,
    - 406 if the client requests a list kind, such as PartialObjectMetadataList,
    - 500 if YAML cannot represent the object.
    """
    transform = transform_of(ctx, resource)
    return _response(ctx, status, body if transform is None else transform.of_object(body))


def respond_stored(ctx: RequestContext, resource: Resource, entry: Entry) -> Response | None:
    """Returns a response with a stored object in protobuf.

    Returns None if the response needs the object's JSON: for another representation, or for an audit event.
    """
    if not _takes_messages(ctx):
        return None
    return Response(200, object_body(resource, entry), PROTOBUF, ctx.warnings.texts)


def _takes_messages(ctx: RequestContext) -> bool:
    """Whether the response has cached messages: for unconverted objects in protobuf, without an audit."""
    return ctx.representation.media_type == PROTOBUF and not ctx.representation.kind and ctx.audit is None


def respond_result(ctx: RequestContext, resource: Resource, result: WriteResult) -> Response:
    """Returns the response to a write, with status 200, 201 or 202.

    Stores the name and the resourceVersions of the written object in the context, for the journal.

    Raises ApiError:

    - 400 for an invalid Table parameter,
    - 406 if the client requests a list kind, such as PartialObjectMetadataList,
    - 500 if YAML cannot represent the object.
    """
    ctx.written = result.written
    status = 201 if result.created else 202 if result.accepted else 200
    if result.is_status:
        return _response(ctx, status, result.body)
    return respond(ctx, resource, result.body, status)


async def respond_list(ctx: RequestContext, resource: Resource, listed: Listed, turns: Turns) -> Response:
    """Returns a response with a list in the negotiated representation.

    The server generates a long list in compact JSON while the client reads it. A thread renders other long
    lists, after the server has reserved memory for them.

    Raises ApiError:

    - 400 for an invalid Table parameter,
    - 406 if the client requests a kind that is not a list,
    - 500 if YAML cannot represent the list.

    Raises NoRoom if memory is short, and ClientGone if the client disconnects.
    """
    shape, gone = ctx.representation, ctx.request.gone
    transform = transform_of(ctx, resource)
    if _takes_messages(ctx):
        return await _respond_protobuf(ctx, resource, listed, turns)
    pieces = list_pieces(resource, listed, transform, exact=shape.media_type == PROTOBUF)
    parts = [next(pieces)]
    size = sum([len(entry.value) for entry in listed.entries])
    if shape.media_type == JSON and not shape.pretty:
        while size < MADE_WHILE_READ_FROM or transform is not None:
            if (piece := next(pieces, None)) is None:
                return _response(ctx, 200, b"".join(parts))
            parts.append(piece)
            if sum(map(len, parts)) >= MADE_WHILE_READ_FROM:
                break
        rest: Iterable[bytes] = chain(pieces, (b"\n",))
        start = b"".join(parts)
        if ctx.audit is not None:
            rest = ctx.audit.collected(start, rest)
        return LazyResponse(
            200,
            start,
            shape.media_type,
            ctx.warnings.texts,
            pieces=rest,
            turn=turns.parts,
            gone=gone,
            write_now=ctx.request.write_now,
        )
    if size < RENDERED_BESIDE_BYTES and len(listed.entries) < RENDERED_BESIDE_FROM:
        return _response(ctx, 200, b"".join((*parts, *pieces)))
    async with ctx.request.room(size), turns.threads.held(gone):
        return await asyncio.to_thread(lambda: _response(ctx, 200, [*parts, *pieces]))


async def _respond_protobuf(
    ctx: RequestContext, resource: Resource, listed: Listed, turns: Turns
) -> Response:
    """Returns a response with a list in protobuf. Encodes one long list at a time."""
    empty = b"".join(list_pieces(resource, replace(listed, entries=[])))
    size = sum([len(entry.value) for entry in listed.entries])
    async with AsyncExitStack() as held:
        if size >= RENDERED_BESIDE_BYTES:
            await held.enter_async_context(ctx.request.room(size))
            await held.enter_async_context(turns.threads.held(ctx.request.gone))
        body = await list_body(resource, listed.entries, empty)
        return Response(200, body, PROTOBUF, ctx.warnings.texts)


def transform_of(ctx: RequestContext, resource: Resource) -> Transform | None:
    """Returns the conversion that the client requested, such as to a Table; None for no conversion.

    Raises ApiError 400 for an invalid parameter of the conversion.
    """
    return transform_for(resource, ctx.representation, ctx.request.query.first, lambda: ctx.received)


def _response(ctx: RequestContext, status: int, body: bytes | list[bytes]) -> Response:
    """Returns a response in the negotiated representation.

    If this representation is impossible, the response is the error 406. `body`: the JSON of an object, or the
    pieces of a list from `list_pieces`. Raises ApiError 500 if YAML cannot represent the object.
    """
    shape = ctx.representation
    kinds = ctx.resource.release.all_kinds if ctx.resource else None
    try:
        content = render(body, shape, kinds) if isinstance(body, bytes) else _render_list(body, shape, kinds)
    except ApiError as error:
        if error.code != _NOT_ACCEPTABLE:
            raise
        status, body = error.code, body_of(error)
        content = render(body, shape, kinds)
    if ctx.audit is not None:
        ctx.audit.note_response(body if isinstance(body, bytes) else b"".join(body))
    return Response(status, content, shape.media_type, ctx.warnings.texts)


def render(body: bytes, shape: Representation, kinds: ReleaseKinds | None = None) -> bytes:
    """Converts the JSON of an object or a list to the representation `shape`.

    `kinds`: the kinds of the object's release; None uses the kinds of the newest release. Raises ApiError 406
    for a kind without a protobuf message, and 500 for characters that YAML cannot represent.
    """
    if shape.media_type == PROTOBUF:
        return encode_body(body, kinds)
    if shape.media_type == CBOR:
        from fakeapi.http.cbor import encode_body as encode_cbor  # noqa: PLC0415 - loaded only for CBOR

        return encode_cbor(body, kinds)
    if shape.media_type == YAML:
        _check_printable(body)
        return _yaml(codec.decode(body))
    if shape.pretty:
        return indented(codec.decode(body))
    return body + b"\n"


def _render_list(pieces: list[bytes], shape: Representation, kinds: ReleaseKinds | None) -> bytes:
    """Converts a long list to the representation `shape`. `pieces`: the JSON of the list.

    For YAML and indented JSON, decodes piece by piece. Decoding a long body in one call would block all other
    threads. Raises ApiError 406 for a kind without a protobuf message, and 500 for characters that YAML
    cannot represent.
    """
    if shape.media_type != YAML and not (shape.media_type == JSON and shape.pretty):
        return render(b"".join(pieces), shape, kinds)
    start, *rest, end = pieces
    value = codec.decode(start + end)
    *_, name = value  # the last member is the list: items, or the rows of a Table
    for piece in rest:
        if piece == b",":
            continue
        if shape.media_type == YAML:
            _check_printable(piece)
        value[name] += codec.decode(b"[%b]" % piece)
    return _yaml(value) if shape.media_type == YAML else indented(value)


def _check_printable(body: bytes) -> None:
    """Raises ApiError 500 if JSON contains a character that go-yaml rejects."""
    if _UNPRINTABLE.search(body.decode()):
        raise ApiError(500, "", "yaml: control characters are not allowed")


def _yaml(value: Any) -> bytes:
    from fakeapi.machinery.golang import yaml_encoding  # noqa: PLC0415 - imports PyYAML, loaded only for YAML

    return yaml_encoding.dump(value)


def indented(value: Any) -> bytes:
    """Returns JSON with an indentation of two spaces and without a final newline, like Go's MarshalIndent."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace")


def list_pieces(
    resource: Resource, listed: Listed, transform: Transform | None = None, *, exact: bool = False
) -> Iterator[bytes]:
    """Yields the JSON of a list in pieces. Generates each piece on demand.

    - `transform`: converts the list, for example to a Table; None for no conversion.
    - `exact`: whether opaque values of DRA drivers keep their bytes, as in protobuf.
    """
    metadata: dict[str, Any] = {"resourceVersion": str(listed.revision)}
    if listed.continue_token or (resource.kind.unstructured and transform is None):
        metadata["continue"] = listed.continue_token
    if listed.remaining is not None:
        metadata["remainingItemCount"] = listed.remaining
    if listed.shards:
        metadata["shardInfo"] = {"selector": listed.shards}
    if transform is not None:
        yield from transform.of_list(metadata, listed.entries)
        return
    start = codec.encode(
        {"kind": resource.kind.list_kind, "apiVersion": resource.api_version, "metadata": metadata}
    )
    yield b'%b,"items":[' % start[:-1]
    yield from separated(resource.items_of(listed.entries, exact=exact))
    yield b"]}"
