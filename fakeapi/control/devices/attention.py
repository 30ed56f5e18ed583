"""Finds and counts all objects that wait or need attention, for the view Pending and for `fakeapi top`."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from fakeapi.cluster import Cluster
from fakeapi.control.devices.claim_states import count_pending, place_of, pods_by_claim, waits_alone
from fakeapi.control.devices.objects import Claim, Namespace, Pod
from fakeapi.control.devices.reading import read, read_claims_and_pods
from fakeapi.control.devices.troubled_pods import TroubledPods, troubled_pods
from fakeapi.control.devices.workloads import WorkloadView, short_workloads


class AttentionCount(msgspec.Struct, rename="camel"):
    """The numbers of objects that wait or need attention. No object counts twice.

    - `pods`: the number of pending pods.
    - `crashing`: the number of pods that crash.
    - `workloads`: the number of workloads of each kind that lack pods, if a condition or event says why.
    - `unused_claims`: the number of claims without devices that no pod uses.
    - `deleting_pods`: the number of pods that are being deleted and wait for finalizers, without pending
      pods.
    - `deleting_claims`: the number of claims that are being deleted.
    - `deleting_namespaces`: the number of namespaces that are being deleted.
    """

    pods: int
    crashing: int
    workloads: dict[str, int]
    unused_claims: int
    deleting_pods: int
    deleting_claims: int
    deleting_namespaces: int


@dataclass(frozen=True, slots=True)
class Attention:
    """The objects of a cluster from which the objects that wait are selected.

    - `claims` and `pods`: all claims and pods.
    - `troubled`: the pods that are not pending and need attention.
    - `workloads`: the workloads that lack pods.
    - `namespaces`: the namespaces that are being deleted.
    """

    claims: list[Claim]
    pods: list[Pod]
    troubled: TroubledPods
    workloads: list[WorkloadView]
    namespaces: list[Namespace]

    def count(self) -> AttentionCount:
        deleting = sum(bool(claim.metadata.deletion_timestamp) for claim in self.claims)
        return AttentionCount(
            count_pending(self.pods),
            len(self.troubled.crashing),
            Counter(view.kind for view in self.workloads),
            _count_alone(self.claims, self.pods) - deleting,
            len(self.troubled.deleting),
            deleting,
            len(self.namespaces),
        )


async def read_attention(cluster: Cluster) -> Attention:
    """Reads the objects of a cluster. Lets other tasks of the event loop run meanwhile."""
    return await attention_of(cluster, *await read_claims_and_pods(cluster))


async def attention_of(cluster: Cluster, claims: list[Claim], pods: list[Pod]) -> Attention:
    """Reads the other objects of a cluster. `claims` and `pods`: all claims and pods of the cluster."""
    return Attention(
        claims,
        pods,
        troubled_pods(pods, cluster.clock.now()),
        await short_workloads(cluster),
        await deleted_namespaces(cluster),
    )


async def deleted_namespaces(cluster: Cluster) -> list[Namespace]:
    """Returns the namespaces that are being deleted."""
    namespaces = await read(cluster, "", "namespaces", Namespace)
    return [namespace for namespace in namespaces if namespace.metadata.deletion_timestamp]


def _count_alone(claims: Iterable[Claim], pods: Iterable[Pod]) -> int:
    """Returns the number of claims that wait for a reason of their own."""
    users = pods_by_claim(pods)
    return sum(waits_alone(claim, is_used=bool(users.get(place_of(claim)))) for claim in claims)
