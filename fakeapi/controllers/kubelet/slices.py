"""NodeSlices: deletes the ResourceSlices of DRA drivers that are not registered with a node.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra/plugin` since 1.31. When the kubelet starts, it deletes all
slices of the node. When a driver unregisters, the kubelet deletes the driver's slices. In some releases, the
kubelet waits before that deletion, so that a new instance can replace the driver.
"""

from collections.abc import Callable

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.controller import ControllerContext
from fakeapi.machinery.json_types import Object

GROUP, PLURAL = "resource.k8s.io", "resourceslices"
RETRY_SECONDS_MIN, RETRY_SECONDS_MAX = 1.0, 300.0
"""Shortest and longest delay in seconds between attempts to delete slices. Each retry doubles the delay."""
EVERY = ""
"""Value of a `driver` argument that means all drivers of the node."""


class NodeSlices:
    """Deletes ResourceSlices of one node.

    `later`: receives a driver name and a number of seconds; schedules a call of `wipe` for the driver.
    """

    def __init__(
        self,
        context: ControllerContext,
        api: InProcessClient,
        node: str,
        later: Callable[[str, float], None],
    ) -> None:
        self._api = api
        self._node = node
        self._later = later
        self._clock = context.clock
        self._resource = context.resource(GROUP, PLURAL)
        self._delay = context.rules.quirks.slices_outlive_drivers_by
        self._gone: dict[str, float] = {}
        self._attempts: dict[str, int] = {}

    def start(self) -> None:
        """Schedules the deletion of all ResourceSlices of the node."""
        if self._delay is not None:
            self._later(EVERY, 0.0)

    def driver_is(self, driver: str, *, registered: bool) -> None:
        """Schedules the deletion of a driver's ResourceSlices, or cancels the scheduled deletion.

        `registered`: if false, the deletion is scheduled after the release's delay. If true, the scheduled
        deletion is cancelled.
        """
        if self._delay is None or not driver:
            return
        if registered:
            self._gone.pop(driver, None)
        elif driver not in self._gone:
            self._gone[driver] = self._clock.monotonic()
            self._later(driver, self._delay)

    async def wipe(self, driver: str) -> None:
        """Deletes the ResourceSlices of a driver, or of all drivers if `driver` is EVERY.

        Does nothing if the driver has registered again. If the driver's delay is not over, only schedules
        another call. If the deletion fails, schedules a retry.
        """
        if self._resource is None or self._delay is None:
            return
        if driver != EVERY:
            since = self._gone.get(driver)
            if since is None:
                return
            left = since + self._delay - self._clock.monotonic()
            if left > 0:
                self._later(driver, left)
                return
        selector = f"spec.nodeName={self._node}" + (f",spec.driver={driver}" if driver else "")
        options: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
        try:
            await self._api.request(
                "DELETE", self._resource.path(), options, query={"fieldSelector": selector}
            )
        except StatusError:
            attempts = self._attempts[driver] = self._attempts.get(driver, 0) + 1
            self._later(driver, min(RETRY_SECONDS_MIN * 2 ** min(attempts - 1, 20), RETRY_SECONDS_MAX))
            return
        self._gone.pop(driver, None)
        self._attempts.pop(driver, None)
