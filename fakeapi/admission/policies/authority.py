"""The CEL variable `authorizer`, with which the expressions of policies check permissions.

Follows k8s.io/apiserver `pkg/cel/library/authz.go`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fakeapi.machinery import codec
from fakeapi.machinery.cel.runtime.functions.authorization import Check, Decision
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.authorization.attributes import AccessAttributes, equal_terms
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW
from fakeapi.registry.identity.service_accounts import groups_of
from fakeapi.registry.identity.users import ANONYMOUS, User

if TYPE_CHECKING:
    from fakeapi.registry.server import Server

NOT_READY = "the roles of the cluster are not there yet"


def authorizer_of(attributes: Attributes, server: "Server") -> Check:
    """Returns the CEL value `authorizer`, which checks permissions of the client or of a service account."""

    def decides(check: Check, verb: str) -> Decision:
        access = _access(attributes.user, check, verb)
        coroutine = server.authorizer.authorize(access)
        try:
            coroutine.send(None)
        except StopIteration as answered:
            return Decision(answered.value.allowed, answered.value.reason)
        coroutine.close()
        return Decision(allowed=False, error=NOT_READY)

    return Check(decides)


def is_asked(specifications: Iterable[Object], server: "Server") -> bool:
    """Whether policy specs or match conditions use `authorizer`, so that `prepare` must run first.

    Returns False if the server's authorizer is AlwaysAllow, which needs no preparation.
    """
    if server.authorizer is ALWAYS_ALLOW:
        return False
    return any(b"authorizer" in codec.encode(specification) for specification in specifications)


async def prepare(server: "Server") -> None:
    """Creates the default RBAC roles, so that CEL expressions can check permissions without `await`.

    Raises ApiError if the server cannot create the roles.
    """
    await server.authorizer.authorize(AccessAttributes(ANONYMOUS, "get", resource="namespaces"))


def _access(user: User, check: Check, verb: str) -> AccessAttributes:
    if check.service_account is not None:
        namespace, name = check.service_account
        user = User(f"system:serviceaccount:{namespace}:{name}", groups_of(namespace))
    return AccessAttributes(
        user,
        verb,
        group=check.group,
        resource=check.resource,
        subresource=check.subresource,
        namespace=check.namespace,
        name=check.name,
        path=check.path,
        is_resource=not check.path,
        fields=equal_terms(check.field_selector) if check.field_selector else (),
    )
