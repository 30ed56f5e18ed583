"""ClusterRoleAggregationController: copies the selected rules into ClusterRoles with an aggregationRule.

Follows k8s.io/kubernetes `pkg/controller/clusterroleaggregation`.
"""

from fakeapi.controllers.workloads.controller import WorkloadController
from fakeapi.controllers.workloads.owners import labels_of
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import label_selector

FIELD_MANAGER = "clusterrole-aggregation-controller"


class ClusterRoleAggregationController(WorkloadController):
    name = "clusterrole-aggregation"
    group = "rbac.authorization.k8s.io"
    plural = "clusterroles"
    agent = "clusterrole-aggregation-controller"
    component = "clusterrole-aggregation-controller"

    def owner_changed(self, old: Object | None, new: Object | None) -> None:
        """Queues all ClusterRoles that aggregate others, because any ClusterRole may add rules to them."""
        for name, role in self.owners.objects.items():
            if role.get("aggregationRule"):
                self.context.add(name)

    async def sync(self, owner: Object) -> None:
        rules = self._rules(owner)
        if not owner.get("aggregationRule") or rules == (owner.get("rules") or []):
            return
        body = {
            "apiVersion": self.resource.api_version,
            "kind": self.resource.kind,
            "metadata": {"name": owner["metadata"]["name"]},
            "rules": rules,
        }
        await self.api.patch(
            self.resource.path_of(owner), body, "apply", fieldManager=FIELD_MANAGER, force="true"
        )

    def _rules(self, owner: Object) -> list[Object]:
        """Returns the rules of all ClusterRoles that the aggregationRule of `owner` selects, without
        duplicates.
        """
        rules: list[Object] = []
        for selector in (owner.get("aggregationRule") or {}).get("clusterRoleSelectors") or ():
            try:
                parsed = label_selector.of_object(selector)
            except ValueError:
                continue
            for name, role in sorted(self.owners.objects.items()):
                if parsed is None or name == owner["metadata"]["name"] or not parsed.matches(labels_of(role)):
                    continue
                rules += [rule for rule in role.get("rules") or () if rule not in rules]
        return rules
