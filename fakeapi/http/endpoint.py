"""The one ASGI endpoint: from a path and a method to a handler, and from an error to its answer."""

import hmac
import html
import logging
from collections.abc import Awaitable, Callable

from starlette.types import Receive, Scope, Send

from fakeapi.http import query as queries
from fakeapi.http.discovery import Discovery
from fakeapi.http.messages import PLAIN_TEXT, ClientGone, Request, Response
from fakeapi.http.negotiation import LISTED, OFFERED, check_produced
from fakeapi.http.query import BAD_ESCAPE
from fakeapi.http.rendering import refusal
from fakeapi.http.verbs import Call, Handlers, check_patch_route
from fakeapi.http.watch import Streams
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.golang.duration import duration_error
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta.request_info import RequestInfo, parse
from fakeapi.registry.catalogue import Catalogue
from fakeapi.registry.options import ObjectReference
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store
from fakeapi_storage import Overloaded, StorageError

log = logging.getLogger("fakeapi")
Handler = Callable[[Call], Awaitable[Response]]


class Endpoint:
    """Everything that is served."""

    def __init__(self, store: Store, catalogue: Catalogue, token: str | None = None) -> None:
        self.streams = Streams(store)
        self._clock = store.clock.now
        self._catalogue = catalogue
        self._handlers = Handlers(store, catalogue)
        self._discovery = Discovery(catalogue)
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        without_body = scope["method"] == "HEAD"
        warnings: list[str] = []
        request: Request | None = None
        try:
            request = Request.of(scope, receive)
            if BAD_ESCAPE.search(scope["raw_path"]):
                response: Response | None = no_url()
            else:
                response = await self._serve(request, warnings, send)
        except ApiError as error:
            response = refusal(error, request, warnings)
        except ClientGone:
            return
        except RecursionError:  # Kubernetes goes down 10,000 levels, Python's stack about a thousand
            response = refusal(errors.bad_request("exceeded max depth"), request, warnings)
        except StorageError as error:
            response = refusal(unavailable(error), request, warnings)
        except Exception:
            log.exception("unexpected error for %s %s", scope["method"], scope["path"])
            unexpected = errors.internal("fakeapi: unexpected error; see the server's log")
            response = refusal(unexpected, request, warnings)
        if response is None:
            return
        try:
            if request is not None:
                await request.drain()
        except ClientGone:
            return
        await response.send(send, without_body=without_body)

    async def _serve(self, request: Request, warnings: list[str], send: Send) -> Response | None:
        """The response; None where it has been streamed already."""
        path = request.path
        info = parse(path)
        _check_timeout(request, info)
        document = self._discovery.open_document(request)
        if document is not None:
            return document
        self._authenticate(request)
        if info is None or not self._catalogue.has_group(info.group):
            return self._discovery.document(request) or not_a_path()
        if not info.resource:
            if info.watched:
                return not_about_anything(request.uri)
            if info.name or info.subresource or info.tail:
                raise no_such_resource()
            return self._discovery.of_group(request, info)
        resource = self._resource(info)
        watches = _is_watch(request, info)
        handler = None if watches else self._handler(request.method, info, resource)
        if request.method == "PATCH":
            check_patch_route(request)
        check_produced(request.header(b"accept"), LISTED if _lists(request, info) else OFFERED)
        if resource.warning:
            warnings.append(resource.warning)
        if info.in_namespace and not info.namespace and (info.name or request.method == "DELETE"):
            raise errors.bad_request("Namespace parameter required.")
        call = Call(
            request, resource, ObjectReference(info.namespace, info.name, info.subresource), self._clock
        )
        call.warnings.texts = warnings
        if handler is None:
            await self._watch(call, send)
            return None
        return await handler(call)

    def _authenticate(self, request: Request) -> None:
        """Raises ApiError 401 for a client without the token, where one is set."""
        if self._token is None:
            return
        scheme, _, token = request.headers.get(b"authorization", b"").strip().partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self._token):
            raise errors.unauthorized()

    def _resource(self, info: RequestInfo) -> Resource:
        resource = self._catalogue.find(info.group, info.version, info.resource)
        if resource is None or info.tail or (info.in_namespace and not resource.kind.namespaced):
            raise no_such_resource()
        if info.subresource and (info.watched or info.subresource not in resource.strategies):
            raise no_such_resource()
        if info.name and resource.kind.namespaced and not info.in_namespace:
            raise no_such_resource()
        return resource

    def _handler(self, method: str, info: RequestInfo, resource: Resource) -> Handler:
        handlers = self._handlers
        found: dict[str, Handler]
        if info.watched:
            found = {}
        elif info.subresource:
            found = self._of_subresource(resource, info.subresource)
        elif info.name:
            found = {
                "GET": handlers.get,
                "PUT": handlers.update,
                "PATCH": handlers.patch,
                "DELETE": handlers.delete,
            }
        else:
            found = self._of_collection(info)
        handler = found.get(method)
        if handler is None:
            raise method_not_allowed()
        return handler

    def _of_subresource(self, resource: Resource, name: str) -> dict[str, Handler]:
        handlers, subresource = self._handlers, resource.kind.subresource(name)
        verbs = subresource.verbs if subresource else ()
        every = (
            ("get", "GET", handlers.get),
            ("update", "PUT", handlers.update),
            ("patch", "PATCH", handlers.patch),
        )
        return {method: handler for verb, method, handler in every if verb in verbs}

    def _of_collection(self, info: RequestInfo) -> dict[str, Handler]:
        handlers = self._handlers
        found: dict[str, Handler] = {"GET": handlers.list}
        resource = self._catalogue.find(info.group, info.version, info.resource)
        if resource is not None and info.in_namespace == resource.kind.namespaced:
            found["POST"] = handlers.create
            if "deletecollection" in resource.kind.verbs:
                found["DELETE"] = handlers.delete_collection
        return found

    async def _watch(self, call: Call, send: Send) -> None:
        call.negotiate()
        options = queries.watch_options(call.request.query, call.resource, call.target.name)
        lists_first = options.send_initial_events and options.bookmarks
        if lists_first and call.resource.release.quirks.initial_events_blueprint:
            call.negotiate(tables=False)
        await call.request.drain()
        await self.streams.serve(
            call.resource,
            call.target,
            options,
            call.warnings.texts,
            call.request.receive,
            send,
            call.streamed,
        )


def _check_timeout(request: Request, info: RequestInfo | None) -> None:
    """A `timeout` must be a duration, whatever is asked for and before the client is known; a watch has none.

    Follows k8s.io/apiserver `pkg/endpoints/filters/request_deadline.go`. Raises ApiError 400.
    """
    timeout = request.query.first.get("timeout")
    if not timeout or (info is not None and _is_watch(request, info)):
        return
    error = duration_error(timeout)
    if error:
        raise errors.bad_request(f"invalid timeout specified in the request URL - {error}")


def _lists(request: Request, info: RequestInfo) -> bool:
    return request.method == "GET" and (info.watched or not info.name)


def _is_watch(request: Request, info: RequestInfo) -> bool:
    if request.method != "GET" or info.subresource:
        return False
    return info.watched or (not info.name and request.query.flag("watch"))


def no_such_resource() -> ApiError:
    """404 below a group that is served."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", Details())


def method_not_allowed() -> ApiError:
    return ApiError(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource", Details()
    )


def unavailable(error: StorageError) -> ApiError:
    """What is said of a storage that does not take a request now: 429 for too many writes at once, to be sent
    again later, and 503 for one that is being reset or closed, of which nothing is stored.
    """
    if isinstance(error, Overloaded):
        words = "Too many requests, please try again later."
        return ApiError(429, "TooManyRequests", words, Details(retry_after_seconds=1), retry_after=1)
    return ApiError(
        503, "ServiceUnavailable", f"the server is currently unable to handle the request: {error}"
    )


def not_a_path() -> Response:
    """404 for everything that nothing is served under: plain text, as Go's own."""
    return Response(404, b"404 page not found\n", PLAIN_TEXT)


def no_url() -> Response:
    """400 for a path with a percent sign that begins no escape: Go refuses it before anything else."""
    return Response(400, b"400 Bad Request", PLAIN_TEXT)


def not_about_anything(uri: str) -> Response:
    """500 for a path that says how, but not what; as it may be shown by a browser, it is escaped."""
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {uri}"
    text = html.escape(f"Internal Server Error: {quote(uri)}: {why}\n", quote=False)
    return Response(500, text.encode(), PLAIN_TEXT)
