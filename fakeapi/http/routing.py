"""Routing: determines the resource, subresource and handler of a request from its path and method."""

from collections.abc import Awaitable, Callable, Mapping

from fakeapi.asgi import ROOM_FROM_BYTES
from fakeapi.http.context import RequestContext
from fakeapi.http.delegating import Delegating
from fakeapi.http.discovery.service import Discovery
from fakeapi.http.negotiation import Offer, check_patch_route, check_produced, offer_of
from fakeapi.http.pages import not_found_page, watch_without_resource
from fakeapi.http.refusals import method_not_allowed, no_such_resource
from fakeapi.http.request import Request
from fakeapi.http.response import AnyResponse, Response
from fakeapi.http.verbs import Verbs
from fakeapi.http.watch import Watches
from fakeapi.machinery import errors
from fakeapi.machinery.meta.request_info import RequestInfo
from fakeapi.registry.bootstrap import Bootstrap
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.subresource import ServedSubresource
from fakeapi.registry.requests.options import ObjectReference

VerbHandler = Callable[[RequestContext, Resource], Awaitable[AnyResponse]]

COLLECTION = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}
"""The Kubernetes verb of each HTTP method for a path that ends in a resource, such as /api/v1/pods."""
ITEM = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_CONNECTING = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
PROXY = "proxy"
SUBRESOURCE = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


class Router:
    """The handler after all filters: calls the handler of the request's verb, or serves discovery."""

    def __init__(
        self,
        catalogue: Catalogue,
        bootstrap: Bootstrap,
        verbs: Verbs,
        watches: Watches,
        discovery: Discovery,
        delegating: Delegating,
    ) -> None:
        self._catalogue = catalogue
        self._delegating = delegating
        self._bootstrap = bootstrap
        self._verbs = verbs
        self._discovery = discovery
        self._watches = watches
        self._handlers: Mapping[str, VerbHandler] = {
            "get": verbs.get,
            "list": verbs.list,
            "create": verbs.create,
            "update": verbs.update,
            "patch": verbs.patch,
            "delete": verbs.delete,
            "deletecollection": verbs.delete_collection,
        }

    async def __call__(self, ctx: RequestContext) -> AnyResponse:
        """Handles a request.

        Raises ApiError for a path, method or media type that is not served. Raises NoRoom if memory is short,
        and the exceptions of the verb.
        """
        info, request = ctx.info, ctx.request
        if info is None or not self._catalogue.has_group(info.group):
            if info is not None and (delegated := await self._of_another_server(ctx, info)) is not None:
                return delegated
            document = await self._discovery.document(request)
            return not_found_page() if document is None else await _in_room(request, document)
        if not info.resource:
            if info.watched:
                return watch_without_resource(request.uri)
            if info.name or info.subresource or info.tail:
                raise no_such_resource()
            if info.version and not self._catalogue.serves(info.group, info.version):
                return await self._no_version(ctx, info)
            return await _in_room(request, self._discovery.of_group(request, info))
        resource = self._resource(info, ctx.verb)
        if resource is None:
            return not_found_page()
        connection = _connection(info, resource)
        if connection is not None:
            return await self._connect(ctx, info, resource, connection)
        if info.tail:
            raise no_such_resource()
        handler = self._handler(ctx, info, resource)
        if not resource.kind.unstructured:
            _check_route(request, info, offer_of(resource.release))
        if resource.warning:
            ctx.warnings.add(resource.warning)
        if info.in_namespace and not info.namespace and (info.name or request.method == "DELETE"):
            raise errors.bad_request("Namespace parameter required.")
        ctx.resource = resource
        ctx.object = ObjectReference(info.namespace, info.name, info.subresource)
        if (resource.kind.group, resource.kind.resource) in self._bootstrap.pending:
            await self._bootstrap.ensure(resource)
        return await handler(ctx, resource)

    async def _of_another_server(self, ctx: RequestContext, info: RequestInfo) -> AnyResponse | None:
        """Returns the response to a path that an APIService delegates to another server.

        Returns the APIGroup for a path without a version. Returns None if no APIService delegates the path.
        """
        if not info.version:
            return self._discovery.of_delegated_group(ctx.request, info.group)
        api_service = self._delegating.api_service(info.group, info.version)
        return None if api_service is None else await self._delegating.respond(ctx, api_service)

    async def _connect(
        self, ctx: RequestContext, info: RequestInfo, resource: Resource, connection: ServedSubresource
    ) -> AnyResponse:
        if _CONNECTING.get(ctx.request.method, "get") not in connection.verbs:
            raise method_not_allowed()
        ctx.resource = resource
        ctx.object = ObjectReference(info.namespace, info.name, info.subresource)
        if (resource.kind.group, resource.kind.resource) in self._bootstrap.pending:
            await self._bootstrap.ensure(resource)
        return await self._verbs.connect(ctx, resource)

    def _resource(self, info: RequestInfo, verb: str) -> Resource | None:
        """Returns the resource of a path; None if the response must be a plain-text 404.

        The response is a plain-text 404 if the group has no built-in resources and no custom resource matches
        the path. Raises ApiError 404 for any other unknown resource.
        """
        resource = self._catalogue.find(info.group, info.version, info.resource)
        if resource is None and not self._catalogue.has_built_in(info.group):
            return None
        if resource is not None and resource.kind.unstructured:
            return self._custom(info, resource, verb)
        if resource is None or (info.in_namespace and not resource.kind.namespaced):
            raise no_such_resource()
        if info.subresource and (info.watched or info.subresource not in resource.subresources):
            raise no_such_resource()
        if info.name and resource.kind.namespaced and not info.in_namespace:
            raise no_such_resource()
        return resource

    async def _no_version(self, ctx: RequestContext, info: RequestInfo) -> AnyResponse:
        """Returns a plain-text 404 for an unknown version of a group that has only custom resources.

        Forwards the request if an APIService delegates the version to a Service. Raises ApiError 404 for a
        group with built-in resources.
        """
        delegated = await self._of_another_server(ctx, info)
        if delegated is not None:
            return delegated
        if self._catalogue.has_built_in(info.group):
            raise no_such_resource()
        return not_found_page()

    @staticmethod
    def _custom(info: RequestInfo, resource: Resource, verb: str) -> Resource | None:
        """Returns the custom resource; None if its scope (cluster or namespace) does not fit the path.

        Follows `ServeHTTP` of k8s.io/apiextensions-apiserver `pkg/apiserver/customresource_handler.go`.
        Raises ApiError 404 for an unknown subresource.
        """
        namespaced = resource.kind.namespaced
        if info.in_namespace and not namespaced:
            return None
        if namespaced and not info.namespace and verb not in ("list", "watch"):
            return None
        if info.subresource and info.subresource not in resource.subresources:
            raise errors.not_found(resource.qualified, info.name)
        return resource

    def _handler(self, ctx: RequestContext, info: RequestInfo, resource: Resource) -> VerbHandler:
        method, kind = ctx.request.method, resource.kind
        if ctx.verb == "watch" and method == "GET":
            return self._watches.watch
        if info.watched:
            raise method_not_allowed()
        verbs = kind.verbs
        if info.subresource:
            verb = SUBRESOURCE.get(method)
            subresource = resource.subresources.get(info.subresource)
            verbs = subresource.verbs if subresource else ()
        elif info.name:
            verb = ITEM.get(method)
        else:
            verb = COLLECTION.get(method)
            if verb != "list" and info.in_namespace != kind.namespaced:
                raise method_not_allowed()
        if verb is None or verb not in verbs:
            raise method_not_allowed()
        return self._handlers[verb]


def _check_route(request: Request, info: RequestInfo, offer: Offer) -> None:
    """Checks the Accept and Content-Type headers like kube-apiserver's router, go-restful.

    Raises ApiError 406 if the client accepts nothing that the path can return, and 415 for an unknown patch
    type. Do not call this function for custom resources, because kube-apiserver handles their requests
    without this router.
    """
    if request.method == "PATCH":
        content_type, length = (request.header(name) for name in (b"content-type", b"content-length"))
        check_patch_route(content_type, length, offer.patches)
    lists = request.method == "GET" and (info.watched or not info.name)
    check_produced(request.header(b"accept"), offer.listed if lists else offer.answered)


async def _in_room(request: Request, document: Response) -> Response:
    """Waits until the server has memory for a long document, and returns the document.

    Raises NoRoom if the memory is not free in time, and ClientGone if the client disconnects.
    """
    if len(document.body) >= ROOM_FROM_BYTES:
        async with request.room(len(document.body)):
            pass
    return document


def _connection(info: RequestInfo, resource: Resource) -> ServedSubresource | None:
    """Returns the subresource of a path if it connects to a pod, service or node, such as exec.

    Returns None for all other paths. Only the subresource proxy allows more path segments after its name.
    """
    if not info.subresource or info.watched:
        return None
    subresource = resource.subresources.get(info.subresource)
    if subresource is None or subresource.connection is None or (info.tail and info.subresource != PROXY):
        return None
    return subresource
