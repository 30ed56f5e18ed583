"""The verbs of resources, except watch.

Each verb reads the request, calls the registry and returns the response. The order of checks follows
k8s.io/apiserver `pkg/endpoints/handlers`.
"""

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import TypeAlias

from fakeapi.asgi import ROOM_FROM_BYTES
from fakeapi.http import query as queries
from fakeapi.http.context import RequestContext
from fakeapi.http.negotiation import JSON, body_type, offer_of, patch_type
from fakeapi.http.rendering import negotiate_for, respond, respond_list, respond_result, respond_stored
from fakeapi.http.response import AnyResponse, Response
from fakeapi.http.turns import Turns
from fakeapi.machinery import codec, errors
from fakeapi.machinery.cbor import CborError
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.wording import Wording
from fakeapi.machinery.patch.media_types import APPLY_CBOR_PATCH, APPLY_PATCH
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.connect_options import connect_options
from fakeapi.registry.admission.steps import mutate, run
from fakeapi.registry.model.body_type import BodyType
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.rerun import completed
from fakeapi.registry.requests.decoding import PROTOBUF, read_object
from fakeapi.registry.requests.delete_options import read_delete_options
from fakeapi.registry.requests.name_matching import check_name, match_namespace
from fakeapi.registry.requests.options import DeleteOptions, ListOptions, ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server
from fakeapi.registry.server_write import ServerWrite
from fakeapi.registry.verbs import applying, creating, deleting, listing, patching, scaling, updating
from fakeapi.registry.verbs.patch_bodies import check_body
from fakeapi_storage import Entry

Verb: TypeAlias = Callable[["Verbs", RequestContext, Resource], Awaitable[Response]]


def _after_commit(verb: Verb) -> Verb:
    """Decorates a verb: before the verb raises ApiError, it waits until all accepted writes are committed.

    Verbs check a write against accepted writes that may not be committed yet. Without the wait, a second
    DELETE could get 404 while a later LIST still contains the object.
    """

    @wraps(verb)
    async def call(verbs: "Verbs", ctx: RequestContext, resource: Resource) -> Response:
        try:
            return await verb(verbs, ctx, resource)
        except ApiError:
            await verbs._server.store.settle()  # noqa: SLF001 - the function decorates methods of this class
            raise

    return call


def _transcoded(body: bytes, wording: Wording) -> bytes:
    """Converts an apply configuration from CBOR to JSON. Raises ApiError 400 for invalid CBOR.

    `wording`: the texts of the release's error messages.
    """
    from fakeapi.machinery.cbor import decoding  # noqa: PLC0415 - loaded only for CBOR

    try:
        return codec.encode(decoding.decode(body))
    except CborError as error:
        raise errors.bad_request(f"error decoding {wording.applied}: {error}") from None


def _is_exact(ctx: RequestContext) -> bool:
    """Whether the response keeps opaque values of DRA drivers byte for byte: true for protobuf.

    Other representations contain these values as compact JSON.
    """
    return ctx.representation.media_type == PROTOBUF


def _media_type(ctx: RequestContext, resource: Resource) -> str:
    """Returns the media type of the request body.

    Raises ApiError 415 if the release does not accept this type.
    """
    return body_type(ctx.request.header(b"content-type"), offer_of(resource.release).answered)


class Verbs:
    """The verbs of all resources, except watch.

    Each verb can raise ApiError for an error response, StorageError if the storage fails, and ClientGone if
    the client disconnects.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._turns = Turns()

    async def get(self, ctx: RequestContext, resource: Resource) -> Response:
        view = resource.resource_of(ctx.object.subresource)
        negotiate_for(ctx, view)
        version = queries.get_version(ctx.request.query)
        entry = self._server.store.get(resource, ctx.object, version)
        if (size := len(entry.value)) >= ROOM_FROM_BYTES:
            async with ctx.request.room(size):
                return await self._respond_object(ctx, resource, view, entry)
        return await self._respond_object(ctx, resource, view, entry)

    @staticmethod
    async def _respond_object(
        ctx: RequestContext, resource: Resource, view: Resource, entry: Entry
    ) -> Response:
        """Returns a response with a stored object, or with its Scale.

        `view`: the resource of the response. If `view` differs from `resource`, the response is the Scale of
        the object.
        """
        if view is resource and (response := respond_stored(ctx, resource, entry)) is not None:
            return response
        show = partial(resource.json_of, entry.value, entry.revision, exact=_is_exact(ctx))
        body = await completed(show) if resource.kind.unstructured else show()
        return respond(ctx, view, body if view is resource else resource.scale_view.json_of(body))

    async def connect(self, ctx: RequestContext, resource: Resource) -> AnyResponse:
        """Handles a subresource that connects to a pod, service or node, such as exec, portforward or proxy.

        Runs admission first.
        """
        connection = resource.subresources[ctx.object.subresource].connection
        assert connection is not None, "routed to a subresource that connects"
        await self._admit_connection(ctx, resource)
        connected = await connection(self._server, resource, ctx.object, ctx.request.query.first)
        if connected is None:
            return Response(204, b"", "")
        from fakeapi.http.connections import respond_connected  # noqa: PLC0415 - loaded only when used

        return respond_connected(ctx, connected)

    async def _admit_connection(self, ctx: RequestContext, resource: Resource) -> None:
        steps = self._server.admission.steps(resource, ctx.object.subresource, Operation.CONNECT)
        kind = resource.subresources[ctx.object.subresource].kind
        options = connect_options(kind, ctx.request.query, "/".join(ctx.info.tail) if ctx.info else "")
        if options is None or not (steps.mutating or steps.validating):
            return
        user = WriteOptions(manager="", user=ctx.user)
        attributes = Attributes(Operation.CONNECT, resource, ctx.object, options, None, user, ctx.warnings)
        await mutate(steps.mutating, attributes)
        await run(steps.validating, attributes)

    async def list(self, ctx: RequestContext, resource: Resource) -> Response:
        negotiate_for(ctx, resource)
        options = queries.list_options(ctx.request.query, resource)
        listed = await self._listed(ctx, resource, options)
        return await respond_list(ctx, resource, listed, self._turns)

    async def _listed(self, ctx: RequestContext, resource: Resource, options: ListOptions) -> listing.Listed:
        storage = self._server.store.storage
        if options.fields is not None and not options.fields.empty:
            limit = 0 if options.labels is not None or options.continue_token else options.limit
            await listing.read_fields(storage, resource, ctx.object, options.fields, limit)
        read = partial(listing.list_entries, storage, resource, ctx.object, options)
        if not resource.kind.unstructured:
            return read()
        listed = await completed(read)
        await resource.prepare(listed.entries)
        return listed

    @_after_commit
    async def create(self, ctx: RequestContext, resource: Resource) -> Response:
        resource.check_method("create")
        negotiate_for(ctx, resource)
        media_type = _media_type(ctx, resource)
        body = await ctx.request.body()
        options = self._write_options(ctx, resource, "CreateOptions", body)
        subresource = resource.subresources.get(ctx.object.subresource)
        if subresource is not None and subresource.action is not None:
            obj = await self._read(ctx, subresource.body_type, body, media_type, options.validation)
            match_namespace(resource, ctx.object, obj["metadata"])
            write = self._write(ctx, resource, options)
            result = await subresource.action(write, await self._admitted(write, obj))
            return respond_result(ctx, resource, result)
        obj = await self._read(ctx, resource.body_type, body, media_type, options.validation)
        match_namespace(resource, ctx.object, obj["metadata"])
        write = self._write(ctx, resource, options)
        _keep_document(write, body, media_type)
        result = await creating.create(write, obj)
        return respond_result(ctx, resource, result)

    def _write(self, ctx: RequestContext, resource: Resource, options: WriteOptions) -> ServerWrite:
        return WriteRequest(self._server, resource, ctx.object, options, ctx.warnings)

    @staticmethod
    async def _admitted(write: ServerWrite, body: Object) -> Object:
        """Runs admission for the create of a subresource, such as an eviction. Returns the admitted body."""
        steps = write.server.admission.steps(write.resource, write.target.subresource, Operation.CREATE)
        attributes = Attributes.of(write, Operation.CREATE, body, None)
        await mutate(steps.mutating, attributes)
        await run(steps.validating, attributes)
        return attributes.new_object()

    @_after_commit
    async def update(self, ctx: RequestContext, resource: Resource) -> Response:
        view = resource.resource_of(ctx.object.subresource)
        negotiate_for(ctx, view)
        body = await ctx.request.body()
        options = self._write_options(ctx, resource, "UpdateOptions", body)
        media_type = _media_type(ctx, resource)
        obj = await self._read(ctx, view.body_type, body, media_type, options.validation)
        check_name(view, ctx.object, obj)
        update = updating.update if view is resource else scaling.update_scale
        write = self._write(ctx, resource, options)
        _keep_document(write, body, media_type)
        result = await update(write, obj)
        return respond_result(ctx, view, result)

    @_after_commit
    async def patch(self, ctx: RequestContext, resource: Resource) -> Response:
        offer = offer_of(resource.release)
        accepted = offer.custom_patches if resource.kind.unstructured else offer.patches
        media_type = patch_type(ctx.request.header(b"content-type"), accepted)
        is_cbor = media_type == APPLY_CBOR_PATCH
        media_type = APPLY_PATCH if is_cbor else media_type
        view = resource.resource_of(ctx.object.subresource)
        negotiate_for(ctx, view)
        body = await ctx.request.body()
        options = self._write_options(ctx, resource, "PatchOptions", body, patch_type=media_type)
        if is_cbor:
            body = _transcoded(body, resource.release.quirks.wording)
        elif resource.release.quirks.patches_are_checked_for_audit:
            await self._server.heavy.run(len(body), partial(check_body, body, media_type))
        if ctx.audit is not None:
            ctx.audit.note_patch(body)
        if media_type == APPLY_PATCH:
            return await self._apply(ctx, resource, body, options)
        patch = patching.patch if view is resource else scaling.patch_scale
        result = await patch(self._write(ctx, resource, options), body, media_type)
        return respond_result(ctx, view, result)

    async def _apply(
        self, ctx: RequestContext, resource: Resource, body: bytes, options: WriteOptions
    ) -> Response:
        view = resource.resource_of(ctx.object.subresource)
        apply = applying.apply if view is resource else scaling.apply_scale
        result = await apply(self._write(ctx, resource, options), body)
        return respond_result(ctx, view, result)

    @_after_commit
    async def delete(self, ctx: RequestContext, resource: Resource) -> Response:
        negotiate_for(ctx, resource)
        options = await self._delete_options(ctx, resource)
        result = await deleting.delete(self._server, resource, ctx.object, options, warnings=ctx.warnings)
        return respond_result(ctx, resource, result)

    @_after_commit
    async def delete_collection(self, ctx: RequestContext, resource: Resource) -> Response:
        negotiate_for(ctx, resource)
        selected: ListOptions = queries.list_options(ctx.request.query, resource)
        options = await self._delete_options(ctx, resource)
        listed = await self._listed(ctx, resource, selected)
        others = False
        for entry in listed.entries:
            item = ObjectReference(ctx.object.namespace, entry.key.rpartition("/")[2])
            try:
                await deleting.delete(
                    self._server, resource, item, options, in_collection=True, warnings=ctx.warnings
                )
            except ApiError as error:
                if error.code != 404:
                    raise
                others = True
        if others:  # other clients' deletes may not be committed yet
            await self._server.store.settle()
        return await respond_list(ctx, resource, listed, self._turns)

    @staticmethod
    def _write_options(
        ctx: RequestContext, resource: Resource, kind: str, body: bytes, *, patch_type: str = ""
    ) -> WriteOptions:
        query, user, size, exact = ctx.request.query, ctx.user, len(body), _is_exact(ctx)
        return queries.write_options(
            query, ctx.agent, kind, resource, user, patch_type=patch_type, body_bytes=size, exact=exact
        )

    async def _read(
        self, ctx: RequestContext, body_type: BodyType, body: bytes, media_type: str, validation: str
    ) -> Object:
        """Returns the decoded object in a request body.

        Raises ApiError 400 for an invalid body.

        - `body_type`: the expected kind of the object.
        - `validation`: the query parameter fieldValidation.
        """
        step = partial(read_object, body_type, body, media_type, validation, ctx.warnings)
        obj = await self._server.heavy.run(len(body), step)
        if ctx.audit is not None:
            ctx.audit.note_object(obj)
        return obj

    async def _delete_options(self, ctx: RequestContext, resource: Resource) -> DeleteOptions:
        body = await self._options_body(ctx, resource)
        query = ctx.request.query
        options = queries.delete_options(query, body, resource, ctx.user, exact=_is_exact(ctx))
        warnings_of = resource.definition.deletion_warnings
        for text in warnings_of(options) if warnings_of is not None else ():
            ctx.warnings.add(text)
        return options

    @staticmethod
    async def _options_body(ctx: RequestContext, resource: Resource) -> Object | None:
        """Returns the DeleteOptions in the request body; None if the body is empty.

        Raises ApiError 400 for invalid DeleteOptions (500 up to 1.34), and 415 for an unknown media type.
        """
        body = await ctx.request.body()
        if not body:
            return None
        media_type = _media_type(ctx, resource)
        options = read_delete_options(body, media_type, resource)
        if ctx.audit is not None:
            ctx.audit.note_delete_options(options)
        return options


def _keep_document(write: ServerWrite, body: bytes, media_type: str) -> None:
    """Stores a JSON body in the write if canonical objects lose a part of the body, see `SentDocument`."""
    kind = write.resource.kind
    if media_type == JSON and not kind.unstructured:
        write.sent.keep_body(body, kind.schema)
