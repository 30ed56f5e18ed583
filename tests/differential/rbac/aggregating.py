"""Aggregates the ClusterRoles of a kube-apiserver that runs without controllers.

Follows k8s.io/kubernetes 1.37 `pkg/controller/clusterroleaggregation`, with one difference. If roles
aggregate each other in a circle, this module always computes their rules from empty rules. Kubernetes'
controller keeps a rule in such a circle forever, even after a user removes the rule from its original role.
"""

from typing import Any

from fakeapi.machinery.meta.label_selector import of_object
from tests.differential.rbac.servers import APPLY, Server
from tests.differential.rbac.world import GROUP, RBAC

_QUERY = "?fieldManager=clusterrole-aggregation-controller&force=true"

Rules = list[Any]


class Aggregation:
    """Writes the final rules of aggregated ClusterRoles, instead of Kubernetes' controller."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def update(self) -> None:
        """Writes the rules of all aggregated ClusterRoles on the server.

        A role whose selectors select no rules keeps the rules that users wrote into it. Other roles can
        aggregate these rules.
        """
        kept: set[str] = set()
        while True:
            roles = {role["metadata"]["name"]: role for role in self._list()}
            aggregated = gathered(roles, kept)
            for name, rules in aggregated.items():
                if rules != (roles[name].get("rules") or []):
                    self._apply(name, rules)
            after = {role["metadata"]["name"]: role.get("rules") or [] for role in self._list()}
            more = {name for name, rules in aggregated.items() if not rules and after[name]}
            if not more:
                return
            kept |= more

    def _list(self) -> Rules:
        items: Rules = self._server.must("GET", f"{RBAC}/clusterroles")["items"]
        return items

    def _apply(self, name: str, rules: Rules) -> None:
        body: Any = {"apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", "metadata": {"name": name}}
        if rules:
            body["rules"] = rules
        self._server.must("PATCH", f"{RBAC}/clusterroles/{name}{_QUERY}", body, APPLY)


def gathered(roles: dict[str, Any], kept: set[str]) -> dict[str, Rules]:
    """Returns the aggregated rules of each ClusterRole by its name. Omits the roles in `kept`.

    Roles in `kept` keep their own rules, and other roles can aggregate these rules.
    """
    aggregated: dict[str, Rules] = {
        name: [] for name, role in roles.items() if selectors_of(role) and name not in kept
    }
    while True:
        before = {name: list(rules) for name, rules in aggregated.items()}
        for name in aggregated:
            aggregated[name] = _selected(name, roles, aggregated)
        if aggregated == before:
            return aggregated


def selectors_of(role: Any) -> Rules:
    """Returns the label selectors of a ClusterRole's aggregation rule; [] if it has no aggregation rule."""
    return (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or []


def _selected(name: str, roles: dict[str, Any], aggregated: dict[str, Rules]) -> Rules:
    rules: Rules = []
    for selector in selectors_of(roles[name]):
        matcher = of_object(selector)
        for other in sorted(roles):
            labels = roles[other]["metadata"].get("labels") or {}
            if matcher is not None and other != name and matcher.matches(labels):
                rules_of_other = aggregated.get(other, roles[other].get("rules") or [])
                rules += [rule for rule in rules_of_other if rule not in rules]
    return rules
