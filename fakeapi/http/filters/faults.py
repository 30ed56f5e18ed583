"""Faults: delays, rejects or interrupts requests that match an armed fault."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from fakeapi.cluster import Cluster
from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.response import AnyResponse
from fakeapi.http.watch import Watches

if TYPE_CHECKING:
    from fakeapi.http.faulting.injector import Injector


class Faults:
    """Applies the armed faults to requests. Without armed faults, passes requests on.

    Also passes on the requests of observers (`fakeapi.journal.observer`).

    Imports the code that applies faults when the first fault is armed.
    """

    def __init__(self, cluster: Cluster, watches: Watches) -> None:
        self._cluster = cluster
        self._watches = watches
        self._injector: Injector | None = None
        cluster.on_first_fault = self._load

    def __call__(self, ctx: RequestContext, proceed: Handler) -> Awaitable[AnyResponse]:
        faults = self._cluster.armed_faults
        if faults is None or not faults.armed or self._injector is None:
            return proceed(ctx)
        if ctx.request.is_from_observer:
            return proceed(ctx)
        return self._injector.apply(ctx, proceed)

    def _load(self) -> None:
        from fakeapi.http.faulting.injector import Injector  # noqa: PLC0415 - loaded only when used

        self._injector = Injector(self._cluster, self._watches)
