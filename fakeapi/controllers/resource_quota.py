"""ResourceQuotaController: recalculates the status of ResourceQuotas, which admission adds to.

Follows k8s.io/kubernetes `pkg/controller/resourcequota`.
"""

from functools import partial
from typing import Any

from fakeapi.admission.plugins import QUOTAS
from fakeapi.admission.plugins.resource_quota import amounts
from fakeapi.admission.plugins.resource_quota.recalculation import (
    counted_resources,
    recalculated,
)
from fakeapi.controllers.controller import Controller
from fakeapi.controllers.paths import ServedResource, find_resource, served_as
from fakeapi.controllers.quota_replenishment import replenishes
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource

RESYNC_SECONDS = 300.0
"""After which a quota is counted again, for what was charged and then not written."""


class ResourceQuotaController(Controller):
    name = "resourcequota"

    async def start(self) -> None:
        quotas = self.context.resource("", "resourcequotas")
        assert quotas is not None, "resourcequotas are served by every release"
        self._api = self.context.api("kube-controller-manager", "resourcequota-controller")
        self._followed: set[ServedResource] = set()
        self._quotas = self.context.informer(quotas)
        self._quotas.on_change(self._enqueue)

    def _enqueue(self, old: Object | None, new: Object | None) -> None:
        """Enqueues a quota with new bounds. Its status is admission's as well, and no reason to count."""
        if new is not None and (old is None or old["spec"].get("hard") != new["spec"].get("hard")):
            self.context.add((new["metadata"]["namespace"], new["metadata"]["name"]))

    def _enqueue_all_beside(self, place: ServedResource, old: Object | None, new: Object | None) -> None:
        """Enqueues the quotas of a namespace in which an object changed or is gone."""
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
        for each in resources:
            self._follow(served_as(each))
        status = quota.get("status") or {}
        used = recalculated(quota, resources, objects)
        used = amounts.masked({**(status.get("used") or {}), **used}, hard)
        is_known = status.get("hard") == hard and status.get("used") is not None
        if is_known and amounts.are_equal(used, status["used"]):
            return
        changed = {**quota, "status": {"hard": hard, "used": dict(sorted(used.items()))}}
        await self._api.update(self._quotas.resource.path_of(quota, "status"), changed)

    def _resources(self) -> list[Resource]:
        """Every resource that a quota can count, in the version that discovery prefers."""
        catalogue = self.context.cluster.catalogue
        kinds = [each.kind for each in catalogue.resources if QUOTAS.covers(each, "")]
        names = {(kind.group, kind.resource) for kind in kinds}
        found = (find_resource(catalogue, *name) for name in sorted(names))
        return [each for each in found if each is not None]

    def _follow(self, place: ServedResource) -> None:
        if place not in self._followed:
            self._followed.add(place)
            self.context.informer(place).on_change(partial(self._enqueue_all_beside, place))
