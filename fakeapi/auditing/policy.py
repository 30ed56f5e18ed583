"""Policy: decides how much of a request is written to the audit log.

Follows k8s.io/apiserver `pkg/audit/policy/checker.go`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.identity.users import User


class Level(IntEnum):
    """The audit level of a request. Each level logs more than the level before it."""

    NONE = 0
    METADATA = 1
    REQUEST = 2
    REQUEST_RESPONSE = 3


LEVELS = {
    "None": Level.NONE,
    "Metadata": Level.METADATA,
    "Request": Level.REQUEST,
    "RequestResponse": Level.REQUEST_RESPONSE,
}
LEVEL_NAMES = {level: name for name, level in LEVELS.items()}


class Stage(StrEnum):
    """A stage of a request. Each stage causes one event, unless the policy omits the stage."""

    REQUEST_RECEIVED = "RequestReceived"
    RESPONSE_STARTED = "ResponseStarted"
    RESPONSE_COMPLETE = "ResponseComplete"
    PANIC = "Panic"


@dataclass(frozen=True, slots=True)
class GroupResources:
    """The resources of one API group in a rule. An empty tuple matches all resources or all names."""

    group: str = ""
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a policy for a request.

    - `omit_stages`: the stages whose events are not written.
    - `omit_managed_fields`: whether to remove the managed fields from objects in the events.
    """

    level: Level
    omit_stages: frozenset[str] = frozenset()
    omit_managed_fields: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a policy: which requests it matches, and its decision for these requests.

    An empty tuple matches everything. A rule with `namespaces` or `resources` matches only requests for
    resources. A rule with `paths` matches only other requests.
    """

    decision: Decision
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    resources: tuple[GroupResources, ...] = ()
    namespaces: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def matches(self, access: AccessAttributes, user: User | None) -> bool:
        """Whether the rule applies to a request. `user`: None if the server rejected the credentials."""
        if self.users and (user is None or user.name not in self.users):
            return False
        if self.groups and (user is None or not any(group in self.groups for group in user.groups)):
            return False
        if self.verbs and access.verb not in self.verbs:
            return False
        if self.namespaces or self.resources:
            return access.is_resource and self._matches_resource(access)
        if self.paths:
            return not access.is_resource and any(_is_path(access.path, path) for path in self.paths)
        return True

    def _matches_resource(self, access: AccessAttributes) -> bool:
        if self.namespaces and access.namespace not in self.namespaces:
            return False
        return not self.resources or any(_has_resource(entry, access) for entry in self.resources)


@dataclass(frozen=True, slots=True)
class Policy:
    """An audit policy.

    The first rule that matches a request decides; without such a rule, `default` decides.
    """

    rules: tuple[Rule, ...]
    default: Decision = Decision(Level.NONE)

    def decide(self, access: AccessAttributes, user: User | None) -> Decision:
        """Returns how a request is audited. `user`: None if the server rejected the credentials."""
        for rule in self.rules:
            if rule.matches(access, user):
                return rule.decision
        return self.default


def _is_path(path: str, pattern: str) -> bool:
    """Whether a URL path matches a pattern. An asterisk at the end of a pattern matches any text."""
    return pattern in ("*", path) or (pattern.endswith("*") and path.startswith(pattern.rstrip("*")))


def _has_resource(entry: GroupResources, access: AccessAttributes) -> bool:
    if entry.group not in (access.group, "*"):
        return False
    if not entry.resources:
        return True
    if entry.names and access.name not in entry.names:
        return False
    return any(pattern in entry.resources for pattern in _patterns(access))


def _patterns(access: AccessAttributes) -> Collection[str]:
    """Returns the texts in a rule's `resources` that match the resource of a request."""
    matching = ["*", access.combined_resource, f"{access.resource}/*"]
    return [*matching, f"*/{access.subresource}"] if access.subresource else matching
