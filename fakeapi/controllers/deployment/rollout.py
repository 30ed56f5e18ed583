"""Rollout: one reconciliation of a Deployment with its ReplicaSets.

Follows k8s.io/kubernetes `pkg/controller/deployment`, `sync.go`, `rolling.go` and `recreate.go`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.deployment import conditions
from fakeapi.controllers.deployment import replica_sets as sets
from fakeapi.controllers.deployment.surge import is_rolling, max_surge, max_unavailable, replicas_of
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.workloads.hashing import template_hash
from fakeapi.controllers.workloads.owners import controller_reference, is_controlled_by
from fakeapi.controllers.workloads.pod_control import is_namespace_terminating
from fakeapi.controllers.workloads.pods import has_ended, is_deleted
from fakeapi.controllers.workloads.statuses import TERMINATING_GATE, is_same_status
from fakeapi.machinery.json_types import Object

NAME_MAX = 253


@dataclass(frozen=True, slots=True)
class Access:
    """Gives a Rollout access to the server: API client, resources and event recorder."""

    context: ControllerContext
    api: InProcessClient
    deployments: ServedResource
    replica_sets: ServedResource
    events: EventRecorder


class Rollout:
    """Reconciles one Deployment.

    `replica_sets`: the ReplicaSets that the Deployment controls.
    """

    def __init__(self, access: Access, deployment: Object, replica_sets: Iterable[Object]) -> None:
        self._access = access
        self._context = access.context
        self._deployment = deployment
        self._new, self._old = sets.split(deployment, replica_sets)

    @property
    def _all(self) -> list[Object]:
        return [*self._old, *([] if self._new is None else [self._new])]

    async def check_pause(self) -> None:
        """Updates the condition Progressing if the Deployment was paused or resumed."""
        current = self._progressing
        if not conditions.has_deadline(self._deployment):
            return
        reason = "" if current is None else current.get("reason")
        is_paused = bool(self._deployment["spec"].get("paused"))
        if reason == conditions.TIMED_OUT or is_paused == (reason == conditions.PAUSED):
            return
        if is_paused:
            await self._set_progress("Unknown", conditions.PAUSED, "Deployment is paused")
        else:
            await self._set_progress("Unknown", conditions.RESUMED, "Deployment is resumed")

    async def sync_status_only(self) -> None:
        """Updates the status of a Deployment that is being deleted."""
        await self._sync_revision(creates=False)
        await self._write_status(self._status())

    async def sync(self) -> None:
        """Scales a Deployment that is paused, or whose `spec.replicas` has changed."""
        await self._sync_revision(creates=False)
        await self._scale()
        if self._deployment["spec"].get("paused"):
            await self._clean_up()
        await self._write_status(self._status())

    async def is_scaling(self) -> bool:
        """Whether the Deployment's `spec.replicas` has changed since its ReplicaSets were scaled."""
        await self._sync_revision(creates=False)
        replicas = replicas_of(self._deployment)
        active = [sets.desired_replicas(each) for each in self._all if replicas_of(each) > 0]
        return any(desired is not None and desired != replicas for desired in active)

    async def roll(self) -> None:
        """Replaces old pods gradually, by the strategy RollingUpdate."""
        await self._sync_revision(creates=True)
        is_scaled = await self._scale_new() or await self._scale_old()
        if not is_scaled and conditions.is_complete(self._deployment, self._deployment.get("status") or {}):
            await self._clean_up()
        await self._sync_rollout_status()

    async def recreate(self, pods: Iterable[Object]) -> None:
        """Replaces all old pods at once, by the strategy Recreate.

        `pods`: the pods of all ReplicaSets of the Deployment.
        """
        await self._sync_revision(creates=False)
        scaled = False
        for each in [each for each in self._old if replicas_of(each) > 0]:
            scaled = await self._scale_set(each, 0) or scaled
        if not scaled and not self._has_old_pods(pods):
            if self._new is None:
                await self._sync_revision(creates=True)
            assert self._new is not None, "the ReplicaSet was created"
            await self._scale_set(self._new, replicas_of(self._deployment))
            if conditions.is_complete(self._deployment, self._deployment.get("status") or {}):
                await self._clean_up()
        await self._sync_rollout_status()

    # the newest ReplicaSet --------------------------------------------------------------------------

    async def _sync_revision(self, *, creates: bool) -> None:
        """Updates the annotations of the newest ReplicaSet, and the revision of the Deployment.

        `creates`: whether to create the ReplicaSet if it does not exist.
        """
        number = max(map(sets.revision, self._old), default=0) + 1
        if self._new is None:
            if creates:
                await self._create_new(number)
            return
        new, deployment = self._new, self._deployment
        annotations = sets.new_annotations(deployment, new, number, exists=True)
        seconds = deployment["spec"].get("minReadySeconds") or 0
        if annotations != sets.annotations_of(new) or seconds != (new["spec"].get("minReadySeconds") or 0):
            spec = {**new["spec"], "minReadySeconds": seconds}
            await self._update_set(new, annotations, spec)
            return
        await self._note_revision(annotations.get(sets.REVISION, ""))
        if self._progressing is None:
            name = new["metadata"]["name"]
            await self._set_progress("True", "FoundNewReplicaSet", f'Found new replica set "{name}"')

    async def _create_new(self, number: int) -> None:
        deployment, access = self._deployment, self._access
        body = self._new_set()
        replicas = sets.new_replicas(deployment, [*self._old, body], body)
        body["spec"]["replicas"] = replicas
        body["metadata"]["annotations"] = sets.new_annotations(deployment, body, number, exists=False)
        name, namespace = body["metadata"]["name"], deployment["metadata"]["namespace"]
        try:
            created = await access.api.create(access.replica_sets.path(namespace), body)
        except StatusError as problem:
            if problem.is_already_exists:
                await self._resolve_collision(name, problem)
                return
            if not is_namespace_terminating(problem):
                text = f'Failed to create new replica set "{name}": {problem.message}'
                await self._set_progress("False", "ReplicaSetCreateError", text)
                await access.events.record(deployment, "Warning", "ReplicaSetCreateError", text)
            raise
        self._new = created
        if replicas > 0:
            await self._record(f"Scaled up replica set {name} from 0 to {replicas}")
        await self._note_revision(str(number))
        await self._set_progress("True", "NewReplicaSetCreated", f'Created new replica set "{name}"')

    def _new_set(self) -> Object:
        """Returns a new ReplicaSet with the pod template of the Deployment and no replicas."""
        deployment = self._deployment
        spec = deployment["spec"]
        value = template_hash(spec["template"], (deployment.get("status") or {}).get("collisionCount"))
        template = {**spec["template"], "metadata": dict(spec["template"].get("metadata") or {})}
        labels = {**(template["metadata"].get("labels") or {}), sets.HASH: value}
        template["metadata"]["labels"] = labels
        selector = {**spec["selector"]}
        selector["matchLabels"] = {**(selector.get("matchLabels") or {}), sets.HASH: value}
        name = f"{deployment['metadata']['name'][: NAME_MAX - 1 - len(value)]}-{value}"
        return {
            "apiVersion": self._access.replica_sets.api_version,
            "kind": "ReplicaSet",
            "metadata": {
                "name": name,
                "namespace": deployment["metadata"]["namespace"],
                "ownerReferences": [controller_reference(deployment)],
                "labels": labels,
            },
            "spec": {
                "replicas": 0,
                "minReadySeconds": spec.get("minReadySeconds") or 0,
                "selector": selector,
                "template": template,
            },
        }

    async def _resolve_collision(self, name: str, problem: StatusError) -> None:
        """Handles a name collision: uses the existing ReplicaSet if the Deployment controls it and the pod
        template is the same. Otherwise increases the collisionCount, so that the next attempt uses another
        name, and raises `problem`.
        """
        namespace = self._deployment["metadata"]["namespace"]
        known = await self._access.api.get(self._access.replica_sets.path(namespace, name))
        is_own = is_controlled_by(known, self._deployment)
        if is_own and sets.has_same_template(self._deployment, known):
            self._new = known
            return
        status = self._deployment.get("status") or {}
        await self._write_status({**status, "collisionCount": (status.get("collisionCount") or 0) + 1})
        raise problem

    # scaling ----------------------------------------------------------------------------------------

    async def _scale(self) -> None:
        deployment, replicas = self._deployment, replicas_of(self._deployment)
        only = sets.active_or_latest(self._new, self._old)
        if only is not None:
            await self._scale_set(only, replicas)
        elif sets.is_saturated(deployment, self._new):
            for each in self._old:
                if replicas_of(each) > 0:
                    await self._scale_set(each, 0)
        elif is_rolling(deployment):
            await self._scale_in_proportion()

    async def _scale_in_proportion(self) -> None:
        """Scales all ReplicaSets with replicas, in proportion to their sizes."""
        deployment, replicas = self._deployment, replicas_of(self._deployment)
        active = [each for each in self._all if replicas_of(each) > 0]
        allowed = replicas + max_surge(deployment) if replicas else 0
        to_add = allowed - sets.total(active)
        if to_add:
            active = sets.by_size(active, newest_first=to_add > 0)
        added = 0
        sizes: list[int] = []
        for each in active:
            share = sets.proportion(deployment, each, to_add, added)
            added += share
            sizes.append(replicas_of(each) + share)
        if to_add and sizes:
            sizes[0] = max(sizes[0] + to_add - added, 0)
        for each, size in zip(active, sizes, strict=True):
            await self._scale_set(each, size)

    async def _scale_new(self) -> bool:
        """Scales the newest ReplicaSet as far as maxSurge allows. Returns whether its size has changed."""
        assert self._new is not None, "the ReplicaSet was created"
        replicas = replicas_of(self._deployment)
        if replicas_of(self._new) >= replicas:
            return await self._scale_set(self._new, replicas)
        return await self._scale_set(self._new, sets.new_replicas(self._deployment, self._all, self._new))

    async def _scale_old(self) -> bool:
        """Scales old ReplicaSets down as far as maxUnavailable allows, unavailable pods first.

        Returns whether a size has changed.
        """
        assert self._new is not None, "the ReplicaSet was created"
        least = replicas_of(self._deployment) - max_unavailable(self._deployment)
        unavailable = replicas_of(self._new) - sets.counted([self._new], "availableReplicas")
        surplus = sets.total(self._all) - least - unavailable
        if not sets.total(self._old) or surplus <= 0:
            return False
        removed = 0
        for each in self._active_old():
            sick = replicas_of(each) - sets.counted([each], "availableReplicas")
            count = min(surplus - removed, sick)
            if count > 0:
                await self._scale_set(each, replicas_of(each) - count)
                removed += count
        left = sets.counted(self._all, "availableReplicas") - least
        for each in self._active_old():
            count = min(replicas_of(each), left)
            if count > 0:
                await self._scale_set(each, replicas_of(each) - count)
                left -= count
                removed += count
        return removed > 0

    def _active_old(self) -> list[Object]:
        return [each for each in self._old if replicas_of(each) > 0]

    async def _scale_set(self, replica_set: Object, size: int) -> bool:
        """Sets the replicas of a ReplicaSet, and its annotations with replica numbers.

        Returns whether the number of replicas has changed.
        """
        before = replicas_of(replica_set)
        known = sets.annotations_of(replica_set)
        annotations = {**known, **sets.scaled_annotations(self._deployment)}
        if before == size and annotations == known:
            return False
        await self._update_set(replica_set, annotations, {**replica_set["spec"], "replicas": size})
        if before != size:
            way = "up" if size > before else "down"
            name = replica_set["metadata"]["name"]
            await self._record(f"Scaled {way} replica set {name} from {before} to {size}")
        return before != size

    async def _update_set(self, replica_set: Object, annotations: dict[str, str], spec: Object) -> None:
        metadata = {**replica_set["metadata"], "annotations": annotations}
        path = self._access.replica_sets.path_of(replica_set)
        changed = {**replica_set, "metadata": metadata, "spec": spec}
        stored = await self._access.api.update(path, changed)
        if replica_set is self._new:
            self._new = stored
        else:
            self._old = [stored if each is replica_set else each for each in self._old]

    async def _clean_up(self) -> None:
        """Deletes the oldest ReplicaSets without replicas that exceed the revisionHistoryLimit."""
        limit = self._deployment["spec"].get("revisionHistoryLimit")
        if limit in (None, sets.UNLIMITED):
            return
        alive = [each for each in self._old if not is_deleted(each)]
        for each in sets.by_revision(alive)[: max(len(alive) - limit, 0)]:
            status = each.get("status") or {}
            generation = each["metadata"].get("generation", 0)
            is_observed = status.get("observedGeneration", 0) >= generation
            if status.get("replicas") or replicas_of(each) or not is_observed:
                continue
            try:
                await self._access.api.delete(self._access.replica_sets.path_of(each))
            except StatusError as problem:
                if not problem.is_not_found:
                    raise

    def _has_old_pods(self, pods: Iterable[Object]) -> bool:
        if sets.counted(self._old, "replicas") > 0:
            return True
        new = self._new
        return any(not has_ended(pod) and (new is None or not is_controlled_by(pod, new)) for pod in pods)

    # the Deployment ---------------------------------------------------------------------------------

    @property
    def _progressing(self) -> Object | None:
        status = self._deployment.get("status") or {}
        return conditions.find(status.get("conditions") or [], conditions.PROGRESSING)

    async def _set_progress(self, status: str, reason: str, message: str) -> None:
        """Sets the condition Progressing, if the Deployment has a progressDeadlineSeconds."""
        if not conditions.has_deadline(self._deployment):
            return
        old = self._deployment.get("status") or {}
        new = conditions.made(conditions.PROGRESSING, status, reason, message, self._context.now())
        changed = conditions.with_condition(list(old.get("conditions") or ()), new)
        await self._write_status({**old, "conditions": changed})

    async def _note_revision(self, number: str) -> None:
        """Sets the revision annotation of the Deployment, by an update of its subresource status."""
        known = sets.annotations_of(self._deployment)
        if known.get(sets.REVISION) == number:
            return
        metadata = {**self._deployment["metadata"], "annotations": {**known, sets.REVISION: number}}
        self._deployment = await self._put_status({**self._deployment, "metadata": metadata})

    def _status(self) -> Object:
        counts = self._context.rules.gates.get(TERMINATING_GATE, False)
        now = self._context.now()
        return conditions.status_of(self._deployment, self._all, self._new, now, counts_terminating=counts)

    async def _sync_rollout_status(self) -> None:
        now, text = self._context.clock.now(), self._context.now()
        status = conditions.with_progress(self._deployment, self._status(), self._new, now, text)
        await self._write_status(conditions.with_failures(status, self._all, self._new))
        current = self._progressing
        is_over = conditions.is_complete(self._deployment, status)
        if current is None or is_over or current.get("reason") == conditions.TIMED_OUT:
            return
        if conditions.has_deadline(self._deployment):
            wait = conditions.seconds_until_deadline(self._deployment, current, now)
            self._context.add_after(key_of(self._deployment), max(wait, 0.0) + 1.0)

    async def _write_status(self, status: Object) -> None:
        if not is_same_status(self._deployment.get("status") or {}, status):
            self._deployment = await self._put_status({**self._deployment, "status": status})

    async def _put_status(self, deployment: Object) -> Object:
        path = self._access.deployments.path_of(deployment, "status")
        return await self._access.api.update(path, deployment)

    async def _record(self, message: str) -> None:
        await self._access.events.record(self._deployment, "Normal", "ScalingReplicaSet", message)
