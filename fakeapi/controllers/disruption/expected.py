"""Sums up the desired replicas of pod owners, for PodDisruptionBudgets with a percentage or maxUnavailable.

Follows the finders of k8s.io/kubernetes `pkg/controller/disruption`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fakeapi.clients.errors import StatusError
from fakeapi.clients.in_process import InProcessClient
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.informer import Informer
from fakeapi.controllers.served import served_as
from fakeapi.controllers.workloads.owners import controller_of
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object

_KINDS = {
    "ReplicationController": ("", "replicationcontrollers"),
    "ReplicaSet": ("apps", "replicasets"),
    "StatefulSet": ("apps", "statefulsets"),
    "Deployment": ("apps", "deployments"),
}
"""The kinds with caches, by API group and plural.

Owners of other kinds are read through the subresource scale.
"""


class ExpectedPodsUnknown(Exception):
    """Raised if the number of desired pods cannot be determined.

    The message equals the message of kube-controller-manager.
    """


@dataclass(frozen=True, slots=True)
class Expected:
    """The number of pods that the owners want, and the names of pods without a controller."""

    count: int
    unmanaged: list[str]


@dataclass(frozen=True, slots=True)
class _Scale:
    uid: str
    replicas: int


class ExpectedPods:
    """Sums up the desired replicas of the owners of pods."""

    def __init__(self, context: ControllerContext, api: InProcessClient) -> None:
        self._context = context
        self._api = api
        self._caches: dict[str, Informer] = {
            kind: context.informer(context.served(*place)) for kind, place in _KINDS.items()
        }

    async def of(self, pods: Iterable[Object]) -> Expected:
        """Returns the sum of the desired replicas of all workloads that own these pods.

        Counts each workload once. Raises ExpectedPodsUnknown if an owner is missing or has no Scale.
        """
        scales: dict[str, int] = {}
        unmanaged: list[str] = []
        for pod in pods:
            reference = controller_of(pod)
            if reference is None:
                unmanaged.append(pod["metadata"]["name"])
            elif reference["uid"] not in scales:
                scale = await self._scale(reference, pod["metadata"]["namespace"])
                if scale is None:
                    raise ExpectedPodsUnknown(
                        f"found no controllers for pod {quote(pod['metadata']['name'])}"
                    )
                scales[scale.uid] = scale.replicas
        return Expected(sum(scales.values()), unmanaged)

    async def _scale(self, reference: Object, namespace: str) -> _Scale | None:
        group, _, version = reference["apiVersion"].rpartition("/")
        owner = self._cached(reference, namespace)
        if owner is None:
            return await self._served_scale(reference, group, version, namespace)
        above = controller_of(owner)
        if reference["kind"] == "ReplicaSet" and above is not None and above["kind"] == "Deployment":
            deployment = self._cached(above, namespace)
            if deployment is None:
                return await self._served_scale(reference, group, version, namespace)
            owner = deployment
        return _Scale(owner["metadata"]["uid"], owner["spec"].get("replicas", 1))

    def _cached(self, reference: Object, namespace: str) -> Object | None:
        """Returns the owner from the cache of its kind; None for other kinds and missing owners."""
        group, _, _ = reference["apiVersion"].rpartition("/")
        if _KINDS.get(reference["kind"], ("-", ""))[0] != group:
            return None
        owner = self._caches[reference["kind"]].get(namespace, reference["name"])
        return owner if owner is not None and owner["metadata"]["uid"] == reference["uid"] else None

    async def _served_scale(
        self, reference: Object, group: str, version: str, namespace: str
    ) -> _Scale | None:
        """Reads the Scale of an owner without a cache, such as a custom resource.

        Returns None if the owner does not exist. Raises ExpectedPodsUnknown if the kind of the owner has no
        subresource scale, and if the request fails.
        """
        resource, has_scale = self._resource(group, version, reference["kind"])
        if not has_scale:
            raise ExpectedPodsUnknown(f"{resource.qualified} does not implement the scale subresource")
        try:
            scale = await self._api.get(resource.path(namespace, reference["name"], "scale"))
        except StatusError as problem:
            if problem.is_not_found:
                return None
            raise ExpectedPodsUnknown(problem.message) from None
        if scale["metadata"]["uid"] != reference["uid"]:
            return None
        return _Scale(reference["uid"], (scale.get("spec") or {}).get("replicas") or 0)

    def _resource(self, group: str, version: str, kind: str) -> tuple[ServedResource, bool]:
        for candidate in self._context.cluster.catalogue.of_version(group, version):
            if candidate.kind.kind == kind:
                return served_as(candidate), "scale" in candidate.subresources
        api_version = f"{group}/{version}" if group else version
        raise ExpectedPodsUnknown(f"no matches for kind {quote(kind)} in version {quote(api_version)}")
