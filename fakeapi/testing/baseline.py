"""Baseline: the state to which a server returns between tests that share the server."""

from dataclasses import dataclass

from fakeapi.clock.adjustable import ClockState, ClusterClock
from fakeapi.cluster import Cluster
from fakeapi.faults.rules import Rule
from fakeapi.snapshots.model import Snapshot


@dataclass(frozen=True, slots=True)
class Baseline:
    """The objects, clock and armed faults of a cluster at one moment.

    - `snapshot`: all objects.
    - `clock`: the state of the clock; None if the option `clock` supplied another clock.
    - `rules`: the rules of the armed faults, in the order of arming.
    """

    snapshot: Snapshot
    clock: ClockState | None
    rules: tuple[Rule, ...]


async def take(cluster: Cluster) -> Baseline:
    """Captures the current state of a cluster.

    Raises ApiError if an accepted write cannot be committed.
    """
    clock, faults = cluster.clock, cluster.armed_faults
    return Baseline(
        await cluster.snapshot(),
        clock.state() if isinstance(clock, ClusterClock) else None,
        () if faults is None else tuple(fault.rule for fault in faults.armed),
    )


async def return_to(cluster: Cluster, baseline: Baseline) -> None:
    """Restores the objects, the clock and the armed faults of a baseline.

    Clears the journal. The counters of the faults start again at 0. Raises SnapshotError if the cluster does
    not serve the kind of an object, and StorageError if the storage cannot be written.
    """
    if cluster.armed_faults is not None:
        cluster.armed_faults.forget()
    if baseline.clock is not None and isinstance(cluster.clock, ClusterClock):
        cluster.clock.put_back(baseline.clock)
    await cluster.restore(baseline.snapshot)
    cluster.journal.clear()
    if baseline.rules:
        cluster.faults.arm(list(baseline.rules))
