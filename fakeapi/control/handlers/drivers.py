"""Lists, adds and removes simulated DRA drivers, and changes their behaviour."""

from collections import Counter
from typing import Any, Literal

import msgspec

from fakeapi.control.devices.claim_states import ClaimState, place_of, pods_by_claim, state_of
from fakeapi.control.devices.reading import read_claims_and_pods
from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.devices.driver_views import DriverSummary, DriverView, summary_of, view_of
from fakeapi.devices.model import DeviceError
from fakeapi.devices.reading import behaviour_of, specs_of
from fakeapi.devices.simulated import HEALTHY, UNHEALTHY, SimulatedDriver


class DriverList(msgspec.Struct, rename="camel"):
    """The simulated DRA drivers, in the order of their creation.

    `prepared_states`: for each driver, the number of its prepared claims by state, as in GET /claims, and
    `deleted` for claims that do not exist any more. Only GET /drivers fills this member.
    """

    drivers: list[DriverSummary]
    prepared_states: dict[str, dict[str, int]] = {}


class NodeChoice(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The nodes for an action. `node`: the name of a node; "" for all nodes."""

    node: str = ""


class Taint(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A taint to add to a device."""

    key: str
    value: str = ""
    effect: Literal["None", "NoSchedule", "NoExecute"] = "NoSchedule"


class DeviceChange(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A change of a device. Absent members change nothing.

    - `node`: the name of the node; required if several nodes have a device of this name.
    - `health`: Healthy or Unhealthy, with a `message`.
    - `taint`: a taint to add.
    - `untaint`: the key of the taints to remove; "*" for all.
    - `removed`: whether to remove the device from the published slices, or to add it again.
    """

    node: str = ""
    health: Literal["Healthy", "Unhealthy"] | None = None
    message: str = ""
    taint: Taint | None = None
    untaint: str = ""
    removed: bool | None = None


async def read(call: Call) -> DriverList:
    cluster = call.server.cluster
    drivers = [*cluster.drivers.by_name.values()]
    states: dict[str, ClaimState] = {}
    if any(driver.prepared() for driver in drivers):
        claims, pods = await read_claims_and_pods(cluster)
        users = pods_by_claim(pods)
        states = {claim.metadata.uid: state_of(claim, users.get(place_of(claim), ())) for claim in claims}
    return DriverList(
        [*map(summary_of, drivers)],
        {
            driver.name: Counter(str(states.get(record.uid, "deleted")) for record in driver.prepared())
            for driver in drivers
        },
    )


async def read_one(call: Call) -> DriverView:
    return view_of(_driver(call), call.query.node)


async def add(call: Call) -> DriverList:
    if not isinstance(call.body, dict):
        raise refused(400, "a driver is expected, such as {name: gpu.example.com, count: 8}")
    try:
        specs = specs_of(call.body)
        for spec in specs:
            await call.server.simulation.add_driver(spec)
    except DeviceError as error:
        raise refused(400, str(error)) from None
    except RuntimeError as error:
        raise refused(409, str(error)) from None
    return DriverList([summary_of(call.server.cluster.drivers[spec.name]) for spec in specs])


async def remove(call: Call) -> None:
    call.server.cluster.drivers.remove(_driver(call).name)


async def behave(call: Call) -> DriverSummary:
    driver = _driver(call)
    name = call.request.url.path.rpartition("/")[2]
    try:
        driver.behave(name, behaviour_of(call.body, name))
    except DeviceError as error:
        raise refused(400, str(error)) from None
    return summary_of(driver)


async def change_device(call: Call) -> DriverView:
    driver, device, change = _driver(call), call.path["device"], call.body
    try:
        node, _ = driver.find(device, change.node)
    except DeviceError as error:
        raise refused(404, str(error)) from None
    if change.health is not None:
        state = HEALTHY if change.health == "Healthy" else UNHEALTHY
        driver.set_health(device, node, state, change.message)
    if change.untaint:
        driver.untaint(device, node, "" if change.untaint == "*" else change.untaint)
    if change.taint is not None:
        taint, now = change.taint, call.server.cluster.clock.now()
        try:
            driver.taint(device, node, taint.key, taint.value, taint.effect, now)
        except DeviceError as error:
            raise refused(400, str(error)) from None
    if change.removed is not None:
        driver.set_removed(device, node, is_removed=change.removed)
    return view_of(driver, node)


async def stop(call: Call) -> DriverSummary:
    return _acted(call, lambda driver, node: driver.set_running(node, is_running=False))


async def start(call: Call) -> DriverSummary:
    return _acted(call, lambda driver, node: driver.set_running(node, is_running=True))


async def restart(call: Call) -> DriverSummary:
    return _acted(call, SimulatedDriver.restart)


def _acted(call: Call, act: Any) -> DriverSummary:
    driver = _driver(call)
    try:
        act(driver, call.body.node)
    except DeviceError as error:
        raise refused(404, str(error)) from None
    return summary_of(driver)


def _driver(call: Call) -> SimulatedDriver:
    try:
        return call.server.cluster.drivers[call.path["name"]]
    except DeviceError as error:
        raise refused(404, str(error)) from None


def _action(name: str, handle: Any, summary: str) -> Route:
    return Route(
        "POST",
        f"/drivers/{{name}}/{name}",
        handle,
        summary,
        answer=DriverSummary,
        body=NodeChoice,
        body_is_optional=True,
    )


_BEHAVIOURS = {
    "prepare": "answers calls to prepare claims",
    "unprepare": "answers calls to unprepare claims",
    "bind": "reports binding conditions",
}

ROUTES = (
    Route("GET", "/drivers", read, "The simulated DRA drivers.", answer=DriverList),
    Route(
        "POST",
        "/drivers",
        add,
        "Add simulated DRA drivers; answers when their slices are published.",
        answer=DriverList,
        body=Any,
    ),
    Route(
        "GET",
        "/drivers/{name}",
        read_one,
        "A simulated driver with its devices, prepared claims and last calls.",
        answer=DriverView,
        query=NodeChoice,
    ),
    Route("DELETE", "/drivers/{name}", remove, "Stop a simulated driver, and forget it."),
    *(
        Route(
            "POST",
            f"/drivers/{{name}}/{action}",
            behave,
            f"Set how the driver {text}: delay, error, hangs, wrongClaim, times, node.",
            answer=DriverSummary,
            body=Any,
            body_is_optional=True,
        )
        for action, text in _BEHAVIOURS.items()
    ),
    Route(
        "POST",
        "/drivers/{name}/devices/{device}",
        change_device,
        "Change the health or the taints of a device, or remove it from the published slices.",
        answer=DriverView,
        body=DeviceChange,
    ),
    _action("stop", stop, "Stop the driver on a node, or on all nodes."),
    _action("start", start, "Start a stopped driver on a node, or on all nodes."),
    _action("restart", restart, "Restart the driver on a node, or on all nodes; its running calls fail."),
)
