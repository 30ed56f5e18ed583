"""Baseline: the state to which a shared server returns between tests."""

from dataclasses import dataclass

from fakeapi.clock.adjustable import ClockState, ClusterClock
from fakeapi.cluster import Cluster
from fakeapi.faults.rules import Rule
from fakeapi.snapshots.model import Snapshot


@dataclass(frozen=True, slots=True)
class Baseline:
    """Objects, clock and armed faults at one moment; `clock` is None if the option `clock` supplied one."""

    snapshot: Snapshot
    clock: ClockState | None
    rules: tuple[Rule, ...]


async def take(cluster: Cluster) -> Baseline:
    """Captures the current state of a cluster. Raises ApiError."""
    clock, faults = cluster.clock, cluster.armed_faults
    return Baseline(
        await cluster.snapshot(),
        clock.state() if isinstance(clock, ClusterClock) else None,
        () if faults is None else tuple(fault.rule for fault in faults.armed),
    )


async def return_to(cluster: Cluster, baseline: Baseline) -> None:
    """Puts back the objects, the clock and the faults, whose counters start again, and clears the journal.

    Raises SnapshotError, StorageError.
    """
    if cluster.armed_faults is not None:
        cluster.armed_faults.forget()
    if baseline.clock is not None and isinstance(cluster.clock, ClusterClock):
        cluster.clock.put_back(baseline.clock)
    await cluster.restore(baseline.snapshot)
    cluster.journal.clear()
    if baseline.rules:
        cluster.faults.arm(list(baseline.rules))
