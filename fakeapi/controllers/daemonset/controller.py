"""DaemonSetController: keeps a pod of each DaemonSet on every suitable node.

Follows k8s.io/kubernetes `pkg/controller/daemon`. The affinity of each pod selects its node, and the
scheduler binds the pod.
"""

from collections.abc import Iterable, Mapping

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.daemonset.placement import (
    Placement,
    is_updated,
    placements,
    pod_template,
    target_node,
)
from fakeapi.controllers.daemonset.rolling import Changes, rolling_changes, surge_count
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.workloads.batches import DAEMON_BURST, slow_start
from fakeapi.controllers.workloads.claiming import Claiming
from fakeapi.controllers.workloads.controller import PodOwnerController
from fakeapi.controllers.workloads.hashing import template_hash
from fakeapi.controllers.workloads.owners import OwnedObjects, labels_of
from fakeapi.controllers.workloads.pods import has_ended, is_available, is_deleted, is_ready, phase
from fakeapi.controllers.workloads.revisions import HASH, Revisions, template_patch
from fakeapi.machinery.json_types import Object

BACKOFF_SECONDS_MIN, BACKOFF_SECONDS_MAX = 1.0, 900.0
"""Shortest and longest delay in seconds between deletions of failed pods on a node.

Each failure doubles the delay.
"""

ByNode = Mapping[str, list[Object]]


class DaemonSetController(PodOwnerController):
    name = "daemonset"
    plural = "daemonsets"
    agent = "daemon-set-controller"
    component = "daemonset-controller"

    async def start(self) -> None:
        self._failures: dict[str, dict[str, tuple[float, float]]] = {}
        """The delay after the last failed pod and its start time, by DaemonSet key and node."""
        await super().start()
        revisions = OwnedObjects(self.context.informer(self.context.served("apps", "controllerrevisions")))
        revisions.on_change(self.owned_changed)
        self._revisions = Revisions(self.api, self.resource, revisions)
        self._nodes = self.context.informer(self.context.served("", "nodes"))
        self._nodes.on_change(self._node_changed)

    def _node_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues all DaemonSets if a node was created or deleted, or if its labels or taints have changed."""
        if old is None or new is None or _node_facts(old) != _node_facts(new):
            for owner in self.owners.objects.values():
                self.context.add(key_of(owner))

    def forget(self, key: str) -> None:
        self._failures.pop(key, None)

    async def sync(self, owner: Object) -> None:
        if not any((owner["spec"].get("selector") or {}).values()):
            text = "This daemon set is selecting all pods. A non-empty selector is required."
            await self.events.record(owner, "Warning", "SelectingAll", text)
            return
        if is_deleted(owner):
            return
        current, old = await self._history(owner)
        if current is None:
            return  # hash collision: the new collisionCount queues the DaemonSet again
        current_hash = labels_of(current)[HASH]
        places = placements(owner, list(self._nodes.objects.values()))
        claiming = Claiming(self.api, self.resource, self.pods.informer.resource, owner)
        claimed = await claiming.claim(self.candidates(owner))
        pods = _by_node(pod for pod in claimed if not (has_ended(pod) and is_deleted(pod)))
        problem: StatusError | None = None
        try:
            await self._update(owner, places, pods, current_hash)
            limit = owner["spec"].get("revisionHistoryLimit", 10)
            await self._revisions.truncate(old, limit, {labels_of(pod).get(HASH, "") for pod in claimed})
        except StatusError as error:
            problem = error
        await self._sync_status(owner, places, pods, current_hash)
        if problem is not None:
            raise problem

    # revisions --------------------------------------------------------------------------------------

    async def _history(self, owner: Object) -> tuple[Object | None, list[Object]]:
        """Returns the ControllerRevision of the current pod template, and all other ControllerRevisions.

        Creates the ControllerRevision of the current template if it is missing. The first item is None if
        another object already has the name.
        """
        data = template_patch(owner)
        revisions = await self._revisions.of(owner)
        old = [revision for revision in revisions if revision.get("data") != data]
        number = max((revision.get("revision", 0) for revision in old), default=0) + 1
        current = next((each for each in reversed(revisions) if each.get("data") == data), None)
        if current is None:
            status = owner.get("status") or {}
            name_hash = template_hash(owner["spec"]["template"], status.get("collisionCount"))
            current = await self._revisions.create(owner, data, number, name_hash)
            if current is None:
                count = (status.get("collisionCount") or 0) + 1
                await self.write_status(owner, {**status, "collisionCount": count})
        elif current.get("revision", 0) < number:
            current = await self._revisions.renumber(current, number)
        return current, old

    # pods -------------------------------------------------------------------------------------------

    async def _update(
        self, owner: Object, places: Mapping[str, Placement], pods: ByNode, current_hash: str
    ) -> None:
        """Creates and deletes pods.

        Gives each node its pod. If no node needs a change, the strategy RollingUpdate replaces pods with old
        templates.
        """
        changes = await self._managed(owner, places, pods, current_hash)
        if not any(changes):
            strategy = (owner["spec"].get("updateStrategy") or {}).get("type")
            if strategy == "RollingUpdate":
                now = self.context.clock.now()
                changes = rolling_changes(owner, pods, places, current_hash, now)
        await self._apply(owner, changes, current_hash)

    async def _managed(
        self, owner: Object, places: Mapping[str, Placement], pods: ByNode, current_hash: str
    ) -> Changes:
        """Returns the changes that give each node the right number of pods."""
        changes = Changes([], [])
        surges = surge_count(owner, 1) > 0
        for node, place in places.items():
            own = pods.get(node, [])
            if place.runs and not own:
                changes.create.append(node)
            elif place.keeps:
                running = await self._without_ended(owner, node, own, changes)
                if not surges:
                    changes.delete.extend(_in_order(running)[1:])
                elif not running and place.runs:
                    changes.create.append(node)
                elif len(running) > 1:
                    changes.delete.extend(self._surplus(owner, running, current_hash))
            else:
                changes.delete.extend(pod for pod in own if not is_deleted(pod))
        gone = (pod for node, own in pods.items() if node not in places for pod in own)
        changes.delete.extend(pod for pod in gone if not pod["spec"].get("nodeName"))
        return changes

    async def _without_ended(
        self, owner: Object, node: str, pods: Iterable[Object], changes: Changes
    ) -> list[Object]:
        """Returns the pods of a node that have not ended, and adds the ended pods to `changes`.

        After a failed pod, waits with growing delays before the next failed pod of the node is deleted.
        """
        running: list[Object] = []
        for pod in pods:
            if is_deleted(pod):
                continue
            place = f"{pod['metadata']['namespace']}/{pod['metadata']['name']} on node {node}"
            if phase(pod) == "Failed":
                if self._may_delete_failed(owner, node):
                    text = f"Found failed daemon pod {place}, will try to kill it"
                    await self.events.record(owner, "Warning", "FailedDaemonPod", text)
                    changes.delete.append(pod)
            elif phase(pod) == "Succeeded":
                text = f"Found succeeded daemon pod {place}, will try to delete it"
                await self.events.record(owner, "Normal", "SucceededDaemonPod", text)
                changes.delete.append(pod)
            else:
                running.append(pod)
        return running

    def _may_delete_failed(self, owner: Object, node: str) -> bool:
        """Whether the delay after the last failed pod on a node is over. If so, begins the next delay."""
        key, now = key_of(owner), self.context.clock.now()
        failures = self._failures.setdefault(key, {})
        delay, since = failures.get(node, (0.0, 0.0))
        if delay and now - since < delay:
            self.context.add_after(key, delay - (now - since))
            return False
        is_recent = delay and now - since < 2 * BACKOFF_SECONDS_MAX
        failures[node] = min(delay * 2, BACKOFF_SECONDS_MAX) if is_recent else BACKOFF_SECONDS_MIN, now
        return True

    def _surplus(self, owner: Object, running: list[Object], current_hash: str) -> list[Object]:
        """Returns the surplus pods of a node during an update with maxSurge.

        With maxSurge, a node may have one old and one new pod.
        """
        new = [pod for pod in _in_order(running) if labels_of(pod).get(HASH) == current_hash]
        old = [pod for pod in _in_order(running) if pod not in new]
        surplus = [*new[1:], *old[1:]]
        seconds = owner["spec"].get("minReadySeconds") or 0
        now = self.context.clock.now()
        if new and old and (not is_ready(old[0]) or is_available(new[0], seconds, now)):
            surplus.append(old[0])
        return surplus

    async def _apply(self, owner: Object, changes: Changes, current_hash: str) -> None:
        """Creates and deletes pods, at most DAEMON_BURST of each. Then raises the first StatusError of these
        requests.
        """
        problem: StatusError | None = None

        async def create(index: int) -> None:
            template = pod_template(owner, changes.create[index], current_hash)
            await self.pod_control.create(owner, template)

        try:
            await slow_start(min(len(changes.create), DAEMON_BURST), create)
        except StatusError as error:
            problem = error
        try:
            await self.pod_control.delete_all(owner, changes.delete[:DAEMON_BURST])
        except StatusError as error:
            problem = problem or error
        if problem is not None:
            raise problem

    # status -----------------------------------------------------------------------------------------

    async def _sync_status(
        self, owner: Object, places: Mapping[str, Placement], pods: ByNode, current_hash: str
    ) -> None:
        now, seconds = self.context.clock.now(), owner["spec"].get("minReadySeconds") or 0
        wanted = [node for node, place in places.items() if place.runs]
        oldest = [_in_order(pods[node])[0] for node in wanted if pods.get(node)]
        ready = sum(map(is_ready, oldest))
        available = sum(is_available(pod, seconds, now) for pod in oldest)
        status = {
            **(owner.get("status") or {}),
            "observedGeneration": owner["metadata"].get("generation", 0),
            "desiredNumberScheduled": len(wanted),
            "currentNumberScheduled": len(oldest),
            "numberMisscheduled": sum(
                bool(pods.get(node)) for node, place in places.items() if not place.runs
            ),
            "numberReady": ready,
            "updatedNumberScheduled": sum(is_updated(owner, pod, current_hash) for pod in oldest),
            "numberAvailable": available,
            "numberUnavailable": len(wanted) - available,
        }
        await self.write_status(owner, status)
        if seconds and ready != available:
            self.context.add_after(key_of(owner), seconds)


def _by_node(pods: Iterable[Object]) -> dict[str, list[Object]]:
    """Returns pods by their target nodes. Omits pods without a target node."""
    by_node: dict[str, list[Object]] = {}
    for pod in pods:
        node = target_node(pod)
        if node is not None:
            by_node.setdefault(node, []).append(pod)
    return by_node


def _in_order(pods: Iterable[Object]) -> list[Object]:
    """Returns pods sorted: bound pods first, and then the oldest first."""
    return sorted(
        pods,
        key=lambda pod: (
            not pod["spec"].get("nodeName"),
            pod["metadata"]["creationTimestamp"],
            pod["metadata"]["name"],
        ),
    )


def _node_facts(node: Object) -> tuple[Object, object]:
    return labels_of(node), (node.get("spec") or {}).get("taints")
