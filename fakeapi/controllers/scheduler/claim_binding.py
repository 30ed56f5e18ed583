"""Binder: writes the allocations and reservations of claims, and binds the pod."""

import contextlib
from collections.abc import Awaitable, Callable, Iterable

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.controllers.allocation.rules import AllocationRules
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.event_series import EventSeriesRecorder
from fakeapi.controllers.exact import update_exactly
from fakeapi.controllers.pod_claims import (
    FINALIZER,
    SCHEDULING,
    claim_of_pod,
    drop_finalizer,
    find_group,
    is_reserved_for_pod,
    reference_to_group,
    reference_to_pod,
    reserved_for,
    shares_with_group,
)
from fakeapi.controllers.scheduler.claim_plugin import Deallocation
from fakeapi.controllers.scheduler.cycle import Outcome
from fakeapi.controllers.scheduler.extended_resources import IN_MEMORY
from fakeapi.controllers.scheduler.node_allocatable import FIELD
from fakeapi.controllers.scheduler.pod_claim_view import DeviceView
from fakeapi.controllers.served import served_as
from fakeapi.machinery.json_types import Object

DEALLOCATED = "deallocation of ResourceClaim completed"
ATTEMPTS_MAX = 5
"""Maximum number of attempts to update a claim after conflicts (409) with other clients.

After the last conflict, the scheduling attempt fails with BindError.
"""

OnFailure = Callable[[str], Awaitable[None]]


class Binder:
    def __init__(
        self, context: ControllerContext, api: InProcessClient, view: DeviceView, rules: AllocationRules
    ) -> None:
        self._context = context
        self._api = api
        self._view = view
        self._rules = rules
        self._with_node_claims: set[str] = set()
        """UIDs of unbound pods with a nodeAllocatableResourceClaimStatuses that `reserve` has written."""
        self._events = EventSeriesRecorder(context, api, "default-scheduler")
        groups = context.resource(SCHEDULING, "podgroups")
        is_on = context.rules.gates.get("DRAWorkloadResourceClaims", False)
        self._groups = context.informer(groups) if groups is not None and is_on else None

    async def reserve(self, pod: Object, outcome: Outcome, failed: OnFailure) -> list[Object] | None:
        """Writes the allocations of claims, and reserves the claims for the pod. Returns the stored claims.

        If a write fails, removes all reservations, calls `failed` with the error message, and returns None.
        """
        results = {
            id(claim): result
            for claim, result in zip(
                outcome.claims.unallocated, outcome.claims.allocations.get(outcome.node, ()), strict=False
            )
        }
        stored = []
        for claim in outcome.claims.claims:
            if reserved_for(pod, claim):
                stored.append(claim)
                continue
            try:
                if claim is outcome.claims.extended:
                    reserved = await self._reserve_extended(pod, claim, results.get(id(claim)), outcome)
                else:
                    reserved = await self._reserve(pod, claim, results.get(id(claim)))
            except BindError as problem:
                await self.unreserve(pod, [*stored, *outcome.claims.claims[len(stored) :]])
                await failed(str(problem))
                return None
            stored.append(reserved)
        try:
            await self._write_node_claims(pod, outcome)
        except BindError as problem:
            await self.unreserve(pod, stored)
            await failed(str(problem))
            return None
        return stored

    async def _write_node_claims(self, pod: Object, outcome: Outcome) -> None:
        """Writes nodeAllocatableResourceClaimStatuses to the pod's status, if the claims use such resources.

        Raises BindError if the write fails.
        """
        statuses = outcome.claims.node_claims.get(outcome.node)
        if not statuses:
            return
        try:
            await self._patch_status(pod, {FIELD: statuses}, "strategic")
        except StatusError as problem:
            whose = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            raise BindError(
                f"updating pod {whose} NodeAllocatableResourceClaimStatuses: {problem.message}"
            ) from None
        self._with_node_claims.add(pod["metadata"]["uid"])

    async def _clear_node_claims(self, pod: Object) -> None:
        if pod["metadata"]["uid"] in self._with_node_claims:
            self._with_node_claims.discard(pod["metadata"]["uid"])
            nothing: list[Object] | None = [] if self._rules.quirks.devices_have_overhead else None
            with contextlib.suppress(StatusError):
                await self._patch_status(pod, {FIELD: nothing}, "merge")

    async def _patch_status(self, pod: Object, status: Object, kind: str) -> None:
        path = self._context.served("", "pods").path_of(pod, "status")
        patch = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}
        await self._api.patch(path, patch, kind)

    async def bind(self, pod: Object, node: str) -> None:
        """Binds the pod to a node, and records the event Scheduled.

        Raises StatusError if the binding fails.
        """
        metadata = pod["metadata"]
        binding = {
            "kind": "Binding",
            "apiVersion": "v1",
            "metadata": {name: metadata[name] for name in ("name", "namespace", "uid")},
            "target": {"kind": "Node", "name": node},
        }
        await self._api.create(self._context.served("", "pods").path_of(pod, "binding"), binding)
        self._with_node_claims.discard(metadata["uid"])
        note = f"Successfully assigned {metadata['namespace']}/{metadata['name']} to {node}"
        await self._events.record(pod, "Normal", "Scheduled", "Binding", note)

    async def deallocate(self, wanted: Deallocation) -> str:
        """Deallocates or deletes a claim. Returns the message for the pod's condition PodScheduled.

        If `wanted.by_driver` is true, asks a DRA control plane controller to deallocate the claim. Raises
        StatusError if a request fails.
        """
        if wanted.is_deleted:
            await self._without_finalizer(wanted.claim)
            place = served_as(self._view.resource("resourceclaims"))
            await self._api.delete(place.path_of(wanted.claim))
            return "deletion of ResourceClaim completed"
        taken = {"reservedFor"} if wanted.by_driver else {"allocation", "reservedFor", "devices"}
        status = {name: value for name, value in wanted.claim["status"].items() if name not in taken}
        if wanted.by_driver:
            status["deallocationRequested"] = True
        await self._update({**wanted.claim, "status": status}, "status")
        return DEALLOCATED

    async def _reserve(self, pod: Object, claim: Object, result: Object | None) -> Object:
        """Writes the reservation of a claim, and the allocation `result` unless it is None.

        Returns the stored claim. Tries up to ATTEMPTS_MAX times if there are conflicts. Raises BindError if
        the claim cannot be reserved.
        """
        name = f"{claim['metadata']['namespace']}/{claim['metadata']['name']}"
        for attempts_left in reversed(range(ATTEMPTS_MAX)):
            if "deletionTimestamp" in claim["metadata"]:
                raise BindError(f"claim {name} got deleted in the meantime")
            if result is not None and claim["status"].get("allocation"):
                raise BindError(f"claim {name} got allocated elsewhere in the meantime")
            action = "add reservation to"
            try:
                if result is not None:
                    action = "add finalizer to"
                    claim = await self._with_finalizer(claim)
                    action = "add allocation and reservation to"
                return await self._update(self.reserved(pod, claim, result), "status")
            except StatusError as problem:
                if not problem.is_conflict or not attempts_left:
                    raise BindError(f"{action} claim {name}: {problem.message}") from None
            claim = await self._fetch(claim, name)
        raise AssertionError("the last attempt ends in an answer or an error")

    async def _reserve_extended(
        self, pod: Object, claim: Object, result: Object | None, outcome: Outcome
    ) -> Object:
        """Creates and reserves the pod's claim for extended resources, and writes
        extendedResourceClaimStatus.

        Does nothing if the node itself provides these resources. Returns the stored claim. Raises BindError
        if a write fails.
        """
        needs = outcome.claims.wanted[outcome.node]
        if not needs.requests:
            return claim
        if claim["metadata"]["name"] == IN_MEMORY:
            claim = await self._create({**claim, "spec": {"devices": {"requests": needs.requests}}})
        claim = await self._reserve(pod, claim, result)
        status = {
            "extendedResourceClaimStatus": {
                "requestMappings": needs.mappings,
                "resourceClaimName": claim["metadata"]["name"],
            }
        }
        try:
            await self._patch_status(pod, status, "strategic")
        except StatusError as problem:
            whose = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            raise BindError(f"update pod {whose} ExtendedResourceClaimStatus: {problem.message}") from None
        return claim

    async def _create(self, claim: Object) -> Object:
        resource = self._view.resource("resourceclaims")
        place = served_as(resource)
        metadata = {name: value for name, value in claim["metadata"].items() if name not in {"name", "uid"}}
        body = {"kind": place.kind, **resource.from_hub({**claim, "kind": place.kind, "metadata": metadata})}
        try:
            return resource.to_hub(await self._api.create(place.path(metadata["namespace"]), body))
        except StatusError as problem:
            whose = f"{metadata['namespace']}/"
            raise BindError(f"create claim for extended resources {whose}: {problem.message}") from None

    def reserved(self, pod: Object, claim: Object, result: Object | None) -> Object:
        """Returns a claim in its stored form after it is reserved for a pod.

        `result`: the allocation; None if the claim is already allocated.
        """
        status = dict(claim["status"])
        if result is not None:
            status["allocation"] = result
        if self._rules.binding_conditions and "allocation" in status:
            allocation = dict(status["allocation"])
            allocation.setdefault("allocationTimestamp", self._context.now())
            status["allocation"] = allocation
        status["reservedFor"] = [*(status.get("reservedFor") or ()), self._consumer(pod, claim)]
        return {**claim, "status": status}

    def _consumer(self, pod: Object, claim: Object) -> Object:
        """Returns the entry of `reservedFor` for a pod.

        Names the PodGroup of the pod if the claim belongs to the PodGroup.
        """
        group = find_group(pod, self._groups)
        if group is None:
            return reference_to_pod(pod)
        own = claim["metadata"]["name"]
        pod_claims = pod["spec"].get("resourceClaims") or ()
        is_shared = any(
            claim_of_pod(pod, pod_claim) == own and shares_with_group(pod_claim, group)
            for pod_claim in pod_claims
        )
        return reference_to_group(group) if is_shared else reference_to_pod(pod)

    async def _with_finalizer(self, claim: Object) -> Object:
        finalizers = claim["metadata"].get("finalizers") or []
        if FINALIZER in finalizers:
            return claim

        def change(found: Object) -> None:
            found["metadata"]["finalizers"] = [*finalizers, FINALIZER]

        resource = self._view.resource("resourceclaims")
        stored = await update_exactly(self._api, resource, resource.from_hub(claim), change)
        return resource.to_hub(stored)

    async def _without_finalizer(self, claim: Object) -> None:
        resource = self._view.resource("resourceclaims")
        await update_exactly(self._api, resource, resource.from_hub(claim), drop_finalizer)

    async def unreserve(self, pod: Object, claims: Iterable[Object]) -> None:
        """Removes the pod from `reservedFor` of the claims. Ignores error responses of the server.

        Keeps reservations for the pod's PodGroup, because other pods of the group may need the claims.

        Also removes the nodeAllocatableResourceClaimStatuses that `reserve` wrote to the pod's status.
        """
        uid = pod["metadata"]["uid"]
        await self._clear_node_claims(pod)
        for claim in claims:
            if "allocation" in claim["status"] and is_reserved_for_pod(pod, claim):
                change = {"reservedFor": [{"$patch": "delete", "uid": uid}]}
                patch = {"metadata": {"uid": claim["metadata"]["uid"]}, "status": change}
                place = served_as(self._view.resource("resourceclaims"))
                try:
                    await self._api.patch(place.path_of(claim, "status"), patch, "strategic")
                except StatusError:
                    continue

    async def _fetch(self, claim: Object, name: str) -> Object:
        resource = self._view.resource("resourceclaims")
        try:
            return resource.to_hub(await self._api.get(served_as(resource).path_of(claim)))
        except StatusError as problem:
            raise BindError(f"get updated claim {name} after conflict: {problem.message}") from None

    async def _update(self, claim: Object, subresource: str) -> Object:
        """Writes a claim in the served API version; returns the stored claim.

        The argument and the result are in the layout of resource.k8s.io/v1.
        """
        resource = self._view.resource("resourceclaims")
        place = served_as(resource)
        body = resource.from_hub(claim)
        return resource.to_hub(await self._api.update(place.path_of(claim, subresource), body))


class BindError(Exception):
    """Raised if a claim cannot be reserved, or if the pod's status cannot be written.

    The message follows kube-scheduler.
    """
