"""SimulatedPlugin: a simulated DRA driver on one node, called by the kubelet without a socket."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.driver import (
    CALL_SECONDS,
    PREPARE,
    UNPREPARE,
    Claim,
    ClaimResult,
    Driver,
    DriverError,
    PreparedDevice,
    Stop,
    checked_results,
    prepared_devices,
)
from fakeapi.controllers.kubelet.health import HealthReport
from fakeapi.controllers.kubelet.simulated.cdi_files import CDIFiles
from fakeapi.devices.model import Behaviour
from fakeapi.devices.simulated import (
    UNHEALTHY,
    CallRecord,
    NodeDevices,
    PreparedRecord,
    SimulatedDriver,
)
from fakeapi.machinery.json_types import Object

SIMULATED = "simulated"
"""The Source of simulated drivers in Registrations. Other drivers have the path of a registration socket."""

WRONG_CLAIM = "00000000-0000-0000-0000-000000000000"
"""The claim uid in responses of a driver with the behaviour `wrong_claim`."""

_DEADLINE = "rpc error: code = DeadlineExceeded desc = context deadline exceeded"
_BROKEN = "rpc error: code = Unavailable desc = error reading from server: EOF"


class SimulatedPlugin(Driver):
    """A simulated driver on one node, with the same results as a driver over gRPC.

    Delays follow the server's clock.
    """

    def __init__(
        self,
        context: ControllerContext,
        api: InProcessClient,
        claims: ServedResource,
        driver: SimulatedDriver,
        node: str,
        cdi: CDIFiles,
    ) -> None:
        """Creates the plugin.

        - `claims`: the resource ResourceClaims in the version that the driver reads.
        - `cdi`: the CDI files of the driver on the node.
        """
        self.name = driver.name
        self.offered = tuple(context.rules.quirks.health_services)
        self._context = context
        self._api = api
        self._claims = claims
        self._driver = driver
        self._node = node
        self._cdi = cdi
        self._calls: set[asyncio.Future[None]] = set()
        self._report: Callable[[Sequence[HealthReport]], None] | None = None

    @property
    def description(self) -> str:
        return SIMULATED

    async def prepare(self, claims: Sequence[Claim]) -> dict[str, list[PreparedDevice]]:
        try:
            behaviour = await self._begin("prepare", PREPARE)
            results = await self._results(behaviour, claims, self._prepare)
            devices = prepared_devices(results, claims)
        except DriverError as error:
            self._record("prepare", claims, error.text)
            raise
        self._record("prepare", claims)
        return devices

    async def unprepare(self, claims: Sequence[Claim]) -> None:
        try:
            behaviour = await self._begin("unprepare", UNPREPARE)
            checked_results(await self._results(behaviour, claims, self._unprepare), claims, UNPREPARE)
        except DriverError as error:
            self._record("unprepare", claims, error.text)
            raise
        self._record("unprepare", claims)

    def _record(self, call: str, claims: Sequence[Claim], error: str = "") -> None:
        names = tuple(f"{claim.namespace}/{claim.name}" for claim in claims)
        self._driver.record(CallRecord(call, self._node, names, error))

    async def _begin(self, call: str, method: str) -> Behaviour:
        """Returns the behaviour for the response to a call, after the behaviour's delay.

        Raises DriverError if the call takes longer than CALL_SECONDS, or if the driver stops during the call.
        """
        behaviour = self._driver.take_behaviour(call, self._node)
        seconds = CALL_SECONDS if behaviour.hangs else min(behaviour.delay, CALL_SECONDS)
        if seconds > 0:
            broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._calls.add(broken)
            try:
                if await self._context.wait(broken, seconds):
                    raise DriverError("call_failed", method=method, problem=_BROKEN)
            finally:
                self._calls.discard(broken)
            if seconds >= CALL_SECONDS:
                raise DriverError("call_failed", method=method, problem=_DEADLINE)
        return behaviour

    async def _results(
        self,
        behaviour: Behaviour,
        claims: Sequence[Claim],
        answer: Callable[[Claim], Awaitable[ClaimResult]],
    ) -> list[tuple[str, ClaimResult]]:
        if behaviour.error:
            return [(claim.uid, ClaimResult(error=behaviour.error)) for claim in claims]
        if behaviour.wrong_claim:
            return [(WRONG_CLAIM, ClaimResult()) for _ in claims]
        return [(claim.uid, await answer(claim)) for claim in claims]

    async def _prepare(self, claim: Claim) -> ClaimResult:
        """Prepares the devices of a claim's allocation; returns the result.

        Reads the claim first, as real drivers do.
        """
        known = self._devices.prepared.get(claim.uid)
        try:
            stored = await self._api.get(self._claims.path(claim.namespace, claim.name))
        except StatusError as error:
            return ClaimResult(error=f"get ResourceClaim: {error.message}")
        if stored["metadata"]["uid"] != claim.uid:
            return ClaimResult(error=f"the ResourceClaim has the uid {stored['metadata']['uid']} now")
        results = list(self._allocated(stored))
        unknown = [result["device"] for result in results if not self._has(result)]
        if unknown and known is None:
            return ClaimResult(error=f"device {unknown[0]} not found on node {self._node}")
        if self._driver.spec.status is not None:
            problem = await self._write_status(stored, results)
            if problem:
                return ClaimResult(error=problem)
        try:
            self._cdi.write(claim.uid, [result["device"] for result in results])
        except OSError as error:
            return ClaimResult(error=f"write the CDI file: {error.strerror}")
        names = tuple(f"{result['pool']}/{result['device']}" for result in results)
        self._devices.prepared[claim.uid] = PreparedRecord(
            claim.namespace, claim.name, claim.uid, self._node, names
        )
        return ClaimResult([self._prepared(result) for result in results])

    async def _unprepare(self, claim: Claim) -> ClaimResult:
        self._devices.prepared.pop(claim.uid, None)
        self._cdi.delete(claim.uid)
        return ClaimResult()

    @property
    def _devices(self) -> NodeDevices:
        return self._driver.nodes[self._node]

    def _allocated(self, claim: Object) -> Iterator[Object]:
        """Yields the results of a claim's allocation with devices of this driver."""
        allocation = (claim.get("status") or {}).get("allocation") or {}
        for result in (allocation.get("devices") or {}).get("results") or ():
            if result["driver"] == self.name:
                yield result

    def _has(self, result: Object) -> bool:
        state = self._devices.devices.get(result["device"])
        return result["pool"] == self._devices.pool and state is not None and not state.is_removed

    def _prepared(self, result: Object) -> PreparedDevice:
        return PreparedDevice(
            (self._cdi.device_id(result["device"]),),
            (result["request"],),
            result["pool"],
            result["device"],
            result.get("shareID") or "",
        )

    async def _write_status(self, claim: Object, results: list[Object]) -> str:
        """Writes the status of the prepared devices to the claim.

        Returns the error if the write failed; "" otherwise.
        """
        own = [
            {
                "driver": self.name,
                "pool": result["pool"],
                "device": result["device"],
                **({"shareID": result["shareID"]} if result.get("shareID") else {}),
                **(self._driver.spec.status or {}),
            }
            for result in results
        ]
        others = [each for each in claim["status"].get("devices") or () if each["driver"] != self.name]
        status = {**claim["status"], "devices": [*others, *own]}
        try:
            await self._api.update(self._claims.path_of(claim, "status"), {**claim, "status": status})
        except StatusError as error:
            return f"update the status of the ResourceClaim: {error.message}"
        return ""

    # health and life ---------------------------------------------------------------------------------

    def watch_health(
        self,
        service: str,
        report: Callable[[Sequence[HealthReport]], None],
        forget: Callable[[], None],
        *,
        is_optional: bool,
    ) -> Stop:
        self._report = report
        self.report_health()

        def stop() -> None:
            self._report = None

        return stop

    def watch_resources(self, report: Callable[[Sequence[bytes]], None]) -> Stop:
        return lambda: None

    def report_health(self) -> None:
        """Reports the health of all devices that are not removed.

        Does nothing if the kubelet does not watch the health.
        """
        if self._report is None:
            return
        pool = self._devices.pool
        self._report(
            [
                HealthReport(pool, name, 2 if state.health == UNHEALTHY else 1, state.message, lasts=True)
                for name, state in self._devices.devices.items()
                if not state.is_removed
            ]
        )

    def break_calls(self) -> None:
        """Fails all unanswered calls, as if the driver's process had ended."""
        for call in self._calls:
            if not call.done():
                call.set_result(None)
