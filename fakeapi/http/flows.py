"""Flows: the headers with the FlowSchema and the PriorityLevelConfiguration of each response.

Follows k8s.io/apiserver `pkg/server/filters/priority-and-fairness.go`. Requests never wait in queues.
"""

from fakeapi.asgi import Message, Send
from fakeapi.http.context import RequestContext
from fakeapi.http.filters.authorization import access_of
from fakeapi.http.response import LEVEL_HEADER, SCHEMA_HEADER
from fakeapi.kinds.flowcontrol.matching import applies, precedes
from fakeapi.kinds.flowcontrol.strategy import GROUP
from fakeapi.machinery.json_types import Object
from fakeapi.registry.bootstrap import Bootstrap
from fakeapi.registry.server import Server

_SCHEMAS, _LEVELS = (GROUP, "flowschemas"), (GROUP, "prioritylevelconfigurations")
_PREFIXES = tuple(f"/{group}/{resource}/" for group, resource in (_SCHEMAS, _LEVELS))

Headers = dict[bytes, bytes]


class Flows:
    """Classifies requests by the stored FlowSchemas.

    Until a client uses FlowSchemas, the responses have headers with fixed uids, because no FlowSchema is
    stored yet.
    """

    def __init__(self, server: Server, bootstrap: Bootstrap) -> None:
        self._server = server
        self._bootstrap = bootstrap
        self._read_at: tuple[int, ...] = ()
        self._flows: list[tuple[Object, Headers]] = []

    def marking(self, ctx: RequestContext, send: Send) -> Send:
        """Returns a function that sends a response with the headers of the flow of the request."""
        if _SCHEMAS in self._bootstrap.pending:
            return send
        access = access_of(ctx, by_selectors=False)
        headers = next((headers for schema, headers in self._stored() if applies(schema, access)), None)
        return send if headers is None else _with_headers(send, headers)

    def _stored(self) -> list[tuple[Object, Headers]]:
        """Returns the FlowSchemas in their order with their headers, without those whose level is missing."""
        newest = self._server.store.last_changes(_PREFIXES)
        if newest != self._read_at:
            objects = self._server.objects
            uids = {each["metadata"]["name"]: each["metadata"]["uid"] for each in objects.list(*_LEVELS)}
            self._flows = [
                (schema, {SCHEMA_HEADER: schema["metadata"]["uid"].encode(), LEVEL_HEADER: level.encode()})
                for schema in sorted(objects.list(*_SCHEMAS), key=precedes)
                if (level := uids.get(schema["spec"]["priorityLevelConfiguration"]["name"]))
            ]
            self._read_at = newest
        return self._flows


def _with_headers(send: Send, headers: Headers) -> Send:
    """Returns a function that replaces the values of headers in the start of the response."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = [(name, headers.get(name, value)) for name, value in message["headers"]]
            message = {**message, "headers": named}
        await send(message)

    return marked
