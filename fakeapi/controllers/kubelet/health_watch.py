"""HealthWatch: reads device health from DRA drivers, and adds the health to container statuses.

Follows k8s.io/kubernetes `pkg/kubelet/cm/dra` since 1.34. The drivers implement NodeWatchResources of the
service DRAResourceHealth. The containers that use a device show its health in `allocatedResourcesStatus`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import pause
from fakeapi.controllers.kubelet.driver import Driver, PreparedDevice, Stop
from fakeapi.controllers.kubelet.health import Device, HealthCache, HealthReport
from fakeapi.controllers.kubelet.prepared import Prepared, PreparedClaim
from fakeapi.controllers.pod_claims import ClaimNameUnknown, claim_of_pod
from fakeapi.machinery.json_types import Object

GATE, MESSAGE_GATE = "ResourceHealthStatus", "ResourceHealthStatusMessage"
SYNC_SECONDS = 60.0
"""Seconds between two checks of all pods with prepared claims.

These checks also detect expired health reports.
"""


class HealthWatch:
    """Reads the health of one node's devices.

    `changed`: called with the uids of pods whose container statuses may change.
    """

    def __init__(
        self, context: ControllerContext, prepared: Prepared, changed: Callable[[set[str]], None]
    ) -> None:
        self._quirks = context.rules.quirks
        self._clock = context.clock
        self._prepared = prepared
        self._changed = changed
        self._says_why = context.rules.gates.get(MESSAGE_GATE, False)
        self._cache = HealthCache(timeouts_are_given=self._quirks.drivers_say_how_long_health_holds)
        self._watched: dict[str, Stop] = {}

    @staticmethod
    def is_on(context: ControllerContext) -> bool:
        """Whether the release's kubelet watches the health of devices."""
        return bool(context.rules.quirks.health_services) and context.rules.gates.get(GATE, False)

    async def run(self) -> None:
        """Calls `changed` for pods with prepared claims every SYNC_SECONDS, until the task is cancelled."""
        while True:
            await pause(self._clock, SYNC_SECONDS)
            self._changed({pod for claim in self._prepared for pod in claim.pods})

    def stop(self) -> None:
        """Closes the health streams of all drivers."""
        for name in list(self._watched):
            self.driver_went(name)

    def driver_came(self, driver: Driver) -> None:
        """Starts reading a driver's health reports. Closes the stream of an earlier driver with this name.

        In releases in which drivers register the health service, this method ignores drivers without this
        service.
        """
        self.driver_went(driver.name)
        for service in self._quirks.health_services:
            if service in driver.offered or not self._quirks.drivers_offer_health:
                self._watched[driver.name] = driver.watch_health(
                    service,
                    partial(self._reported, driver.name),
                    partial(self._cache.forget, driver.name),
                    is_optional=self._quirks.drivers_offer_health,
                )
                return

    def driver_went(self, name: str) -> None:
        stop = self._watched.pop(name, None)
        if stop is not None:
            stop()
            self._cache.forget(name)

    def _reported(self, driver: str, reports: Sequence[HealthReport]) -> None:
        self._tell(driver, self._cache.update(driver, reports, self._clock.monotonic()))

    def _tell(self, driver: str, changed: set[Device]) -> None:
        pods: set[str] = set()
        for claim in self._prepared:
            if any((device.pool, device.device) in changed for device in claim.devices.get(driver, ())):
                pods |= claim.pods
        if pods:
            self._changed(pods)

    def of_pod(self, pod: Object, statuses: list[Object]) -> list[Object]:
        """Returns the container statuses of a pod, with the health of each container's devices added."""
        claims_of: dict[str, list[Object]] = {
            container["name"]: (container.get("resources") or {}).get("claims") or []
            for container in pod["spec"]["containers"]
        }
        return [self._of_container(pod, status, claims_of.get(status["name"], [])) for status in statuses]

    def _of_container(self, pod: Object, status: Object, claims: list[Object]) -> Object:
        if not claims:
            return status
        entries = {entry["name"]: entry for entry in status.get("allocatedResourcesStatus") or ()}
        for used in claims:
            claim = self._claim(pod, used["name"])
            if claim is None:
                continue
            request = used.get("request", "")
            name = f"claim:{used['name']}/{request}" if request else f"claim:{used['name']}"
            entries[name] = {"name": name, "resources": self._resources(claim, request)}
        kept = {name: value for name, value in status.items() if name != "allocatedResourcesStatus"}
        visible = [entry for entry in entries.values() if entry["resources"]]
        return {**kept, "allocatedResourcesStatus": visible} if visible else kept

    def _claim(self, pod: Object, pod_claim: str) -> PreparedClaim | None:
        by = self._quirks.health_finds_claims_by
        namespace = pod["metadata"]["namespace"]
        if by == "name in pod":
            return self._prepared.get(namespace, pod_claim)
        in_status = by == "status"
        listed = (
            pod["status"].get("resourceClaimStatuses") if in_status else pod["spec"].get("resourceClaims")
        )
        for entry in listed or ():
            if entry["name"] == pod_claim:
                try:
                    name = claim_of_pod(pod, entry)
                except ClaimNameUnknown:
                    return None
                return None if name is None else self._prepared.get(namespace, name)
        return None

    def _resources(self, claim: PreparedClaim, request: str) -> list[Object]:
        now = self._clock.monotonic()
        resources: list[Object] = []
        seen = set()
        for driver, device in self._devices(claim, request):
            resource = device.cdi_devices[0] if device.cdi_devices else _name(driver, device)
            if self._quirks.health_is_of_requests and resource in seen:
                continue
            seen.add(resource)
            health = self._cache.get(driver, (device.pool, device.device), now)
            entry = {"resourceID": resource, "health": health.state}
            if self._says_why and health.message:
                entry["message"] = health.message
            resources.append(entry)
        return resources

    def _devices(self, claim: PreparedClaim, request: str) -> Iterator[tuple[str, PreparedDevice]]:
        request_name = request.partition("/")[0] if self._quirks.health_is_of_requests else ""
        for driver, devices in claim.devices.items():
            for device in devices:
                if not (request_name and device.requests and request_name not in device.requests):
                    yield driver, device


def _name(driver: str, device: PreparedDevice) -> str:
    return f"{driver}/{device.pool}/{device.device}"
