"""Roles: the PolicyRules that bindings grant to users, read from the stored objects.

Follows k8s.io/kubernetes `pkg/registry/rbac/validation/rule.go`. A ClusterRole with an aggregationRule has
the rules of all ClusterRoles that it selects. Authorization computes these rules itself, so they apply even
if the controller `clusterrole-aggregation`, which writes them into the ClusterRole, does not run.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import of_object
from fakeapi.registry.identity.users import User
from fakeapi.registry.objects import ClusterObjects

GROUP = "rbac.authorization.k8s.io"
RESOURCES = ("clusterroles", "clusterrolebindings", "roles", "rolebindings")


@dataclass(frozen=True, slots=True)
class GrantedRule:
    """A PolicyRule that a user has. `source`: describes the binding, for the reason of a decision."""

    rule: Object
    source: str


class Roles:
    """The RBAC roles and bindings of one cluster. Reads the stored objects again after each change."""

    def __init__(self, objects: ClusterObjects) -> None:
        self._objects = objects
        self._read_at: tuple[int, ...] = ()
        self._bindings: dict[str, list[Object]] = {}
        self._roles: dict[tuple[str, str], Object] = {}

    def granted_to(self, user: User, namespace: str) -> Iterator[GrantedRule | ApiError]:
        """Yields the rules of a user in a namespace, or cluster-wide if `namespace` is "".

        The rules of ClusterRoleBindings come first. Each part is sorted by the names of the bindings. For a
        binding with a missing role, yields an ApiError 404.
        """
        self._read()
        yield from self._granted(user, "")
        if namespace:
            yield from self._granted(user, namespace)

    def _granted(self, user: User, namespace: str) -> Iterator[GrantedRule | ApiError]:
        for binding in self._bindings.get(namespace, ()):
            subject = _subject_of(user, binding, namespace)
            if subject is None:
                continue
            try:
                rules = self.rules_of(binding["roleRef"], namespace)
            except ApiError as error:
                yield error
                continue
            source = _source(binding, subject, namespace)
            for rule in rules:
                yield GrantedRule(rule, source)

    def rules_of(self, reference: Object, namespace: str) -> list[Object]:
        """Returns the rules of a role. Raises ApiError 404 if the role does not exist.

        `reference`: the roleRef. `namespace`: the namespace of a Role.
        """
        self._read()
        kind, name = reference["kind"], reference["name"]
        place = namespace if kind == "Role" else ""
        role = self._roles.get((place, name)) if namespace or kind != "Role" else None
        if role is None:
            raise errors.not_found(Qualified(GROUP, kind.lower()), name)
        return self._all_rules(role, set())

    def _all_rules(self, role: Object, seen: set[str]) -> list[Object]:
        """Returns the rules that a ClusterRole aggregates, without duplicates.

        If the ClusterRole aggregates no rules, returns its own rules. `seen`: the names of the roles that are
        already visited; the function skips them, because roles can aggregate each other.
        """
        own: list[Object] = list(role.get("rules") or ())
        selectors = selectors_of(role)
        if not selectors:
            return own
        seen.add(role["metadata"]["name"])
        aggregated: dict[str, Object] = {}
        for selector in selectors:
            compiled = of_object(selector)
            for (namespace, name), other in sorted(self._roles.items()):
                labels = other["metadata"].get("labels") or {}
                if compiled is None or namespace or name in seen or not compiled.matches(labels):
                    continue
                for rule in self._all_rules(other, seen):
                    aggregated.setdefault(json.dumps(rule, sort_keys=True), rule)
        return list(aggregated.values()) or own

    def _read(self) -> None:
        changed = self._objects.store.last_changes(f"/{GROUP}/{name}/" for name in RESOURCES)
        if changed == self._read_at:
            return
        self._bindings, self._roles = {}, {}
        for resource in RESOURCES:
            for obj in self._objects.list(GROUP, resource):
                namespace = obj["metadata"].get("namespace", "")
                if "roleRef" in obj:
                    self._bindings.setdefault(namespace, []).append(obj)
                else:
                    self._roles[namespace, obj["metadata"]["name"]] = obj
        self._read_at = changed


def selectors_of(role: Object) -> list[Object]:
    """Returns the label selectors in the aggregationRule of a ClusterRole; [] without an aggregationRule."""
    return list((role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ())


def _subject_of(user: User, binding: Object, namespace: str) -> Object | None:
    """Returns the first subject of a binding that is the user or one of the user's groups.

    Returns None if no subject matches. `namespace`: the default namespace of a ServiceAccount subject.
    """
    for subject in binding.get("subjects") or ():
        kind, name = subject["kind"], subject["name"]
        if kind == "User" and user.name == name:
            return dict(subject)
        if kind == "Group" and name in user.groups:
            return dict(subject)
        place = subject.get("namespace") or namespace
        if kind == "ServiceAccount" and place and user.name == f"system:serviceaccount:{place}:{name}":
            return dict(subject)
    return None


def _source(binding: Object, subject: Object, namespace: str) -> str:
    kind, name = subject["kind"], subject["name"]
    if kind == "ServiceAccount":
        name = f"{name}/{subject.get('namespace') or namespace}"
    reference, own_name = binding["roleRef"], binding["metadata"]["name"]
    of = f"RoleBinding {quote(f'{own_name}/{namespace}')}" if namespace else ""
    of = of or f"ClusterRoleBinding {quote(own_name)}"
    return f"{of} of {reference['kind']} {quote(reference['name'])} to {kind} {quote(name)}"
