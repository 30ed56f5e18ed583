"""Baseline: the state to which a server returns between tests that share the server."""

from collections.abc import Mapping
from dataclasses import dataclass

from fakeapi.clock.adjustable import ClockState, ClusterClock
from fakeapi.cluster import Cluster
from fakeapi.devices.model import DriverSpec
from fakeapi.faults.rules import Rule
from fakeapi.run_images import RunImage
from fakeapi.snapshots.model import Snapshot
from fakeapi.testing.server_controllers import ServerControllers


@dataclass(frozen=True, slots=True)
class Baseline:
    """The state of a server at one moment: objects, clock, armed faults and simulation.

    - `snapshot`: all objects.
    - `clock`: the state of the clock; None if the option `clock` supplied another clock.
    - `rules`: the rules of the armed faults, in the order of arming.
    - `runs_controllers`: whether controllers ran.
    - `drivers`: the simulated drivers with their nodes.
    - `images`: the images whose containers run as processes.
    - `services`: the URLs that replace Services of webhooks.
    """

    snapshot: Snapshot
    clock: ClockState | None
    rules: tuple[Rule, ...]
    runs_controllers: bool
    drivers: tuple[tuple[DriverSpec, tuple[str, ...]], ...]
    images: tuple[RunImage, ...]
    services: Mapping[str, str]


async def take(cluster: Cluster, controllers: ServerControllers) -> Baseline:
    """Captures the current state of a cluster.

    Raises ApiError if an accepted write cannot be committed.
    """
    clock, faults = cluster.clock, cluster.armed_faults
    return Baseline(
        await cluster.snapshot(),
        clock.state() if isinstance(clock, ClusterClock) else None,
        () if faults is None else tuple(fault.rule for fault in faults.armed),
        controllers.runner is not None,
        _drivers(cluster),
        tuple(cluster.run_images),
        cluster.service_urls.entries(),
    )


def _drivers(cluster: Cluster) -> tuple[tuple[DriverSpec, tuple[str, ...]], ...]:
    """Returns the specs of the simulated drivers, each with the names of its nodes."""
    return tuple((driver.spec, tuple(driver.nodes)) for driver in cluster.drivers.by_name.values())


async def return_to(cluster: Cluster, controllers: ServerControllers, baseline: Baseline) -> None:
    """Restores the objects, the clock, the armed faults and the simulation of a baseline.

    Stops controllers that started after the baseline. Clears the journal. The counters of the faults start at
    0 again. Raises SnapshotError if the cluster does not serve the kind of an object, and StorageError if the
    storage cannot be written.
    """
    if cluster.armed_faults is not None:
        cluster.armed_faults.forget()
    if baseline.clock is not None and isinstance(cluster.clock, ClusterClock):
        cluster.clock.put_back(baseline.clock)
    if not baseline.runs_controllers:
        await controllers.stop_later()
    cluster.run_images.replace(baseline.images)
    cluster.service_urls.replace(baseline.services)
    _return_drivers(cluster, baseline)
    await cluster.restore(baseline.snapshot)
    cluster.journal.clear()
    if baseline.rules:
        cluster.faults.arm(list(baseline.rules))


def _return_drivers(cluster: Cluster, baseline: Baseline) -> None:
    """Removes drivers that differ from the baseline, and adds the missing drivers of the baseline."""
    drivers = cluster.drivers
    for spec, _ in [each for each in _drivers(cluster) if each not in baseline.drivers]:
        drivers.remove(spec.name)
    for spec, nodes in baseline.drivers:
        if spec.name in drivers.by_name:
            continue
        driver = drivers.add(spec, nodes)
        for node in nodes:
            driver.add_node(node)
