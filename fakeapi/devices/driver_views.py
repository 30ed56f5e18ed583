"""Defines the JSON responses of the control API about simulated DRA drivers."""

from collections.abc import Iterable
from typing import Any

import msgspec

from fakeapi.devices.model import Behaviour
from fakeapi.devices.simulated import CallRecord, NodeDevices, PreparedRecord, SimulatedDriver


class BehaviourView(msgspec.Struct, rename="camel", omit_defaults=True):
    """The answers of a driver to calls, as JSON. An empty object means that all calls succeed at once.

    - `delay`: seconds on the server's clock that each call takes.
    - `error`: the error that the driver returns for each claim.
    - `hangs`: whether the driver never answers.
    - `wrong_claim`: whether the driver answers for a claim that the kubelet did not name.
    - `times`: the number of calls left; None for all calls.
    - `node`: the only node with this behaviour; None for all nodes.
    """

    delay: float | None = None
    error: str | None = None
    hangs: bool = False
    wrong_claim: bool = False
    times: int | None = None
    node: str | None = None


class DeviceView(msgspec.Struct, rename="camel"):
    """A device of a simulated driver on one node, as JSON.

    - `health`: Healthy or Unhealthy.
    - `message`: the driver's text about the health.
    - `removed`: whether the driver leaves the device out of its ResourceSlices.
    - `published`: the device in the layout of resource.k8s.io/v1, with its taints.
    - `claims`: the prepared claims with this device, as NAMESPACE/NAME.
    """

    name: str
    health: str
    message: str
    removed: bool
    claims: list[str]
    published: dict[str, Any]


class DriverNode(msgspec.Struct, rename="camel"):
    """The devices of a simulated driver on one node, as JSON.

    `running`: whether the driver runs on the node.
    """

    name: str
    pool: str
    running: bool
    devices: list[DeviceView]
    counters: list[dict[str, Any]]


class DriverSummary(msgspec.Struct, rename="camel"):
    """A simulated driver in a list, as JSON: its behaviour, and the counts of its nodes, devices and prepared
    claims.

    - `prepared_claims`: the number of claims that kubelets have prepared with the driver and have not
      unprepared yet.
    - `failed_calls`: the number of failed calls among the newest CALLS_KEPT calls.
    - `last_error`: the newest failed call with its claims, its node and its error; "" without a failed call.
    - `calls_since_error`: the number of successful calls after the newest failed call; 0 if the newest call
      on any node failed.
    """

    name: str
    nodes: int
    running_nodes: int
    devices: int
    prepared_claims: int
    failed_calls: int
    last_error: str
    calls_since_error: int
    prepare: BehaviourView
    unprepare: BehaviourView
    bind: BehaviourView


class DriverView(msgspec.Struct, rename="camel"):
    """A simulated driver with its nodes, devices and prepared claims, as JSON.

    `calls`: the newest CALLS_KEPT calls of kubelets, oldest first.
    """

    name: str
    cdi: str
    prepare: BehaviourView
    unprepare: BehaviourView
    bind: BehaviourView
    nodes: list[DriverNode]
    prepared: list[PreparedRecord]
    calls: list[CallRecord]


def summary_of(driver: SimulatedDriver) -> DriverSummary:
    failed = [call for call in driver.calls if call.error]
    return DriverSummary(
        name=driver.name,
        nodes=len(driver.nodes),
        running_nodes=sum(1 for _ in driver.running_nodes()),
        devices=sum(len(node.devices) for node in driver.nodes.values()),
        prepared_claims=len(driver.prepared()),
        failed_calls=len(failed),
        last_error=_failure_text(failed[-1]) if failed else "",
        calls_since_error=_calls_since_error(driver.calls),
        prepare=_behaviour(driver, "prepare"),
        unprepare=_behaviour(driver, "unprepare"),
        bind=_behaviour(driver, "bind"),
    )


def _calls_since_error(calls: Iterable[CallRecord]) -> int:
    """Returns the number of calls after the newest failed call; 0 if the newest call on a node failed."""
    newest: dict[str, str] = {}
    since = 0
    for call in calls:
        newest[call.node] = call.error
        since = 0 if call.error else since + 1
    return 0 if any(newest.values()) else since


def _failure_text(call: CallRecord) -> str:
    return f"{call.call} {', '.join(call.claims)} on node {call.node}: {call.error}"


def view_of(driver: SimulatedDriver, node: str = "") -> DriverView:
    """Describes a simulated driver as JSON. `node`: the only node to include; "" for all nodes."""
    return DriverView(
        name=driver.name,
        cdi=driver.spec.cdi,
        prepare=_behaviour(driver, "prepare"),
        unprepare=_behaviour(driver, "unprepare"),
        bind=_behaviour(driver, "bind"),
        nodes=[_node(name, devices) for name, devices in driver.nodes.items() if node in {"", name}],
        prepared=[record for record in driver.prepared() if node in {"", record.node}],
        calls=[call for call in driver.calls if node in {"", call.node}],
    )


def _node(name: str, node: NodeDevices) -> DriverNode:
    claims: dict[str, list[str]] = {}
    for record in node.prepared.values():
        for device in record.devices:
            claims.setdefault(device.rpartition("/")[2], []).append(f"{record.namespace}/{record.name}")
    devices = [
        DeviceView(name, state.health, state.message, state.is_removed, claims.get(name, []), state.published)
        for name, state in node.devices.items()
    ]
    return DriverNode(name, node.pool, node.is_running, devices, list(node.counters))


def _behaviour(driver: SimulatedDriver, call: str) -> BehaviourView:
    behaviour = driver.behaviours.get(call) or Behaviour()
    return BehaviourView(
        behaviour.delay or None,
        behaviour.error or None,
        behaviour.hangs,
        behaviour.wrong_claim,
        behaviour.times,
        behaviour.node or None,
    )
