"""RBAC: the authorizer of the modes Node, RBAC and AlwaysDeny.

Follows k8s.io/kubernetes `plugin/pkg/auth/authorizer/rbac`. Like upstream's `pkg/kubeapiserver/authorizer`,
the authorizer first allows everything for the group system:masters. The authorizer then checks its modes in
order.
"""

from collections.abc import Awaitable, Callable, Sequence

from fakeapi.authorization.nodes import NodeAccess, node_of
from fakeapi.authorization.roles import Roles
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.authorization.authorizer import SUPERUSERS, Decision, UserRules
from fakeapi.registry.authorization.rules import rule_allows, uncovered
from fakeapi.registry.identity.users import User
from fakeapi.registry.objects import ClusterObjects
from fakeapi.releases import Release

_NODES_UNRESOLVED = "node authorizer does not support user rule resolution"


_EVERYTHING_FORBIDDEN = "Everything is forbidden."


class RBAC:
    """An authorizer with several modes. Allows a request if one of its modes allows the request.

    - `ensure`: creates the default roles of a new cluster.
    - `modes`: the modes, in the order of their checks. "node" grants kubelets their permissions. "rbac"
      grants the permissions in roles and bindings. "always-deny" grants nothing.
    """

    def __init__(
        self,
        objects: ClusterObjects,
        release: Release,
        ensure: Callable[[], Awaitable[None]],
        modes: Sequence[str],
    ) -> None:
        self._modes = modes
        self.roles = Roles(objects)
        self._nodes = NodeAccess(objects, release, self.roles)
        self._names_itself = release.quirks.refusals_name_authorizers
        self._ensure = ensure

    async def authorize(self, attributes: AccessAttributes, /) -> Decision:
        """Decides whether a user may send a request.

        Raises ApiError if the server cannot create the default roles.
        """
        if SUPERUSERS in attributes.user.groups:
            return Decision(allowed=True)
        await self._ensure()
        reasons: list[str] = []
        for mode in self._modes:
            decision = self._decision(mode, attributes)
            if decision.allowed:
                return decision
            reasons.append(self._named(mode.replace("-", ""), decision.reason))
        return Decision(allowed=False, reason="\n".join(filter(None, reasons)))

    def _decision(self, mode: str, attributes: AccessAttributes) -> Decision:
        if mode == "rbac":
            return self._of_roles(attributes)
        if mode == "always-deny":
            return Decision(allowed=False, reason=_EVERYTHING_FORBIDDEN)
        node = node_of(attributes.user)
        return Decision(allowed=False) if node is None else self._nodes.decide(node, attributes)

    def _of_roles(self, attributes: AccessAttributes) -> Decision:
        problems: list[str] = []
        for granted in self.roles.granted_to(attributes.user, attributes.namespace):
            if isinstance(granted, ApiError):
                problems.append(granted.message)
            elif rule_allows(granted.rule, attributes):
                return Decision(allowed=True, reason=f"RBAC: allowed by {granted.source}")
        return Decision(allowed=False, reason=f"RBAC: {aggregate(problems)}" if problems else "")

    def _named(self, authorizer: str, reason: str) -> str:
        """Formats the reason of an authorizer's decision like k8s.io/apiserver `pkg/authorization/union`.

        Some releases put the name of the authorizer before the reason.
        """
        return f"{authorizer}: {reason}" if reason and self._names_itself else reason

    async def rules_for(self, user: User, namespace: str, /) -> UserRules:
        """Returns the rules of a user in a namespace, for SelfSubjectRulesReview.

        Raises ApiError if the server cannot create the default roles.
        """
        await self._ensure()
        rules, errors = self.rules_and_errors(user, namespace) if "rbac" in self._modes else ([], [])
        problems = [error.message for error in errors]
        is_node = "node" in self._modes and node_of(user) is not None
        if is_node:
            problems.insert(0, _NODES_UNRESOLVED)
        members = ("verbs", "apiGroups", "resources", "resourceNames")
        return UserRules(
            [_part(rule, members) for rule in rules if rule.get("resources")],
            [_part(rule, ("verbs", "nonResourceURLs")) for rule in rules if rule.get("nonResourceURLs")],
            incomplete=is_node,
            error=aggregate(problems),
        )

    def rules_and_errors(self, user: User, namespace: str) -> tuple[list[Object], list[ApiError]]:
        """Returns the PolicyRules that roles grant to a user, and the errors of the user's bindings.

        A binding whose role does not exist causes an ApiError 404 in the second list.
        """
        granted = list(self.roles.granted_to(user, namespace))
        errors = [item for item in granted if isinstance(item, ApiError)]
        return [item.rule for item in granted if not isinstance(item, ApiError)], errors

    def missing(
        self, user: User, namespace: str, wanted: list[Object]
    ) -> tuple[list[Object], list[ApiError]]:
        """Returns the permissions in `wanted` that a user lacks, and the errors of the user's bindings.

        Each missing permission is a PolicyRule with one verb, and with one resource or URL path. A binding
        whose role does not exist causes an ApiError 404 in the second list.
        """
        rules, errors = self.rules_and_errors(user, namespace)
        return uncovered(rules, wanted), errors


def _part(rule: Object, members: tuple[str, ...]) -> Object:
    return {name: list(rule[name]) for name in members if rule.get(name)}


def aggregate(problems: list[str]) -> str:
    """Joins error messages into one text without duplicates, like k8s.io/apimachinery `pkg/util/errors`.

    Returns a single message unchanged. Several messages give `[a, b]`.
    """
    once = list(dict.fromkeys(problems))
    return "".join(once) if len(once) < 2 else f"[{', '.join(once)}]"
