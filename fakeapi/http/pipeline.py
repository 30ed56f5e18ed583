"""Filters between ASGI and the verbs, and the order in which they stand.

From the outside in:

    errors           answers every error as a Status
    latency          delays the request, where the option `latency` says so
    hosts            refuses foreign web pages, where no token is asked for
    deadline         refuses a malformed `timeout` parameter
    freshness        waits for writes of other servers, where several share a storage
    authentication   finds the user, or refuses with 401
    impersonation    replaces the user by the one of the Impersonate headers
    authorization    refuses with 403, where the option `authorization` is rbac
    faults           delays, refuses or cuts requests that match a rule, also the frames of a stream
    routing          finds resource, subresource and verb, and calls the verb's handler
    admission        stands inside the verbs that write: see fakeapi.registry.admission

Around them all the application notes every request and its final response (`http.journaling`).

A filter is called with the context and the rest of the chain; it may refuse (raise ApiError), answer itself,
change the context before, or the response after. A watch is a response like any other, whose frames a filter
can wrap. The chain is built once for each server: a request pays one call for each filter.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from fakeapi.http.context import RequestContext
from fakeapi.http.response import AnyResponse

Handler = Callable[[RequestContext], Awaitable[AnyResponse]]


class Filter(Protocol):
    """One step of the chain. One that only looks at the request returns `proceed(ctx)` as it is."""

    def __call__(self, ctx: RequestContext, proceed: Handler, /) -> Awaitable[AnyResponse]: ...


def chain(filters: Sequence[Filter], handler: Handler) -> Handler:
    """The handler behind the filters, the first of which is the outermost."""
    for each in reversed(filters):
        handler = _before(each, handler)
    return handler


def _before(each: Filter, handler: Handler) -> Handler:
    return lambda ctx: each(ctx, handler)
