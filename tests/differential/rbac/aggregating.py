"""Aggregates the cluster roles of a kube-apiserver that runs without controllers.

Follows k8s.io/kubernetes 1.37 `pkg/controller/clusterroleaggregation`. The rules of roles that aggregate each
other are always computed from empty rules, as if the roles were new. The real controller would keep a rule in
such a circle forever, even after a user removes the rule from the role that it came from.
"""

from typing import Any

from fakeapi.machinery.meta.label_selector import of_object
from tests.differential.rbac.servers import APPLY, Server
from tests.differential.rbac.world import GROUP, RBAC

_QUERY = "?fieldManager=clusterrole-aggregation-controller&force=true"

Rules = list[Any]


class Aggregation:
    """Writes the rules of aggregated cluster roles, as the controller of Kubernetes would eventually."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def update(self) -> None:
        """Writes the rules of all aggregated roles.

        A role whose selectors find no rules keeps the rules that users wrote into it. Other roles can
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
    """Returns the rules of each aggregated role by its name; leaves out the roles in `kept`.

    Other roles can still aggregate the rules of the roles in `kept`.
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
    """Returns the label selectors of a role's aggregation rule, or [] without an aggregation rule."""
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
