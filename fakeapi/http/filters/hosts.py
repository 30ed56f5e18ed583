"""Hosts: protects a server without a token from web pages of other sites.

A browser lets any web page send requests to loopback addresses. Only the Host and Origin headers reveal such
requests. By default, the accepted hosts equal the default of `kubectl proxy`; see `fakeapi.machinery.hosts`.
"""

from collections.abc import Awaitable, Callable

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.hosts import HOST_MAX, HostRules

ACCEPTED_KEPT = 64
"""Maximum number of accepted Host headers in the cache. Other Host headers are checked at each request."""


class Hosts:
    """Rejects requests whose Host or Origin header does not match the rules.

    `is_open`: returns whether a request is allowed with any Host and Origin.
    """

    def __init__(self, rules: HostRules, is_open: Callable[[RequestContext], bool]) -> None:
        self._rules = rules
        self._is_open = is_open
        self._accepted: set[bytes] = set()

    def __call__(self, ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
        """Passes the request on. Raises ApiError 403 for a Host or Origin header that is not accepted."""
        headers = ctx.request.headers
        host = headers.get(b"host")
        if host in self._accepted and b"origin" not in headers:
            return proceed(ctx)
        problem = self._rules.refusal(headers.items())
        if not problem and host is not None and len(host) <= HOST_MAX and len(self._accepted) < ACCEPTED_KEPT:
            self._accepted.add(host)
        if problem and not self._is_open(ctx):
            words = f"fakeapi: {problem}; --accept-hosts accepts more, and with --token all are accepted"
            raise ApiError(403, "Forbidden", words)
        return proceed(ctx)
