"""Baseline: what a server returns to between tests that share it."""

from dataclasses import dataclass

from fakeapi.clock.adjustable import ClockState, ClusterClock
from fakeapi.cluster import Cluster
from fakeapi.faults.rules import Rule
from fakeapi.snapshots.model import Snapshot


@dataclass(frozen=True, slots=True)
class Baseline:
    """Objects, clock and armed faults at one moment; `clock` is None for a clock that the options gave."""

    snapshot: Snapshot
    clock: ClockState | None
    rules: tuple[Rule, ...]


async def take(cluster: Cluster) -> Baseline:
    """The baseline of a cluster as it is. Raises ApiError."""
    clock, faults = cluster.clock, cluster.armed_faults
    return Baseline(
        await cluster.snapshot(),
        clock.state() if isinstance(clock, ClusterClock) else None,
        () if faults is None else tuple(each.rule for each in faults.armed),
    )


async def return_to(cluster: Cluster, baseline: Baseline) -> None:
    """Puts objects, clock and faults back, faults as if just armed, and forgets the requests.

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
