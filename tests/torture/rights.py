"""A small model of RBAC, which shares no code with fakeapi: computes the permissions of users from roles.

Follows `pkg/registry/rbac` of k8s.io/kubernetes. A right is one verb on one resource, object or URL path. To
check whether a user has the rights of a rule, the model replaces each wildcard in the rule with OTHER.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Rule = dict[str, Any]
OTHER = "another"
"""A name that no rule contains, so only a rule with a wildcard grants rights on it."""
EVERYTHING: list[Rule] = [
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
]


def rights(rule: Rule) -> Iterator[tuple[str, ...]]:
    """Yields the rights that an RBAC rule grants, as (verb, path) or (verb, group, resource, name).

    OTHER replaces wildcards in the rule.
    """
    verbs = [verb.replace("*", OTHER) for verb in rule["verbs"]]
    if "nonResourceURLs" in rule:
        yield from itertools.product(verbs, [path.replace("*", OTHER) for path in rule["nonResourceURLs"]])
        return
    groups, resources = (
        [each.replace("*", OTHER) for each in rule[key]] for key in ("apiGroups", "resources")
    )
    yield from itertools.product(verbs, groups, resources, rule.get("resourceNames") or [OTHER])


def allows(rule: Rule, right: tuple[str, ...]) -> bool:
    """Whether an RBAC rule grants a right. A right is (verb, path) or (verb, group, resource, name)."""
    if not {"*", right[0]} & set(rule["verbs"]):
        return False
    if len(right) == 2:
        paths = rule.get("nonResourceURLs", [])
        return any(right[1] == path or (path[-1] == "*" and right[1].startswith(path[:-1])) for path in paths)
    if "nonResourceURLs" in rule or not {"*", right[1]} & set(rule["apiGroups"]):
        return False
    names = rule.get("resourceNames")
    subresource = "*/" + right[2].partition("/")[2]
    fits = bool({"*", right[2], subresource} & set(rule["resources"]))
    return fits and (not names or right[3] in names)


@dataclass
class Model:
    """Stores RBAC roles and bindings by (namespace, name), and computes the permissions of users.

    The namespace is "" for a ClusterRole or ClusterRoleBinding.
    """

    roles: dict[tuple[str, str], Any] = field(default_factory=dict)
    bindings: dict[tuple[str, str], Any] = field(default_factory=dict)

    def rules_of(self, reference: Any, namespace: str) -> list[Rule] | None:
        """Returns the rules of the role in a binding's `roleRef`, or None if the role does not exist.

        `namespace`: the namespace of the binding.
        """
        place = namespace if reference["kind"] == "Role" else ""
        role = self.roles.get((place, reference["name"]))
        return None if role is None else self._resolved(role, frozenset())

    def _resolved(self, role: Any, seen: frozenset[str]) -> list[Rule]:
        labels = selected(role)
        if not labels:
            return list(role.get("rules") or [])
        seen |= {role["metadata"]["name"]}
        rules = []
        for (namespace, name), other in self.roles.items():
            if not namespace and name not in seen and labels & set(other["metadata"].get("labels") or {}):
                rules += self._resolved(other, seen)
        return rules or list(role.get("rules") or [])

    def held(self, user: str, namespace: str) -> list[Rule]:
        """Returns the RBAC rules that apply to a user in a namespace."""
        rules: list[Rule] = []
        for (place, _), binding in self.bindings.items():
            if place in ("", namespace) and any(each["name"] == user for each in binding["subjects"]):
                rules += self.rules_of(binding["roleRef"], place) or []
        return rules

    def may(self, user: str, namespace: str, right: tuple[str, ...]) -> bool:
        """Whether the rules that apply to a user in a namespace grant a right."""
        return any(allows(rule, right) for rule in self.held(user, namespace))

    def covers(self, user: str, namespace: str, rules: list[Rule]) -> bool:
        """Whether a user has all rights that these rules grant, in a namespace."""
        return all(self.may(user, namespace, right) for rule in rules for right in rights(rule))

    def may_write_role(self, user: str, namespace: str, role: Any, right: tuple[str, ...]) -> bool:
        """Whether a user may create or update this role.

        A user needs all rights of the role; for a role with an aggregation rule, all possible rights.
        `right`: the right to `escalate` the role; a user with this right needs no other rights.
        """
        if self.may(user, namespace, right):
            return True
        old = self.roles.get((namespace, role["metadata"]["name"]))
        aggregates = bool(selected(role)) or (old is not None and bool(selected(old)))
        rules = [*(role.get("rules") or []), *(EVERYTHING if aggregates else [])]
        return self.covers(user, namespace, rules)


def selected(role: Any) -> set[str]:
    """Returns the labels that a ClusterRole's aggregation rule selects; empty without an aggregation rule."""
    selectors = (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or []
    return {label for selector in selectors for label in selector["matchLabels"]}
