"""Chooses the pods that a ReplicaSet with too many pods deletes.

Follows `ActivePodsWithRanks` of k8s.io/kubernetes `pkg/controller/controller_utils.go`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from math import log2

from fakeapi.controllers.workloads.pods import is_active, is_ready, phase, ready_since, restarts, seconds_of
from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.json_types import Object

COST = "controller.kubernetes.io/pod-deletion-cost"
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


def pods_to_delete(pods: Sequence[Object], related: Iterable[Object], count: int, now: float) -> list[Object]:
    """Returns the `count` pods that a ReplicaSet deletes first.

    - `related`: the pods of all ReplicaSets with the same controller. A node with more of these pods loses a
      pod first.
    - `now`: the time in seconds since the epoch.
    """
    if count >= len(pods):
        return list(pods)
    nodes = Counter(pod["spec"].get("nodeName", "") for pod in related if is_active(pod))
    ranks = {pod["metadata"]["uid"]: nodes[pod["spec"].get("nodeName", "")] for pod in pods}

    def compare(one: Object, other: Object) -> int:
        return _compare(one, other, ranks, now)

    return sorted(pods, key=cmp_to_key(compare))[:count]


def _compare(one: Object, other: Object, ranks: dict[str, int], now: float) -> int:
    """Returns a negative number if `one` is deleted before `other`, and a positive number if after it."""
    pairs = [
        (bool(pod["spec"].get("nodeName")), _PHASES.get(phase(pod), 0), is_ready(pod), deletion_cost(pod))
        for pod in (one, other)
    ]
    if pairs[0] != pairs[1]:
        return -1 if pairs[0] < pairs[1] else 1
    rank, other_rank = (ranks[pod["metadata"]["uid"]] for pod in (one, other))
    if rank != other_rank:
        return other_rank - rank
    since, other_since = ready_since(one), ready_since(other)
    if since is not None and other_since is not None and since != other_since:
        return _by_age(one, other, since, other_since, now)
    if restarts(one) != restarts(other):
        return -1 if restarts(one) > restarts(other) else 1
    created, other_created = (seconds_of(pod["metadata"]["creationTimestamp"]) for pod in (one, other))
    return _by_age(one, other, created, other_created, now) if created != other_created else 0


def deletion_cost(pod: Object) -> int:
    """Returns the deletion cost in a pod's annotations; 0 for a missing or invalid cost."""
    try:
        return parse_int((pod["metadata"].get("annotations") or {}).get(COST, "0"))
    except ValueError:
        return 0


def _by_age(one: Object, other: Object, since: float, other_since: float, now: float) -> int:
    """Compares two times. The later time comes first.

    Times of a similar age are ordered by the uids of the pods.
    """
    age, other_age = _scale(now - since), _scale(now - other_since)
    if age != other_age:
        return -1 if age < other_age else 1
    return -1 if one["metadata"]["uid"] < other["metadata"]["uid"] else 1


def _scale(seconds: float) -> int:
    """Returns the base-2 logarithm of an age in nanoseconds, rounded down; -1 for an age of 0 or less."""
    return int(log2(seconds * 1e9)) if seconds > 0 else -1
