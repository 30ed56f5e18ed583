"""Hosts: keeps web pages from using a server that asks for no token.

A browser lets a page of any site send requests to loopback addresses; only Host and Origin tell. Which of
them are accepted follows `kubectl proxy`, see `fakeapi.machinery.hosts`.
"""

from collections.abc import Awaitable, Callable

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.hosts import HostRules


class Hosts:
    """Refuses requests whose Host or Origin is not accepted, unless `is_open` allows them to everybody."""

    def __init__(self, rules: HostRules, is_open: Callable[[RequestContext], bool]) -> None:
        self._rules = rules
        self._is_open = is_open

    def __call__(self, ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
        """Raises ApiError 403."""
        problem = self._rules.refusal(ctx.request.headers.items())
        if problem and not self._is_open(ctx):
            words = f"fakeapi: {problem}; --accept-hosts accepts more, and with --token all are accepted"
            raise ApiError(403, "Forbidden", words)
        return proceed(ctx)
