"""Impersonation: checks whether a user may act as another user, and returns the impersonated user.

Follows k8s.io/apiserver `pkg/endpoints/filters/impersonation`: impersonation.go for `legacy`, mode.go and
constrained_impersonation.go for `constrained`.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from fakeapi.authorization.nodes import NODES, PREFIX
from fakeapi.kinds.common.domain_names import validate_domain_prefixed_path
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.meta import names
from fakeapi.registry.authorization.attributes import AccessAttributes, forbidden
from fakeapi.registry.authorization.authorizer import SUPERUSERS, Authorizer
from fakeapi.registry.identity.service_accounts import NODE_NAME, account_of, groups_of
from fakeapi.registry.identity.users import ANONYMOUS, AUTHENTICATED, User

UNAUTHENTICATED = "system:unauthenticated"
AUTHENTICATION = "authentication.k8s.io"
NODE_KEYS = "authentication.kubernetes.io/associated-node-keys"
MANY = 4
"""If a client requests at least this many groups or extra values, the server checks the permission "*" first.

A client with the permission "*" may use all groups or extra values, so that no separate checks are needed.
"""
LAST_MODES_MAX = 10_000
"""Maximum number of users in `LastModes`. At the limit, the least recent impersonation is dropped."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The user that a client wants to impersonate, from the Impersonate-* headers of the request."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def is_name_alone(self) -> bool:
        return not (self.uid or self.groups or self.extra)


_Mode = Callable[[Authorizer, AccessAttributes, Wanted], Awaitable[User]]


class LastModes:
    """Remembers the mode of each client's last successful impersonation.

    A mode is a function that checks the permissions for one kind of impersonated user. Follows upstream's
    modeIndexCache (cache.go).
    """

    def __init__(self) -> None:
        self._modes: dict[str, _Mode] = {}

    def first(self, username: str, modes: list[_Mode]) -> list[_Mode]:
        """Returns `modes` with the client's last successful mode in the first place.

        If `modes` does not contain this mode, returns `modes` unchanged.
        """
        last = self._modes.get(username)
        return sorted(modes, key=lambda mode: mode is not last)

    def note(self, username: str, mode: _Mode) -> None:
        """Records the mode of a client's successful impersonation."""
        self._modes.pop(username, None)
        if len(self._modes) >= LAST_MODES_MAX:
            del self._modes[next(iter(self._modes))]
        self._modes[username] = mode


async def legacy(authorizer: Authorizer, requestor: User, wanted: Wanted) -> User:
    """Returns the impersonated user by the rules of older releases.

    Checks the verb `impersonate` for the user name and for each group, extra value and uid. Raises ApiError
    403 if the client lacks one of these permissions.

    - `requestor`: the client.
    - `wanted`: the user that the client wants to impersonate.
    """
    for access in _name_and_groups(requestor, wanted):
        await _check(authorizer, access)
    for access in _extra_and_uid(requestor, wanted):
        await _check(authorizer, access)
    return _user(wanted, _groups_by_name(wanted))


async def constrained(
    authorizer: Authorizer, access: AccessAttributes, wanted: Wanted, last_modes: LastModes
) -> User:
    """Returns the impersonated user of the first mode that allows the request.

    A mode checks the permissions for one sort of impersonated user, such as nodes. The client's last
    successful mode is tried first, and the rules of `legacy` last. If no mode allows the request, raises the
    ApiError 403 of the first mode.

    - `access`: the request of the client
    - `wanted`: the user that the client wants to impersonate
    - `last_modes`: remembers the last successful mode of each client
    """
    first: ApiError | None = None
    for mode in last_modes.first(access.user.name, [*_modes(access.user, wanted), _legacy_in_order]):
        try:
            user = await mode(authorizer, access, wanted)
        except ApiError as error:
            first = first or error
        else:
            last_modes.note(access.user.name, mode)
            return user
    assert first is not None, "legacy applies to every user"
    raise first


def _modes(requestor: User, wanted: Wanted) -> Iterator[_Mode]:
    """Yields the modes that apply to the client and the wanted user, in upstream's order."""
    node, account = _node_of(wanted.name), account_of(wanted.name)
    if node is not None and wanted.is_name_alone:
        if account_of(requestor.name) and requestor.extra.get(NODE_NAME) == (node,):
            yield _as_associated_node
        yield _as_node
    if account is not None and wanted.is_name_alone:
        yield _as_service_account
    if node is None and account is None:
        yield _as_other


async def _as_associated_node(authorizer: Authorizer, access: AccessAttributes, wanted: Wanted) -> User:
    """Lets the service account of a pod impersonate the cluster node on which the pod runs.

    The service account needs the verb `impersonate:associated-node` on the node. It also needs the verb
    `impersonate-on:associated-node:VERB`, where VERB is the verb of the request. Raises ApiError 403 if the
    service account lacks a permission.
    """
    user = replace(access.user, extra={NODE_KEYS: tuple(sorted(access.user.extra))})
    own = replace(access, user=user)
    mode = "associated-node"
    await _check(authorizer, replace(own, verb=f"impersonate-on:{mode}:{access.verb}"))
    await _check(authorizer, _on(user, f"impersonate:{mode}", "nodes", _node_of(wanted.name) or ""))
    return _user(wanted, (NODES,))


async def _as_node(authorizer: Authorizer, access: AccessAttributes, wanted: Wanted) -> User:
    mode = "arbitrary-node"
    await _check(authorizer, replace(access, verb=f"impersonate-on:{mode}:{access.verb}"))
    await _check(authorizer, _on(access.user, f"impersonate:{mode}", "nodes", _node_of(wanted.name) or ""))
    return _user(wanted, (NODES,))


async def _as_service_account(authorizer: Authorizer, access: AccessAttributes, wanted: Wanted) -> User:
    mode = "serviceaccount"
    namespace, name = account_of(wanted.name) or ("", "")
    await _check(authorizer, replace(access, verb=f"impersonate-on:{mode}:{access.verb}"))
    own = _on(access.user, f"impersonate:{mode}", "serviceaccounts", name)
    await _check(authorizer, replace(own, namespace=namespace))
    return _user(wanted, groups_of(namespace)[:2])


async def _as_other(authorizer: Authorizer, access: AccessAttributes, wanted: Wanted) -> User:
    """Impersonates a user that is neither a node nor a service account.

    Also impersonates the uid, groups and extra values that the client requests. Raises ApiError 403 if the
    client lacks a permission.
    """
    verb, user = "impersonate:user-info", access.user
    await _check(authorizer, replace(access, verb=f"impersonate-on:user-info:{access.verb}"))
    await _check(authorizer, _on(user, verb, "users", wanted.name))
    if wanted.uid:
        await _check(authorizer, _on(user, verb, "uids", wanted.uid))
    await _check_groups(authorizer, _on(user, verb, "groups", ""), wanted.groups)
    await _check_extra(authorizer, _on(user, verb, "userextras", ""), wanted.extra)
    return _user(wanted, wanted.groups)


async def _check_groups(authorizer: Authorizer, on: AccessAttributes, groups: tuple[str, ...]) -> None:
    if "" in groups:
        raise forbidden(on, "impersonating the empty string group is not allowed")
    if SUPERUSERS in groups:
        why = f"impersonating the {SUPERUSERS} group is not allowed"
        raise forbidden(replace(on, name=SUPERUSERS), why)
    if len(groups) >= MANY and await _is_allowed(authorizer, replace(on, name="*")):
        return
    for group in groups:
        await _check(authorizer, replace(on, name=group))


async def _check_extra(
    authorizer: Authorizer, on: AccessAttributes, extra: Mapping[str, tuple[str, ...]]
) -> None:
    for key, values in extra.items():
        problem = _extra_problem(key, values)
        if problem:
            raise forbidden(on, problem)
    is_large = sum(map(len, extra.values())) >= MANY
    if is_large and await _is_allowed(authorizer, replace(on, subresource="*", name="*")):
        return
    for key, values in extra.items():
        for value in values:
            await _check(authorizer, replace(on, subresource=key, name=value))


def _extra_problem(key: str, values: tuple[str, ...]) -> str:
    if not key:
        return "impersonating the empty string key in extra is not allowed"
    errors = validate_domain_prefixed_path(key, "extra.key")
    if errors:
        texts = [str(error) for error in errors]
        listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        return f"impersonating an invalid key in extra is not allowed: {listed}"
    if key != key.lower():
        return f"impersonating a non-lowercase key in extra is not allowed: {quote(key)}"
    if "" in values:
        return "impersonating the empty string value in extra is not allowed"
    return ""


async def _legacy_in_order(authorizer: Authorizer, access: AccessAttributes, wanted: Wanted) -> User:
    """Returns the impersonated user like `legacy`, but checks the uid before the groups.

    Raises ApiError 403 if the client lacks a permission.
    """
    requestor = access.user
    name, *groups = _name_and_groups(requestor, wanted)
    extra = list(_extra_and_uid(requestor, wanted))
    uid = [attributes for attributes in extra if attributes.resource == "uids"]
    for attributes in (name, *uid, *groups, *extra[: len(extra) - len(uid)]):
        await _check(authorizer, attributes)
    return _user(wanted, _groups_by_name(wanted))


def _name_and_groups(requestor: User, wanted: Wanted) -> Iterator[AccessAttributes]:
    account = account_of(wanted.name)
    if account is None:
        yield AccessAttributes(requestor, "impersonate", resource="users", name=wanted.name)
    else:
        resource, (namespace, name) = "serviceaccounts", account
        yield AccessAttributes(requestor, "impersonate", resource=resource, namespace=namespace, name=name)
    for group in wanted.groups:
        yield AccessAttributes(requestor, "impersonate", resource="groups", name=group)


def _extra_and_uid(requestor: User, wanted: Wanted) -> Iterator[AccessAttributes]:
    on = _on(requestor, "impersonate", "userextras", "")
    for key, values in wanted.extra.items():
        for value in values:
            yield replace(on, subresource=key, name=value)
    if wanted.uid:
        yield _on(requestor, "impersonate", "uids", wanted.uid)


def _groups_by_name(wanted: Wanted) -> tuple[str, ...]:
    """Returns the groups of the impersonated user: the groups that the client requests.

    If the client requests no groups and the user is a service account, returns the groups of the service
    account.
    """
    account = account_of(wanted.name)
    return groups_of(account[0])[:2] if account and not wanted.groups else wanted.groups


def _user(wanted: Wanted, groups: Iterable[str]) -> User:
    group_names = tuple(groups)
    if wanted.name == ANONYMOUS.name:
        more = () if UNAUTHENTICATED in group_names else (UNAUTHENTICATED,)
    else:
        more = () if UNAUTHENTICATED in group_names or AUTHENTICATED in group_names else (AUTHENTICATED,)
    return User(wanted.name, group_names + more, wanted.uid, wanted.extra)


def _on(user: User, verb: str, resource: str, name: str) -> AccessAttributes:
    return AccessAttributes(user, verb, group=AUTHENTICATION, resource=resource, name=name)


async def _check(authorizer: Authorizer, wanted: AccessAttributes) -> None:
    decision = await authorizer.authorize(wanted)
    if not decision.allowed:
        raise forbidden(wanted, decision.reason)


async def _is_allowed(authorizer: Authorizer, wanted: AccessAttributes) -> bool:
    return (await authorizer.authorize(wanted)).allowed


def _node_of(username: str) -> str | None:
    """Returns the name of the cluster node in a user name `system:node:NAME`; None for other users."""
    name = username.removeprefix(PREFIX)
    if name == username or names.is_dns1123_subdomain(name):
        return None
    return name
