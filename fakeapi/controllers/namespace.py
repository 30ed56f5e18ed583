"""NamespaceController: empties terminating namespaces, and creates default objects in all others.

Follows k8s.io/kubernetes `pkg/controller/namespace/deletion`, `pkg/controller/serviceaccount` and
`pkg/controller/certificates/rootcacertpublisher`. The default objects are a ServiceAccount, and a ConfigMap
with the cluster's CA certificate.
"""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any

from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.served import served_as
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource

FINALIZER = "kubernetes"
POD_ESTIMATE_SECONDS = 30
"""Seconds until the next check of a namespace with pods that have no deletionGracePeriodSeconds."""
FINALIZERS_ESTIMATE_SECONDS = 15
"""Seconds until the next check of a namespace that still has objects with finalizers."""
ROOT_CA = "kube-root-ca.crt"
_ROOT_CA_DESCRIPTION = {
    "kubernetes.io/description": (
        "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints "
        "such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across "
        "distributions of Kubernetes clusters."
    )
}
_CONDITIONS = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}
"""The conditions of a terminating namespace by type, with reason and message for the status False."""


class NamespaceController(Controller):
    name = "namespace"

    async def start(self) -> None:
        context = self.context
        self._deleter = context.api("kube-controller-manager", "namespace-controller")
        self._accounts_api = context.api("kube-controller-manager", "service-account-controller")
        self._certificates_api = context.api("kube-controller-manager", "root-ca-cert-publisher")
        self._namespaces = self._follow("namespaces")
        self._accounts = self._follow("serviceaccounts")
        self._config_maps = self._follow("configmaps")
        self._terminating: set[str] = set()
        self._awaited: set[str] = set()

    def _follow(self, plural: str) -> Informer:
        informer = self.context.informer(self.context.served("", plural))
        informer.on_change(self._enqueue_namespace)
        return informer

    def _enqueue_namespace(self, old: Object | None, new: Object | None) -> None:
        metadata = (new or old or {})["metadata"]
        self.context.add(metadata.get("namespace") or metadata["name"])

    async def reconcile(self, key: Any) -> None:
        namespace = self._namespaces.get("", key)
        if namespace is None:
            self._terminating.discard(key)
            return
        if "deletionTimestamp" in namespace["metadata"]:
            await self._empty(namespace)
        else:
            await self._furnish(key)

    async def _furnish(self, name: str) -> None:
        if self._accounts.get(name, "default") is None:
            account = {"metadata": {"name": "default", "namespace": name}}
            await self._create(self._accounts_api, self._accounts.resource, account)
        await self._publish_certificate(name)

    async def _publish_certificate(self, name: str) -> None:
        """Creates the ConfigMap with the cluster's CA certificate in the namespace `name`.

        If the ConfigMap exists, restores its data and annotation.
        """
        data = {"ca.crt": self.context.cluster.certificate_authority}
        known = self._config_maps.get(name, ROOT_CA)
        if known is None:
            metadata = {"name": ROOT_CA, "namespace": name, "annotations": _ROOT_CA_DESCRIPTION}
            config_map = {"metadata": metadata, "data": data}
            await self._create(self._certificates_api, self._config_maps.resource, config_map)
            return
        annotations = known["metadata"].get("annotations") or {}
        if known.get("data") == data and all(annotations.get(key) for key in _ROOT_CA_DESCRIPTION):
            return
        metadata = {**known["metadata"], "annotations": {**annotations, **_ROOT_CA_DESCRIPTION}}
        await self._certificates_api.update(
            self._config_maps.resource.path_of(known), {**known, "metadata": metadata, "data": data}
        )

    async def _create(self, api: Any, resource: ServedResource, obj: Object) -> None:
        body = {"kind": resource.kind, "apiVersion": resource.api_version, **obj}
        try:
            await api.create(resource.path(obj["metadata"]["namespace"]), body)
        except StatusError as problem:
            ends = problem.is_not_found or "NamespaceTerminating" in str(problem.status.get("details"))
            if not (ends or problem.is_already_exists):
                raise

    async def _empty(self, cached: Object) -> None:
        """Deletes the objects of a namespace. If no objects remain, removes the namespace's finalizer.

        If objects remain, describes them in conditions of the namespace, and checks again later.
        """
        name = cached["metadata"]["name"]
        place = self._namespaces.resource
        try:
            namespace = await self._deleter.get(place.path(name=name))
            if not namespace["spec"].get("finalizers"):
                return
            left = await self._delete_contents(name)
            await self._update_conditions(namespace, left)
            if not left.counts:
                await self._finalize(name)
            else:
                self.context.add_after(name, left.estimate)
                self._await(name, left.resources)
        except StatusError as problem:
            if not problem.is_not_found:
                raise

    def _await(self, namespace: str, resources: Iterable[Resource]) -> None:
        """Watches some resources of a terminating namespace, to queue the namespace again.

        Queues the namespace when its last object of one of these resources is deleted.
        """
        self._terminating.add(namespace)
        for resource in resources:
            if resource.prefix not in self._awaited and "watch" in resource.kind.verbs:
                self._awaited.add(resource.prefix)
                self.context.informer(served_as(resource)).on_change(partial(self._note_gone, resource))
                self.context.add(namespace)  # the new cache does not report earlier deletions

    def _note_gone(self, resource: Resource, old: Object | None, new: Object | None) -> None:
        if new is not None or old is None:
            return
        namespace = old["metadata"].get("namespace", "")
        if namespace in self._terminating and not self.context.cluster.inventory.has_objects(
            resource, namespace
        ):
            self.context.add(namespace)

    async def _delete_contents(self, namespace: str) -> "_Left":
        left = _Left()
        resources = self.context.cluster.inventory.resources(namespace)
        pods_first = self.context.rules.gates.enabled("OrderedNamespaceDeletion")
        resources.sort(key=lambda resource: pods_first and resource.kind.resource != "pods")
        for resource in resources:
            place = served_as(resource)
            try:
                left.add(resource, await self._delete_all(place, namespace))
            except StatusError as problem:
                left.failures.append(problem.message)
                left.estimate = max(left.estimate, FINALIZERS_ESTIMATE_SECONDS)
            if pods_first and place.plural == "pods" and left.counts:
                left.awaits_pods = True
                break
        return left

    async def _delete_all(self, place: ServedResource, namespace: str) -> list[Object]:
        """Deletes all objects of the resource `place` in a namespace.

        Returns the objects that still exist, for example because they have finalizers.
        """
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        collection = place.path(namespace)
        try:
            await self._deleter.request("DELETE", collection, options)
        except StatusError as problem:
            if problem.code != 405:
                raise
            for obj in (await self._deleter.get(collection)).get("items") or ():
                await self._deleter.request("DELETE", place.path_of(obj), options)
        items: list[Object] = (await self._deleter.get(collection)).get("items") or []
        return items

    async def _update_conditions(self, namespace: Object, left: "_Left") -> None:
        status = namespace["status"]
        conditions = [dict(condition) for condition in status.get("conditions") or ()]
        changed = False
        for kind, (reason, message) in _CONDITIONS.items():
            expected = left.condition(kind) or {"status": "False", "reason": reason, "message": message}
            known = next((condition for condition in conditions if condition["type"] == kind), None)
            if known is None:
                conditions.append({"type": kind, "lastTransitionTime": self.context.now(), **expected})
                changed = True
            elif any(known.get(field) != value for field, value in expected.items()):
                if known["status"] != expected["status"]:
                    known["lastTransitionTime"] = self.context.now()
                known.update(expected)
                changed = True
        if changed:
            status["conditions"] = conditions
            await self._deleter.update(self._namespaces.resource.path_of(namespace, "status"), namespace)

    async def _finalize(self, name: str) -> None:
        place = self._namespaces.resource
        namespace = await self._deleter.get(place.path(name=name))
        finalizers = [
            finalizer for finalizer in namespace["spec"].get("finalizers") or () if finalizer != FINALIZER
        ]
        namespace["spec"]["finalizers"] = finalizers
        await self._deleter.update(place.path_of(namespace, "finalize"), namespace)


class _Left:
    """The objects that remain in a terminating namespace. `estimate`: the seconds until the next check."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.finalizers: Counter[str] = Counter()
        self.failures: list[str] = []
        self.resources: list[Resource] = []
        self.estimate = 0
        self.awaits_pods = False
        """Whether pods remain that must be deleted before all other objects.

        If true, the conditions do not mention remaining objects.
        """

    def add(self, resource: Resource, objects: list[Object]) -> None:
        place = served_as(resource)
        if objects:
            self.resources.append(resource)
        for obj in objects:
            metadata = obj["metadata"]
            self.counts[f"{place.plural}.{place.group}"] += 1
            self.finalizers.update(metadata.get("finalizers") or ())
            if place.plural == "pods":
                grace = metadata.get("deletionGracePeriodSeconds", POD_ESTIMATE_SECONDS)
                self.estimate = max(self.estimate, grace)
        if objects:
            self.estimate = max(self.estimate, FINALIZERS_ESTIMATE_SECONDS if self.finalizers else 1)

    def condition(self, kind: str) -> Object | None:
        """Returns the namespace condition of the type `kind` if its status is True; None if it is False."""
        counts_show = not self.awaits_pods
        if kind == "NamespaceContentRemaining" and self.counts and counts_show:
            rest = ", ".join(sorted(f"{name} has {n} resource instances" for name, n in self.counts.items()))
            return _amiss("SomeResourcesRemain", f"Some resources are remaining: {rest}")
        if kind == "NamespaceFinalizersRemaining" and self.finalizers and counts_show:
            rest = ", ".join(
                sorted(f"{name} in {n} resource instances" for name, n in self.finalizers.items())
            )
            return _amiss(
                "SomeFinalizersRemain", f"Some content in the namespace has finalizers remaining: {rest}"
            )
        if kind == "NamespaceDeletionContentFailure" and self.failures:
            rest = ", ".join(sorted(self.failures))
            message = f"Failed to delete all resource types, {len(self.failures)} remaining: {rest}"
            return _amiss("ContentDeletionFailed", message)
        return None


def _amiss(reason: str, message: str) -> Object:
    return {"status": "True", "reason": reason, "message": message}
