"""ResourceQuotaController: recalculates the usage in the status of ResourceQuotas.

Follows k8s.io/kubernetes `pkg/controller/resourcequota`. The controller is needed because admission only
increases the usage.
"""

from functools import partial
from typing import Any

from fakeapi.admission.plugins import QUOTAS
from fakeapi.admission.plugins.resource_quota import amounts
from fakeapi.admission.plugins.resource_quota.recalculation import (
    counted_resources,
    recalculated,
)
from fakeapi.clients.served_resource import ServedResource
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.quota_replenishment import replenishes
from fakeapi.controllers.served import find_resource, served_as
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource

RESYNC_SECONDS = 300.0
"""Age in seconds at which an unchanged quota is recalculated.

Admission also adds usage for writes that fail later. The recalculation removes this usage.
"""


class ResourceQuotaController(Controller):
    name = "resourcequota"

    async def start(self) -> None:
        self._api = self.context.api("kube-controller-manager", "resourcequota-controller")
        self._followed: set[ServedResource] = set()
        self._quotas = self.context.informer(self.context.served("", "resourcequotas"))
        self._quotas.on_change(self._enqueue)

    def _enqueue(self, old: Object | None, new: Object | None) -> None:
        """Queues a new ResourceQuota, or a ResourceQuota with changed hard limits.

        Ignores status changes, because admission also writes the status.
        """
        if new is not None and (old is None or old["spec"].get("hard") != new["spec"].get("hard")):
            self.context.add((new["metadata"]["namespace"], new["metadata"]["name"]))

    def _enqueue_all_beside(self, place: ServedResource, old: Object | None, new: Object | None) -> None:
        """Queues all ResourceQuotas of a namespace if an object's change may have reduced the used amounts.

        `place`: the resource of the object.
        """
        if not replenishes(place.group, place.plural, old, new):
            return
        namespace = (new or old or {})["metadata"].get("namespace", "")
        for quota in list(self._quotas.objects.values()):
            if quota["metadata"]["namespace"] == namespace:
                self._enqueue(None, quota)

    async def reconcile(self, key: Any) -> None:
        quota = self._quotas.get(*key)
        if quota is None:
            return
        self.context.add_after(key, RESYNC_SECONDS)
        objects = self.context.cluster.server.objects
        hard: dict[str, str] = quota["spec"].get("hard") or {}
        resources = counted_resources(hard, self._resources(), objects)
        for resource in resources:
            self._follow(served_as(resource))
        status = quota.get("status") or {}
        used = recalculated(quota, resources, objects)
        used = amounts.masked({**(status.get("used") or {}), **used}, hard)
        is_known = status.get("hard") == hard and status.get("used") is not None
        if is_known and amounts.are_equal(used, status["used"]):
            return
        changed = {**quota, "status": {"hard": hard, "used": dict(sorted(used.items()))}}
        await self._api.update(self._quotas.resource.path_of(quota, "status"), changed)

    def _resources(self) -> list[Resource]:
        """Returns all resources that a ResourceQuota can count, in their preferred versions."""
        catalogue = self.context.cluster.catalogue
        kinds = [resource.kind for resource in catalogue.resources if QUOTAS.covers(resource, "")]
        names = {(kind.group, kind.resource) for kind in kinds}
        resources = (find_resource(catalogue, *name) for name in sorted(names))
        return [resource for resource in resources if resource is not None]

    def _follow(self, place: ServedResource) -> None:
        if place not in self._followed:
            self._followed.add(place)
            self.context.informer(place).on_change(partial(self._enqueue_all_beside, place))
