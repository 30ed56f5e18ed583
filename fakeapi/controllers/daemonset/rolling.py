"""Chooses the pods that a rolling update of a DaemonSet replaces next.

Follows `rollingUpdate` of k8s.io/kubernetes `pkg/controller/daemon/update.go`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from fakeapi.controllers.daemonset.placement import Placement, is_updated
from fakeapi.controllers.workloads.counts import scaled
from fakeapi.controllers.workloads.pods import is_available, is_deleted
from fakeapi.machinery.json_types import Object


class Changes(NamedTuple):
    """The pods to delete, and the nodes for which to create pods."""

    delete: list[Object]
    create: list[str]


class Pair(NamedTuple):
    """The pod with the current template and the pod with an old template on one node."""

    new: Object | None
    old: Object | None


def _rolling_value(daemon_set: Object, field: str, nodes: int) -> int:
    strategy: Object = daemon_set["spec"].get("updateStrategy") or {}
    if strategy.get("type") != "RollingUpdate":
        return 0
    value: Any = (strategy.get("rollingUpdate") or {}).get(field)
    return scaled(value, nodes, up=True)


def surge_count(daemon_set: Object, nodes: int) -> int:
    """Returns maxSurge of a DaemonSet as a number. `nodes`: the number of nodes that need a pod."""
    return _rolling_value(daemon_set, "maxSurge", nodes)


def rolling_changes(
    daemon_set: Object,
    pods: Mapping[str, list[Object]],
    places: Mapping[str, Placement],
    template_hash: str,
    now: float,
) -> Changes:
    """Returns the next step of a rolling update.

    - `pods`: the pods of the DaemonSet by node.
    - `places`: the placement on each node.
    - `template_hash`: the hash of the current revision.
    """
    wanted = [node for node, place in places.items() if place.runs]
    surge = surge_count(daemon_set, len(wanted))
    unavailable = _rolling_value(daemon_set, "maxUnavailable", len(wanted))
    if wanted and not surge and not unavailable:
        unavailable = 1
    seconds = daemon_set["spec"].get("minReadySeconds") or 0

    def available(pod: Object) -> bool:
        return is_available(pod, seconds, now)

    by_node = {node: pods.get(node, []) for node in (*pods, *(node for node in wanted if node not in pods))}
    pairs = {node: _pair(daemon_set, own, template_hash) for node, own in by_node.items()}
    if not surge:
        return Changes(_replaced(pairs.values(), unavailable, available), [])
    return _surged(pairs, places, surge, available)


def _pair(daemon_set: Object, pods: Iterable[Object], template_hash: str) -> Pair | None:
    """Returns the new and the old pod of a node; None if the node has several new or several old pods."""
    present = [pod for pod in pods if not is_deleted(pod)]
    new = [pod for pod in present if is_updated(daemon_set, pod, template_hash)]
    old = [pod for pod in present if pod not in new]
    if len(new) > 1 or len(old) > 1:
        return None
    return Pair(new[0] if new else None, old[0] if old else None)


def _replaced(pairs: Iterable[Pair | None], most: int, available: Any) -> list[Object]:
    """Returns the old pods to delete now: all unavailable old pods, and then available old pods.

    `most`: the maximum number of unavailable pods. Limits only how many available pods are deleted.
    """
    missing = 0
    at_once: list[Object] = []
    candidates: list[Object] = []
    for pair in pairs:
        if pair is None or (pair.new is None) == (pair.old is None):
            missing += 1
        elif pair.new is not None:
            missing += not available(pair.new)
        elif not available(pair.old):
            assert pair.old is not None, "one of both pods exists"
            at_once.append(pair.old)
            missing += 1
        elif missing < most:
            assert pair.old is not None, "one of both pods exists"
            candidates.append(pair.old)
    return at_once + candidates[: max(most - missing, 0)]


def _surged(
    pairs: Mapping[str, Pair | None], places: Mapping[str, Placement], most: int, available: Any
) -> Changes:
    """Returns the nodes for additional new pods, and the old pods to delete.

    Deletes an old pod if its node has an available new pod. On nodes that should not run a pod any more,
    deletes unavailable old pods. Deletes available old pods there only while more nodes have an available pod
    than should run a pod. `most`: maxSurge, the number of nodes that may have two pods.
    """
    changes = Changes([], [])
    unwanted: list[Object] = []
    candidates: list[str] = []
    surging = ready = 0
    for node, pair in pairs.items():
        if pair is None:
            surging += 1
            continue
        counted = pair.old or pair.new
        ready += counted is not None and available(counted)
        if pair.old is None:
            continue
        runs = node in places and places[node].runs
        if pair.new is not None:
            if available(pair.new):
                changes.delete.append(pair.old)
            else:
                surging += 1
        elif not runs:
            (unwanted if available(pair.old) else changes.delete).append(pair.old)
        elif not available(pair.old):
            changes.create.append(node)
        elif surging < most:
            candidates.append(node)
    wanted = sum(place.runs for place in places.values())
    changes.delete.extend(unwanted[: max(ready - wanted, 0)])
    changes.create.extend(candidates[: max(most - surging, 0)])
    return changes
