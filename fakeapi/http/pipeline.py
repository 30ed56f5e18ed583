"""The filters between ASGI and the verbs, and their order.

From the outside in:

    errors           answers every error as a Status
    latency          delays the request, with the option `latency`
    hosts            refuses foreign web pages, if the server has no token
    deadline         refuses a malformed `timeout` parameter
    freshness        waits for writes of other servers, with shared storage
    authentication   finds the user, or refuses with 401
    impersonation    replaces the user by the one of the Impersonate headers
    authorization    refuses with 403, with the option authorization=rbac
    faults           delays, refuses or interrupts requests that match a rule, and streams
    routing          finds resource, subresource and verb, and calls the verb's handler
    admission        is part of the verbs that write: see fakeapi.registry.admission

Around all filters, the application records every request and its final response (`http.journaling`).

A filter is called with the context and the rest of the chain. It may refuse (raise ApiError), answer itself,
or change the context or the response. A watch is a response like any other, and a filter can wrap its frames.
The chain is built once for each server: a request pays one call for each filter.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from fakeapi.http.context import RequestContext
from fakeapi.http.response import AnyResponse

Handler = Callable[[RequestContext], Awaitable[AnyResponse]]


class Filter(Protocol):
    """A step of the chain.

    A filter that does not change the response returns the awaitable `proceed(ctx)`.
    """

    def __call__(self, ctx: RequestContext, proceed: Handler, /) -> Awaitable[AnyResponse]: ...


def chain(filters: Sequence[Filter], handler: Handler) -> Handler:
    """Returns the handler wrapped in the filters; the first filter is the outermost."""
    for outer in reversed(filters):
        handler = _before(outer, handler)
    return handler


def _before(outer: Filter, handler: Handler) -> Handler:
    return lambda ctx: outer(ctx, handler)
