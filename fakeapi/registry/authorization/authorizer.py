"""Authorizer: decides whether a user may send a request. The default is AlwaysAllow.

Follows k8s.io/apiserver `pkg/authorization`.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from fakeapi.machinery.json_types import Object
from fakeapi.registry.authorization.attributes import AccessAttributes
from fakeapi.registry.identity.users import User

SUPERUSERS = "system:masters"
"""The group whose members may do everything, regardless of RBAC roles."""


class Decision(msgspec.Struct, frozen=True):
    """The decision of an authorizer about one request. `reason` says why, and may be empty."""

    allowed: bool
    reason: str = ""


class UserRules(msgspec.Struct, frozen=True):
    """The rules of a user in a namespace, as SelfSubjectRulesReview returns them.

    - `resources` and `paths`: the `resourceRules` and the `nonResourceRules`, as JSON.
    - `incomplete`: whether rules may be missing.
    - `error`: describes the rules that could not be resolved; may be empty.
    """

    resources: Sequence[Object] = ()
    paths: Sequence[Object] = ()
    incomplete: bool = False
    error: str = ""


class Authorizer(Protocol):
    """Decides whether a user may send a request.

    The methods may wait until the bootstrap RBAC roles of a new cluster exist.
    """

    async def authorize(self, attributes: AccessAttributes, /) -> Decision:
        """Returns whether the user may send the request, with a reason."""
        ...

    async def rules_for(self, user: User, namespace: str, /) -> UserRules:
        """Returns the rules of a user in a namespace, for SelfSubjectRulesReview."""
        ...


_EVERYTHING = UserRules(
    ({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},), ({"verbs": ["*"], "nonResourceURLs": ["*"]},)
)


class AlwaysAllow(msgspec.Struct, frozen=True):
    """Allows all requests, as `--authorization-mode=AlwaysAllow` does."""

    decision: Decision = msgspec.field(default=Decision(allowed=True))

    async def authorize(self, attributes: AccessAttributes, /) -> Decision:
        return self.decision

    async def rules_for(self, user: User, namespace: str, /) -> UserRules:
        return _EVERYTHING


ALWAYS_ALLOW = AlwaysAllow()
