"""ResourceClaimController: creates ResourceClaims from templates for pods, and deletes unused claims.

Follows k8s.io/kubernetes `pkg/controller/resourceclaim`, since 1.27. Also removes the reservations of ended
pods.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.claim_generator import ClaimGenerator, TemplateMissing
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.exact import update_exactly
from fakeapi.controllers.group_claims import GROUP_KEY, GroupClaims
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.pod_claims import (
    FINALIZER,
    GROUP,
    WAITS,
    ClaimNameUnknown,
    claim_of_pod,
    claim_source,
    drop_finalizer,
    group_of,
    is_done,
    is_for_pod,
    is_group_consumer,
    owner_reference_to_pod,
    owning_pod,
    reference_to_group,
    reference_to_pod,
    reserved_for,
    shares_with_group,
)
from fakeapi.controllers.served import find_resource
from fakeapi.machinery.json_types import Object

FIELD_MANAGER = "ResourceClaimController"
DELETED_MAX = 500
"""Maximum number of deleted pods that the controller remembers.

For any other pod that is not in the cache, the controller asks the server whether the pod still exists.
"""

POD = "pod"
CLAIM = "claim"


class ResourceClaimController(Controller):
    name = "resourceclaim"

    async def start(self) -> None:
        context = self.context
        claims = context.resource(GROUP, "resourceclaims")
        templates = context.resource(GROUP, "resourceclaimtemplates")
        pods = context.resource("", "pods")
        if claims is None or templates is None or pods is None:
            return
        self._api = context.api("kube-controller-manager", "resource-claim-controller")
        self._events = EventRecorder(context, self._api, "resource_claim")
        self._deleted: dict[str, None] = {}
        self._users: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._pods: Informer = context.informer(pods)
        self._templates: Informer = context.informer(templates)
        self._claims: Informer = context.informer(claims)
        self._contexts = self._scheduling_contexts()
        self._generator = ClaimGenerator(self._api, self._claims, self._templates)
        self._groups = GroupClaims(context, self._api, self._events, self._generator, self._queue_members)
        self._pods.on_change(self._pod_changed)
        self._templates.on_change(self._template_changed)
        self._claims.on_change(self._claim_changed)

    def _scheduling_contexts(self) -> Informer | None:
        """Returns the informer of PodSchedulingContexts; None in releases without them."""
        resource = self.context.resource(GROUP, "podschedulingcontexts")
        if resource is None or resource.version != self.context_version():
            return None
        return self.context.informer(resource)

    def context_version(self) -> str:
        """Returns the version of resource.k8s.io to use; "" if the server has no ResourceClaims."""
        resource = self.context.resource(GROUP, "resourceclaims")
        return resource.version if resource is not None else ""

    # handlers that add keys ------------------------------------------------------------------------

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        pod = new or old or {}
        extended = (pod["status"].get("extendedResourceClaimStatus") or {}).get("resourceClaimName")
        if not pod["spec"].get("resourceClaims") and not extended:
            return
        self._index(old, new)
        if old is not None and (new is None or new["metadata"]["uid"] != old["metadata"]["uid"]):
            self._remember_deleted(old["metadata"]["uid"])
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        if new is None or is_done(new):
            for claim in [*_known_claims(pod), *filter(None, [extended])]:
                self.context.add((CLAIM, namespace, claim))
        if new is not None and "deletionTimestamp" not in new["metadata"]:
            self.context.add((POD, namespace, name))

    def _queue_members(self, namespace: str, group: str) -> None:
        """Queues the pods of a PodGroup that have claims."""
        for pod in self._pods.objects.values():
            is_member = pod["metadata"]["namespace"] == namespace and group_of(pod) == group
            if is_member and pod["spec"].get("resourceClaims"):
                self.context.add((POD, namespace, pod["metadata"]["name"]))

    def _template_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the pods and PodGroups that use a new or changed ResourceClaimTemplate."""
        if new is None:
            return
        namespace, name = new["metadata"]["namespace"], new["metadata"]["name"]
        self._groups.queue_users_of_template(namespace, name)
        for pod in self._pods.objects.values():
            claims = pod["spec"].get("resourceClaims") or ()
            if pod["metadata"]["namespace"] == namespace and any(
                claim_source(pod_claim).get("resourceClaimTemplateName") == name for pod_claim in claims
            ):
                self.context.add((POD, namespace, pod["metadata"]["name"]))

    def _claim_changed(self, old: Object | None, new: Object | None) -> None:
        claim = new or old or {}
        namespace, name = claim["metadata"]["namespace"], claim["metadata"]["name"]
        if new is not None:
            self.context.add((CLAIM, namespace, name))
        self._groups.queue_owner_of(claim)
        for pod in self._users.get((namespace, name), ()):
            self.context.add((POD, namespace, pod))

    def _index(self, old: Object | None, new: Object | None) -> None:
        """Updates the index from ResourceClaims to pods, after a pod has changed."""
        for pod in filter(None, (old, new)):
            metadata = pod["metadata"]
            for claim in _known_claims(pod):
                users = self._users[metadata["namespace"], claim]
                if pod is new:
                    users[metadata["name"]] = None
                else:
                    users.pop(metadata["name"], None)
                if not users:
                    del self._users[metadata["namespace"], claim]

    def _remember_deleted(self, uid: str) -> None:
        if len(self._deleted) >= DELETED_MAX:
            del self._deleted[next(iter(self._deleted))]
        self._deleted[uid] = None

    async def reconcile(self, key: Any) -> None:
        kind, namespace, name = key
        if kind == POD:
            await self._sync_pod(namespace, name)
        elif kind == GROUP_KEY:
            await self._groups.sync(namespace, name)
        else:
            await self._sync_claim(namespace, name)

    # pods -----------------------------------------------------------------------------------------

    async def _sync_pod(self, namespace: str, name: str) -> None:
        pod = self._pods.get(namespace, name)
        if pod is None or "deletionTimestamp" in pod["metadata"]:
            return
        if self._groups.must_wait(pod):
            return  # the PodGroup does not exist yet; its creation queues the pod again
        if is_done(pod):  # The cache of Kubernetes still has a deleted claim, so no new claim is created.
            return
        claim_names: dict[str, str] = {}
        for pod_claim in pod["spec"].get("resourceClaims") or ():
            try:
                claim = await self._claim_for(pod, pod_claim)
            except (StatusError, TemplateMissing) as problem:
                text = problem.message if isinstance(problem, StatusError) else str(problem)
                message = f"PodResourceClaim {pod_claim['name']}: {text}"
                await self._events.record(pod, "Warning", "FailedResourceClaimCreation", message)
                if isinstance(problem, StatusError):
                    raise
                self.context.add_after((POD, namespace, name), 1.0)
                return
            if claim is not None:
                claim_names[pod_claim["name"]] = claim
        if claim_names and self._statuses_are_kept:
            pod = await self._set_statuses(pod, claim_names)
        if pod["spec"].get("nodeName"):
            await self._reserve_claims(pod)

    @property
    def _statuses_are_kept(self) -> bool:
        """Whether pod statuses contain claim names.

        False in 1.27, where a generated claim is always named `POD-CLAIM`.
        """
        return self.context.has_field("", "pods", "status", "resourceClaimStatuses")

    async def _claim_for(self, pod: Object, pod_claim: Object) -> str | None:
        """Finds or creates the ResourceClaim for a pod claim with a template.

        Returns the name of the claim if the pod's status does not contain it yet; None if the pod's status
        needs no change.

        Raises StatusError if the creation fails, and TemplateMissing if the template does not exist.
        """
        template_name = claim_source(pod_claim).get("resourceClaimTemplateName")
        if not template_name:
            return None
        try:
            known = claim_of_pod(pod, pod_claim, by_pod=not self._statuses_are_kept)
        except ClaimNameUnknown:
            known = ""
        if known is None:
            return None
        namespace = pod["metadata"]["namespace"]
        existing = self._claims.get(namespace, known) if known else None
        if existing is not None and is_for_pod(pod, existing):
            return None
        group = self._groups.of(pod)
        if group is not None and shares_with_group(pod_claim, group):
            shared = self._generator.find(group, pod_claim["name"])
            return None if shared is None else str(shared["metadata"]["name"])
        by_pod = not self._statuses_are_kept
        return await self._generator.claim_for(pod, pod_claim["name"], template_name, by_pod=by_pod)

    async def _set_statuses(self, pod: Object, claim_names: dict[str, str]) -> Object:
        known = pod["status"].get("resourceClaimStatuses") or ()
        names = {each["name"]: each["resourceClaimName"] for each in known if "resourceClaimName" in each}
        merged = sorted({**names, **claim_names}.items())
        statuses = [{"name": name, "resourceClaimName": claim} for name, claim in merged]
        metadata = {"name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"]}
        body = {
            "kind": "Pod",
            "apiVersion": "v1",
            "metadata": metadata,
            "status": {"resourceClaimStatuses": statuses},
        }
        path = self._pods.resource.path_of(pod, "status")
        return await self._api.patch(path, body, "apply", fieldManager=FIELD_MANAGER, force="true")

    async def _reserve_claims(self, pod: Object) -> None:
        """Reserves the allocated claims of a pod that is bound to a node.

        The reservation is missing if the pod was bound without the scheduler. If a DRA control plane
        controller has to allocate a claim, requests the allocation.
        """
        namespace = pod["metadata"]["namespace"]
        for pod_claim in pod["spec"].get("resourceClaims") or ():
            try:
                name = claim_of_pod(pod, pod_claim, by_pod=not self._statuses_are_kept)
            except ClaimNameUnknown:
                return
            claim = self._claims.get(namespace, name) if name else None
            if claim is None:
                if name:
                    return
                continue
            if claim_source(pod_claim).get("resourceClaimTemplateName") and not is_for_pod(pod, claim):
                return
            status = claim["status"]
            if "allocation" in status:
                group = self._groups.of(pod)
                is_shared = group is not None and shares_with_group(pod_claim, group)
                reference = reference_to_group(group) if group and is_shared else reference_to_pod(pod)
                await self._reserve(pod, claim, reference)
            elif self._contexts is not None and not claim["spec"].get("devices"):
                await self._ask_for_allocation(pod)

    async def _reserve(self, pod: Object, claim: Object, reference: Object) -> None:
        """Adds `reference` to `status.reservedFor` of a claim.

        The reference names the pod or its PodGroup.
        """
        status = claim["status"]
        consumers = status.get("reservedFor") or []
        is_shareable = status["allocation"].get("shareable", True) or not consumers
        most = self.context.rules.limits.reserved_for
        if reserved_for(pod, claim) or not is_shareable or len(consumers) >= most:
            return
        changed = {**claim, "status": {**status, "reservedFor": [*consumers, reference]}}
        await self._api.update(self._claims.resource.path_of(claim, "status"), changed)

    async def _ask_for_allocation(self, pod: Object) -> None:
        """Sets the pod's node as the selectedNode of the pod's PodSchedulingContext.

        A DRA control plane controller then allocates the claim on this node.
        """
        assert self._contexts is not None
        metadata, node = pod["metadata"], pod["spec"]["nodeName"]
        place = self._contexts.resource
        known = self._contexts.get(metadata["namespace"], metadata["name"])
        if known is None:
            owner = owner_reference_to_pod(pod)
            body = {
                "kind": place.kind,
                "apiVersion": place.api_version,
                "metadata": {"name": metadata["name"], "ownerReferences": [owner]},
                "spec": {"selectedNode": node},
            }
            await self._api.create(place.path(metadata["namespace"]), body)
        elif owning_pod(known)[1] == metadata["uid"] and known["spec"].get("selectedNode") != node:
            changed = {**known, "spec": {**known["spec"], "selectedNode": node}}
            await self._api.update(place.path_of(known), changed)

    # claims ---------------------------------------------------------------------------------------

    async def _sync_claim(self, namespace: str, name: str) -> None:
        claim = self._claims.get(namespace, name)
        if claim is None:
            return
        consumers = claim["status"].get("reservedFor") or []
        left = [consumer for consumer in consumers if await self._is_valid(namespace, consumer)]
        try:
            if len(left) < len(consumers):
                await self._release(claim, left)
            elif FINALIZER in _finalizers(claim) and "deletionTimestamp" in claim["metadata"] and not left:
                await self._unblock_deletion(claim)
            if not left:
                await self._delete_unneeded(claim)
        except StatusError as problem:
            if not problem.is_not_found:
                raise

    async def _is_valid(self, namespace: str, consumer: Object) -> bool:
        """Whether a consumer in `status.reservedFor` may still use the claim.

        Always true for consumers that are neither pods nor PodGroups.

        Raises StatusError if the request for the pod or the PodGroup fails.
        """
        if is_group_consumer(consumer):
            return await self._groups.is_valid(namespace, consumer)
        if consumer.get("apiGroup") or consumer["resource"] != "pods":
            return True
        if consumer["uid"] in self._deleted:
            return False
        pod = self._pods.get(namespace, consumer["name"])
        if pod is None:
            try:
                pod = await self._api.get(self._pods.resource.path(namespace, consumer["name"]))
            except StatusError as problem:
                if problem.is_not_found:
                    return False
                raise
        return bool(pod["metadata"]["uid"] == consumer["uid"] and not is_done(pod))

    async def _release(self, claim: Object, left: list[Object]) -> None:
        """Sets the consumers of a claim to `left`.

        If no consumers are left, deallocates the claim, or requests the deallocation from the claim's DRA
        control plane controller.
        """
        status = {key: value for key, value in claim["status"].items() if key != "reservedFor"}
        if left:
            status["reservedFor"] = left
        elif FINALIZER in _finalizers(claim):
            status.pop("allocation", None)
        elif self._has_classic_drivers and claim["spec"].get("allocationMode", WAITS) == WAITS:
            status["deallocationRequested"] = True
        changed = await self._update_status(claim, status)
        if FINALIZER in _finalizers(changed) and not changed["status"].get("allocation"):
            await self._remove_finalizer(changed)

    @property
    def _has_classic_drivers(self) -> bool:
        return self._contexts is not None

    async def _unblock_deletion(self, claim: Object) -> None:
        if claim["status"].get("allocation"):
            status = {key: value for key, value in claim["status"].items() if key != "allocation"}
            claim = await self._update_status(claim, status)
        await self._remove_finalizer(claim)

    async def _update_status(self, claim: Object, status: Object) -> Object:
        path = self._claims.resource.path_of(claim, "status")
        return await self._api.update(path, {**claim, "status": status})

    async def _remove_finalizer(self, claim: Object) -> None:
        resource = find_resource(self.context.cluster.catalogue, GROUP, "resourceclaims")
        assert resource is not None, "claims are followed"
        await update_exactly(self._api, resource, claim, drop_finalizer)

    async def _delete_unneeded(self, claim: Object) -> None:
        """Deletes a generated claim if its pod has ended, or was replaced by a pod with the same name.

        The garbage collector deletes the claims of deleted pods.
        """
        name, uid = owning_pod(claim)
        pod = self._pods.get(claim["metadata"]["namespace"], name) if name else None
        if pod is not None and (pod["metadata"]["uid"] != uid or is_done(pod)):
            await self._api.delete(self._claims.resource.path_of(claim))


def _finalizers(claim: Object) -> list[str]:
    return claim["metadata"].get("finalizers") or []


def _known_claims(pod: Object) -> Iterator[str]:
    for pod_claim in pod["spec"].get("resourceClaims") or ():
        try:
            name = claim_of_pod(pod, pod_claim, by_pod="resourceClaimStatuses" not in pod["status"])
        except ClaimNameUnknown:
            continue
        if name:
            yield name
