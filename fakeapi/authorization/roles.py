"""Roles: the rules that bindings give to users, read from the stored objects.

Follows k8s.io/kubernetes `pkg/registry/rbac/validation/rule.go`. A ClusterRole with an aggregation rule has
the rules of the roles that it selects, by which `pkg/controller/clusterroleaggregation` replaces its own.
"""

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
    """A rule that a user has, and the binding that gives it, as a decision names it."""

    rule: Object
    source: str


class Roles:
    """The roles and bindings of one cluster, decoded once for each change of any of them."""

    def __init__(self, objects: ClusterObjects) -> None:
        self._objects = objects
        self._read_at: tuple[int, ...] = ()
        self._bindings: dict[str, list[Object]] = {}
        self._roles: dict[tuple[str, str], Object] = {}

    def granted_to(self, user: User, namespace: str) -> Iterator[GrantedRule | ApiError]:
        """The rules of a user in a namespace, or on the cluster where it is empty, in order of the bindings'
        names. An error stands for a binding whose role is not there.
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
        """The rules of a role. Raises ApiError 404."""
        self._read()
        kind, name = reference["kind"], reference["name"]
        place = namespace if kind == "Role" else ""
        role = self._roles.get((place, name)) if namespace or kind != "Role" else None
        if role is None:
            raise errors.not_found(Qualified(GROUP, kind.lower()), name)
        return self._all_rules(role, set())

    def _all_rules(self, role: Object, seen: set[str]) -> list[Object]:
        """The rules of a role: those of the roles that it aggregates, each rule once, or else its own.

        Roles that aggregate each other are asked once: `seen` are the names of those that were.
        """
        own: list[Object] = list(role.get("rules") or ())
        selectors = selectors_of(role)
        if not selectors:
            return own
        seen.add(role["metadata"]["name"])
        found: list[Object] = []
        for selector in selectors:
            wanted = of_object(selector)
            for (namespace, name), other in sorted(self._roles.items()):
                labels = other["metadata"].get("labels") or {}
                if wanted is None or namespace or name in seen or not wanted.matches(labels):
                    continue
                found += [each for each in self._all_rules(other, seen) if each not in found]
        return found or own

    def _read(self) -> None:
        changed = self._objects.store.last_changes(f"/{GROUP}/{each}/" for each in RESOURCES)
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
    """The selectors of the aggregation rule of a cluster role."""
    return list((role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ())


def _subject_of(user: User, binding: Object, namespace: str) -> Object | None:
    """The first subject of a binding that is the user."""
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
