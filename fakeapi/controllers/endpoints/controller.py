"""Controllers that write EndpointSlices and Endpoints for Services.

Follow k8s.io/kubernetes `pkg/controller/endpointslice` and `pkg/controller/endpoint`.
"""

from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.endpoints.addresses import (
    HEADLESS,
    TRIGGER,
    has_endpoints,
    is_headless,
    selects,
    trigger_time,
)
from fakeapi.controllers.endpoints.slices import CONTROLLER, MANAGED_BY, SERVICE, changes_of
from fakeapi.controllers.endpoints.subsets import subsets_of
from fakeapi.controllers.informer import key_of
from fakeapi.controllers.workloads.controller import WorkloadController
from fakeapi.controllers.workloads.owners import labels_of
from fakeapi.controllers.workloads.pod_control import is_namespace_terminating
from fakeapi.controllers.workloads.pods import condition, is_deleted, phase
from fakeapi.machinery.json_types import Object

CAPACITY = "endpoints.kubernetes.io/over-capacity"
ENDPOINTS_MANAGED_BY = "endpoints.kubernetes.io/managed-by"


class ServiceController(WorkloadController):
    """Base class of controllers that reconcile Services with their selected pods."""

    group = ""
    plural = "services"

    async def start(self) -> None:
        await super().start()
        self._pods = self.context.informer(self.context.served("", "pods"))
        self._pods.on_change(self._pod_changed)

    def _pod_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the Services that select a pod, before or after the pod's change."""
        if old is not None and new is not None and _facts(old) == _facts(new):
            return
        for service in self.owners.objects.values():
            if any(pod is not None and selects(service, pod) for pod in (old, new)):
                self.context.add(key_of(service))

    def selected(self, service: Object) -> list[Object]:
        """Returns the pods that a Service selects, in the order of their names."""
        pods = [pod for pod in self._pods.objects.values() if selects(service, pod)]
        return sorted(pods, key=lambda pod: str(pod["metadata"]["name"]))


class EndpointSliceController(ServiceController):
    name = "endpointslice"
    agent = "endpointslice-controller"
    component = "endpoint-slice-controller"

    async def start(self) -> None:
        await super().start()
        self._slices = self.context.informer(self.context.served("discovery.k8s.io", "endpointslices"))
        self._nodes = self.context.informer(self.context.served("", "nodes"))
        self._slices.on_change(self._slice_changed)

    def _slice_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the Service of an EndpointSlice that this controller manages."""
        for each in filter(None, (old, new)):
            labels = labels_of(each)
            if labels.get(MANAGED_BY) == CONTROLLER and SERVICE in labels:
                self.context.add(f"{each['metadata']['namespace']}/{labels[SERVICE]}")

    async def sync(self, owner: Object) -> None:
        if not has_endpoints(owner) or is_deleted(owner):
            return
        metadata = owner["metadata"]
        pods = self.selected(owner)
        own = [each for each in self._slices.objects.values() if self._is_own(each, metadata)]
        changes = changes_of(owner, pods, self._nodes.objects, own)
        time = {TRIGGER: trigger_time(owner, pods)}
        resource = self._slices.resource
        try:
            for each in changes.create:
                each["metadata"]["annotations"] = time
                await self.api.create(resource.path(metadata["namespace"]), each)
            for each in changes.update:
                annotations = {**(each["metadata"].get("annotations") or {}), **time}
                changed = {**each, "metadata": {**each["metadata"], "annotations": annotations}}
                await self.api.update(resource.path_of(each), changed)
            for each in changes.delete:
                await self.api.delete(resource.path_of(each))
        except StatusError as problem:
            if is_namespace_terminating(problem) or problem.is_not_found:
                return
            text = f"Error updating Endpoint Slices for Service {key_of(owner)}: {problem.message}"
            await self.events.record(owner, "Warning", "FailedToUpdateEndpointSlices", text)
            raise

    def _is_own(self, each: Object, service: Object) -> bool:
        labels = labels_of(each)
        same = each["metadata"]["namespace"] == service["namespace"] and not is_deleted(each)
        return same and labels.get(SERVICE) == service["name"] and labels.get(MANAGED_BY) == CONTROLLER


class EndpointsController(ServiceController):
    name = "endpoints"
    agent = "endpoint-controller"
    component = "endpoint-controller"

    async def start(self) -> None:
        await super().start()
        self._endpoints = self.context.informer(self.context.served("", "endpoints"))
        self._endpoints.on_change(self._endpoints_changed)

    def _endpoints_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues the Service of a deleted Endpoints object."""
        if new is None and old is not None:
            self.context.add(key_of(old))

    async def reconcile(self, key: Any) -> None:
        if key not in self.owners.objects and key in self._endpoints.objects:
            await self._delete(self._endpoints.objects[key])
        await super().reconcile(key)

    def owner_changed(self, old: Object | None, new: Object | None) -> None:
        if new is not None or (old is not None and has_endpoints(old)):
            super().owner_changed(old, new)

    async def _delete(self, endpoints: Object) -> None:
        try:
            await self.api.delete(self._endpoints.resource.path_of(endpoints))
        except StatusError as problem:
            if not problem.is_not_found:
                raise

    async def sync(self, owner: Object) -> None:
        if not has_endpoints(owner) or is_deleted(owner):
            return
        pods = self.selected(owner)
        subsets, is_truncated = subsets_of(owner, pods)
        labels = {key: value for key, value in labels_of(owner).items() if key != HEADLESS}
        if is_headless(owner):
            labels[HEADLESS] = ""
        labels[ENDPOINTS_MANAGED_BY] = "endpoint-controller"
        known = self._endpoints.objects.get(key_of(owner))
        if known is not None and (known.get("subsets") or [], labels_of(known)) == (subsets, labels):
            return
        await self._write(owner, known, labels, subsets, pods, is_truncated=is_truncated)

    async def _write(
        self,
        service: Object,
        known: Object | None,
        labels: dict[str, str],
        subsets: list[Object],
        pods: list[Object],
        *,
        is_truncated: bool,
    ) -> None:
        """Creates or updates the Endpoints of a Service.

        - `known`: the present Endpoints; None if they do not exist.
        - `is_truncated`: whether addresses over ADDRESSES_MAX were omitted.
        """
        resource, namespace = self._endpoints.resource, service["metadata"]["namespace"]
        metadata = {"name": service["metadata"]["name"], "namespace": namespace}
        body = known or {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata}
        annotations = {
            **(body["metadata"].get("annotations") or {}),
            TRIGGER: trigger_time(service, pods),
        }
        annotations.pop(CAPACITY, None)
        if is_truncated:
            annotations[CAPACITY] = "truncated"
        new = {**body["metadata"], "labels": labels, "annotations": annotations}
        body = {**body, "metadata": new, "subsets": subsets}
        try:
            if known is None:
                await self.api.create(resource.path(namespace), body)
            else:
                await self.api.update(resource.path_of(known), body)
        except StatusError as problem:
            if is_namespace_terminating(problem):
                return
            raise


def _facts(pod: Object) -> tuple[Any, ...]:
    """Returns the fields of a pod that affect endpoints."""
    status, spec = pod.get("status") or {}, pod["spec"]
    return (
        labels_of(pod),
        is_deleted(pod),
        phase(pod),
        status.get("podIPs"),
        (condition(pod, "Ready") or {}).get("status"),
        spec.get("nodeName"),
    )
