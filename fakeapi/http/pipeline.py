"""The filters between the ASGI application and the verbs, and their order.

From the outside in:

    errors           converts every error to a Status
    latency          delays the request, with the option `latency`
    hosts            rejects requests of foreign web pages, if the server has no token
    deadline         rejects a malformed `timeout` parameter
    freshness        waits for writes of other servers, with shared storage
    authentication   sets the user, or rejects with 401
    auditing         lets the audit policy decide, with the option audit_log
    impersonation    replaces the user by the user in the Impersonate headers
    authorization    rejects with 403, with the option authorization=rbac; runs for an audit log too
    faults           delays, rejects or interrupts requests and streams that match a fault
    routing          determines resource, subresource and verb, and calls the verb's handler
    admission        is part of the verbs that write: see fakeapi.registry.admission

Around all filters, the application records requests and their final responses (`http.journaling`), and counts
them (`http.metrics`). `http.auditing` writes the last audit event of a request after its response.

A filter receives the request context and the rest of the chain. The filter can reject the request (raise
ApiError), return its own response, or change the context or the response. A watch is a response too; a filter
can wrap its frames. The chain is built once for each server, so each filter costs a request only one call.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from fakeapi.http.context import RequestContext
from fakeapi.http.response import AnyResponse

Handler = Callable[[RequestContext], Awaitable[AnyResponse]]


class Filter(Protocol):
    """A function that handles a request before the rest of the chain, `proceed`.

    A filter that does not change the response returns the awaitable of `proceed(ctx)`.
    """

    def __call__(self, ctx: RequestContext, proceed: Handler, /) -> Awaitable[AnyResponse]: ...


def chain(filters: Sequence[Filter], handler: Handler) -> Handler:
    """Returns a handler that runs the filters in order, and then `handler`."""
    for outer in reversed(filters):
        handler = _before(outer, handler)
    return handler


def _before(outer: Filter, handler: Handler) -> Handler:
    return lambda ctx: outer(ctx, handler)
