"""One short coroutine a verb: read the request, ask the registry, write the answer.

Follows the order of checks of k8s.io/apiserver `pkg/endpoints/handlers`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from fakeapi.http import query as queries
from fakeapi.http.header_cache import remembered
from fakeapi.http.messages import Request, Response
from fakeapi.http.negotiation import (
    JSON,
    METADATA,
    METADATA_OR_TABLE,
    Representation,
    check_streamable,
    negotiate,
    not_routed,
    prettified,
)
from fakeapi.http.rendering import list_body, render
from fakeapi.http.transform import Conversion, conversion
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.patch.media_types import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from fakeapi.machinery.schema import protobuf
from fakeapi.machinery.schema.decoding import DecodeError, decode
from fakeapi.registry import stored_form
from fakeapi.registry.catalogue import Catalogue
from fakeapi.registry.columns import tabulates
from fakeapi.registry.options import ListOptions, ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.request_decoding import PROTOBUF, YAML, Unreadable, parse, read_object, stated_type
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store
from fakeapi.registry.verbs import applying, deleting, listing, patching
from fakeapi.releases.kinds import UNVERSIONED_KINDS

PATCH_TYPES = (
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_MERGE_PATCH,
    APPLY_PATCH,
)


_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PARAMETER = re.compile(rf";[ \t]*({_WORD})[ \t]*=")
_WELL_FORMED = re.compile(
    rf"[ \t]*{_WORD}(?:/{_WORD})?[ \t]*"
    rf'(?:;[ \t]*{_WORD}=(?:{_WORD}|"(?:[^"\\]|\\.)*")[ \t]*)*(?:;[ \t]*)?'
)


@dataclass(slots=True)
class Call:
    """One request on its way through a handler."""

    request: Request
    resource: Resource
    target: ObjectReference
    clock: Callable[[], float]
    warnings: Warnings = field(default_factory=Warnings)
    shape: Representation = field(default_factory=Representation)

    def negotiate(self, *, tables: bool = True) -> None:
        """Settle the representation, of tables where they can be had. Raises ApiError 406."""
        tables = tables and tabulates(self.resource, self.target.subresource)
        shape = negotiate(self.request.header(b"accept"), METADATA_OR_TABLE if tables else METADATA)
        self.shape = prettified(shape, self.request.query.first, self.request.user_agent)

    def conversion(self) -> Conversion | None:
        """What objects are shown as; None for themselves. Raises ApiError 400."""
        return conversion(self.resource, self.shape, self.request.query.first, self.clock)

    def streamed(self) -> Conversion | None:
        """What the objects of a watch are shown as. Raises ApiError 400, 406."""
        shown = self.conversion()
        check_streamable(self.shape)
        return shown

    def answer(self, outcome: WriteResult) -> Response:
        status = 201 if outcome.created else 202 if outcome.accepted else 200
        return self.respond(status, outcome.body)

    def respond(self, status: int, body: bytes) -> Response:
        """The JSON of an object, as the client wants it. Raises ApiError 400, 406."""
        shown = self.conversion()
        return self._response(status, body if shown is None else shown.of_object(body))

    def respond_list(self, listed: listing.Listed) -> Response:
        """A list, as the client wants it. Raises ApiError 400, 406."""
        return self._response(200, list_body(self.resource, listed, self.conversion()))

    def _response(self, status: int, body: bytes) -> Response:
        return Response(status, render(body, self.shape), self.shape.media_type, self.warnings.texts)


class Handlers:
    """The verbs of all resources."""

    def __init__(self, store: Store, catalogue: Catalogue) -> None:
        self._store = store
        self._catalogue = catalogue

    async def get(self, call: Call) -> Response:
        call.negotiate()
        version = queries.get_version(call.request.query)
        entry = self._store.get(call.resource, call.target, version)
        return call.respond(200, stored_form.with_version(entry.value, entry.revision))

    async def list(self, call: Call) -> Response:
        call.negotiate()
        options = queries.list_options(call.request.query, call.resource)
        listed = listing.list_entries(self._store.storage, call.resource, call.target, options)
        return call.respond_list(listed)

    async def create(self, call: Call) -> Response:
        call.negotiate()
        media_type = input_type(call.request)
        body = await call.request.body()
        options = queries.write_options(
            call.request.query, call.request.user_agent, "CreateOptions", call.resource
        )
        obj = read_object(call.resource, body, media_type, options.validation, call.warnings)
        patching.match_namespace(call.resource, call.target, obj["metadata"])
        self._check_namespace(call, obj["metadata"])
        return call.answer(await self._store.create(call.resource, call.target, obj, options, call.warnings))

    async def update(self, call: Call) -> Response:
        call.negotiate()
        body = await call.request.body()
        options = queries.write_options(
            call.request.query, call.request.user_agent, "UpdateOptions", call.resource
        )
        media_type = input_type(call.request)
        obj = read_object(call.resource, body, media_type, options.validation, call.warnings)
        patching.check_name(call.resource, call.target, obj)
        return call.answer(await self._store.update(call.resource, call.target, obj, options, call.warnings))

    async def patch(self, call: Call) -> Response:
        media_type = patch_type(call.request)
        call.negotiate()
        body = await call.request.body()
        options = queries.write_options(
            call.request.query, call.request.user_agent, "PatchOptions", call.resource, patch_type=media_type
        )

        if media_type == APPLY_PATCH:
            return await self._apply(call, body, options)

        def wanted() -> patching.Patch:
            return patching.read_patch(call.resource, body, media_type, options.validation)

        return call.answer(
            await patching.patch(self._store, call.resource, call.target, wanted, options, call.warnings)
        )

    async def _apply(self, call: Call, body: bytes, options: WriteOptions) -> Response:
        check_creation = partial(self._check_namespace, call)
        return call.answer(
            await applying.apply(
                self._store, call.resource, call.target, body, options, call.warnings, check_creation
            )
        )

    def _check_namespace(self, call: Call, meta: Object) -> None:
        self._catalogue.check_namespace(self._store.storage, call.resource, call.target, meta)

    async def delete(self, call: Call) -> Response:
        call.negotiate()
        options = queries.delete_options(call.request.query, await self._options_body(call), call.resource)
        self._catalogue.check_deletion(call.resource, call.target)
        return call.answer(await deleting.delete(self._store, call.resource, call.target, options))

    async def delete_collection(self, call: Call) -> Response:
        call.negotiate()
        selected: ListOptions = queries.list_options(call.request.query, call.resource)
        options = queries.delete_options(call.request.query, await self._options_body(call), call.resource)
        listed = listing.list_entries(self._store.storage, call.resource, call.target, selected)
        for entry in listed.entries:
            target = ObjectReference(call.target.namespace, entry.key.rpartition("/")[2])
            try:
                await deleting.delete(self._store, call.resource, target, options)
            except ApiError as error:
                if error.code != 404:
                    raise
        return call.respond_list(listed)

    async def _options_body(self, call: Call) -> Object | None:
        """DeleteOptions of the body; None where it is empty. Raises ApiError 400, 415."""
        body = await call.request.body()
        if not body:
            return None
        media_type = input_type(call.request)
        return read_delete_options(body, media_type, call.resource)


def check_patch_route(request: Request) -> None:
    """The router's look at a Content-Type: does it name a kind of patch, as one of several at least?

    Follows github.com/emicklei/go-restful `jsr311.go`, which lets a request without a body fail later, for
    want of what it could be answered in. Raises ApiError 406, 415.
    """
    named = request.header(b"content-type").split(",")
    if any(part.partition(";")[0].strip(" ") in PATCH_TYPES for part in named):
        return
    if request.header(b"content-length").strip() in ("", "0"):
        raise not_routed(())
    raise ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", errors.Details())


def patch_type(request: Request) -> str:
    """The kind of patch that a body is: what precedes a semicolon, to the letter. Raises ApiError 415."""
    header = request.header(b"content-type")
    media_type = header.partition(";")[0] or header
    if media_type not in PATCH_TYPES:
        raise unsupported_media_type(*PATCH_TYPES)
    return media_type


def input_type(request: Request) -> str:
    """The media type of a body, JSON where none is named. Raises ApiError 415."""
    header = request.header(b"content-type")
    if not header:
        return JSON
    media_type = parsed_media_type(header)
    if media_type in (JSON, YAML, PROTOBUF):
        return media_type
    raise unsupported_media_type(JSON, YAML, PROTOBUF)


def unsupported_media_type(*accepted: str) -> ApiError:
    media_types = ", ".join(accepted)
    return ApiError(
        415,
        "UnsupportedMediaType",
        f"the body of the request was in an unknown format - accepted media types include: {media_types}",
    )


@remembered
def parsed_media_type(header: str) -> str:
    """The media type of a Content-Type, in lower case; empty where Go's mime package finds none in it."""
    if not _WELL_FORMED.fullmatch(header):
        return ""
    names = [name.lower() for name in _PARAMETER.findall(header)]
    return header.partition(";")[0].strip().lower() if len(set(names)) == len(names) else ""


def read_delete_options(body: bytes, media_type: str, resource: Resource) -> Object:
    """DeleteOptions from a body. Raises ApiError 500 (untyped upstream) for what is none."""
    schema = resource.release.schemas.struct("meta/v1.DeleteOptions")
    try:
        if media_type == PROTOBUF:
            kind, api_version, raw = protobuf.unwrap(body)
            value = protobuf.decode(raw, schema)
        else:
            value, _ = parse(body, media_type)
            kind, api_version = stated_type(value)
        if kind in UNVERSIONED_KINDS:
            raise ApiError(500, "", f"converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion")
        if kind not in ("", "DeleteOptions"):
            scheme = 'scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"'
            raise ApiError(
                500, "", f'no kind "{kind}" is registered for version "{api_version or "v1"}" in {scheme}'
            )
        options, _ = decode(value, schema)
    except (Unreadable, DecodeError, protobuf.ProtobufError) as error:
        raise ApiError(500, "", str(error)) from None
    return options
