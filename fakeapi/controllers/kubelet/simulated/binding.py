"""BindingConditions: sets the binding conditions of devices from simulated drivers.

The pod can use a device with `bindingConditions` (1.34 and newer) only after its driver has set these
conditions in the claim's status. The scheduler waits for these conditions before it binds the pod.
"""

from collections.abc import Callable, Iterator
from functools import partial

from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.kubelet.keys import BindingKey
from fakeapi.devices.drivers import SimulatedDrivers
from fakeapi.devices.model import Behaviour
from fakeapi.devices.simulated import SimulatedDriver
from fakeapi.machinery.json_types import Object


class BindingConditions:
    """Sets the binding conditions of allocated devices.

    - `claims`: the resource ResourceClaims in the version to read and write.
    - `client`: returns the API client of a driver by name.
    """

    def __init__(
        self,
        context: ControllerContext,
        claims: ServedResource,
        drivers: SimulatedDrivers,
        client: Callable[[str], InProcessClient],
    ) -> None:
        self._context = context
        self._resource = claims
        self._drivers = drivers
        self._client = client
        self._claims = context.informer(claims)
        self._answers: dict[tuple[str, str], Behaviour] = {}
        self._claims.on_change(self._changed)

    def _changed(self, old: Object | None, new: Object | None) -> None:
        claim = new or old
        assert claim is not None, "a change has an object"
        for driver, result in self._waiting(claim):
            answer = (driver.name, claim["metadata"]["uid"])
            if answer in self._answers or new is None:
                continue
            behaviour = self._answers[answer] = driver.take_behaviour("bind", driver.node_of(result["pool"]))
            if not behaviour.hangs:
                self._context.add_after(BindingKey("", key_of(claim), driver.name), behaviour.delay)
        if new is None or "allocation" not in (new.get("status") or {}):
            for known in [each for each in self._answers if each[1] == claim["metadata"]["uid"]]:
                del self._answers[known]

    def _waiting(self, claim: Object) -> Iterator[tuple[SimulatedDriver, Object]]:
        """Yields the allocated devices of simulated drivers that lack a binding condition."""
        status = claim.get("status") or {}
        results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
        for result in results:
            driver = self._drivers.by_name.get(result["driver"])
            if driver is not None and result.get("bindingConditions") and not _is_reported(status, result):
                yield driver, result

    async def report(self, key: BindingKey) -> None:
        """Writes the binding conditions, or the failure conditions, of a driver's devices to a claim.

        Raises StatusError if the request fails.
        """
        claim = self._claims.objects.get(key.claim)
        if claim is None:
            return
        behaviour = self._answers.get((key.driver, claim["metadata"]["uid"]), Behaviour())
        entry = partial(_entry, error=behaviour.error, now=self._context.now())
        own = [entry(result) for driver, result in self._waiting(claim) if driver.name == key.driver]
        if own:
            names = {(each["pool"], each["device"]) for each in own}
            others = [
                each
                for each in claim["status"].get("devices") or ()
                if each["driver"] != key.driver or (each["pool"], each["device"]) not in names
            ]
            status = {**claim["status"], "devices": [*others, *own]}
            path = self._resource.path_of(claim, "status")
            await self._client(key.driver).update(path, {**claim, "status": status})


def _is_reported(status: Object, result: Object) -> bool:
    """Whether the claim's status has all binding conditions of a device, or one of its failure conditions."""
    place = tuple(result[name] for name in ("driver", "pool", "device"))
    for device in status.get("devices") or ():
        if tuple(device[name] for name in ("driver", "pool", "device")) == place:
            types = {condition["type"] for condition in device.get("conditions") or ()}
            failures = set(result.get("bindingFailureConditions") or ())
            return bool(failures & types) or set(result["bindingConditions"]) <= types
    return False


def _entry(result: Object, *, error: str, now: str) -> Object:
    types = result.get("bindingFailureConditions") if error else result["bindingConditions"]
    conditions = [
        {
            "type": kind,
            "status": "True",
            "reason": "Failed" if error else "Attached",
            "message": error,
            "lastTransitionTime": now,
        }
        for kind in types or ()
    ]
    share = {"shareID": result["shareID"]} if result.get("shareID") else {}
    place = {name: result[name] for name in ("driver", "pool", "device")}
    return {**place, **share, "conditions": conditions}
