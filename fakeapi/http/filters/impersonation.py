"""Impersonation: replaces the user of requests that have Impersonate headers.

Follows k8s.io/apiserver `pkg/endpoints/filters/impersonation`. Only requests with these headers import
`fakeapi.http.impersonation_headers`.
"""

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.registry.authorization.authorizer import Authorizer
from fakeapi.releases import Release

if TYPE_CHECKING:
    from fakeapi.authorization.impersonation import LastModes

_PREFIX = b"impersonate-"


class Impersonation:
    """Replaces the user of a request by the user in its Impersonate headers, if this is allowed."""

    def __init__(self, authorizer: Authorizer, release: Release) -> None:
        self._authorizer = authorizer
        self._release = release
        self._last_modes: LastModes | None = None

    def __call__(self, ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
        for name, _ in ctx.request.all_headers:
            if name.startswith(_PREFIX):
                from fakeapi.authorization.impersonation import LastModes  # noqa: PLC0415 - loaded only when used
                from fakeapi.http.impersonation_headers import impersonate  # noqa: PLC0415 - loaded only when used

                self._last_modes = self._last_modes or LastModes()
                return impersonate(ctx, proceed, self._authorizer, self._release, self._last_modes)
        return proceed(ctx)
