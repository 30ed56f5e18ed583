"""Authenticates service account tokens: finds the user of a token.

Follows k8s.io/kubernetes `pkg/serviceaccount` (jwt.go, claims.go, util.go).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.registry.authorization.rules import quoted_list
from fakeapi.registry.identity.users import AUTHENTICATED, CREDENTIAL_ID, User
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.server import Server
from fakeapi.releases import Gates

PREFIX = "system:serviceaccount:"
ALL_ACCOUNTS = "system:serviceaccounts"
NODE_NAME = "authentication.kubernetes.io/node-name"
"""The key in a user's `extra` for the name of the node to which the token or its pod is bound."""

LEEWAY_SECONDS = 60
"""Tolerated clock skew in seconds.

A token is valid from this time before its claim `nbf` to this time after its claim `exp`. A token also stays
valid for this time after the deletionTimestamp of its service account or bound object, while the object is
stored.
"""

_INVALIDATED = "service account token has been invalidated"
_BOUND = {"secret": "secrets", "pod": "pods"}


class TokenRefused(ValueError):
    """Raised if this server signed a token, but the token is not valid. The message is upstream's reason."""


@dataclass(frozen=True, slots=True)
class TokenUser:
    """The user of a service account token.

    `audiences`: the requested audiences that the token also has.
    """

    user: User
    audiences: list[str]


def user_of_token(server: Server, token: str, audiences: Sequence[str], gates: Gates) -> TokenUser | None:
    """Returns the user of a token that this server signed for a service account; None for other tokens.

    Raises TokenRefused in these cases:

    - The token has expired, or is not valid yet.
    - The token has none of the requested audiences.
    - The token's service account or bound object does not exist, has another uid, or is being deleted.
    - The token is bound to a node, and the release does not accept such tokens.
    """
    if not server.tokens.may_exist:
        return None
    claims = server.tokens.signer.claims_of(token)
    if claims is None or not _are_complete(claims):
        return None
    shared = [audience for audience in audiences if audience in claims["aud"]]
    if not shared:
        of, requested = quoted_list(claims["aud"]), quoted_list(audiences)
        raise TokenRefused(f"token audiences {of} is invalid for the target audiences {requested}")
    now = server.store.clock.now()
    _check_times(claims, now)
    own: Object = claims["kubernetes.io"]
    _check_objects(server.objects, own, now, gates)
    namespace, account = own["namespace"], own["serviceaccount"]
    user = User(
        f"{PREFIX}{namespace}:{account['name']}",
        groups_of(namespace),
        account["uid"],
        _extra(claims, own, gates),
    )
    return TokenUser(user, shared)


def _are_complete(claims: Object) -> bool:
    """Whether the claims have the members that tokens of service accounts always have.

    Another program may have signed a token with the same key.
    """
    own, audiences = claims.get("kubernetes.io"), claims.get("aud")
    if not isinstance(own, dict):
        return False
    bound = [kind for kind in ("pod", "secret") if kind in own] or [kind for kind in ("node",) if kind in own]
    named = [own.get("serviceaccount"), *(own[kind] for kind in bound)]
    return (
        isinstance(audiences, list)
        and all(isinstance(audience, str) for audience in audiences)
        and all(isinstance(claims.get(name), int) for name in ("exp", "nbf"))
        and isinstance(claims.get("sub"), str)
        and isinstance(own.get("namespace"), str)
        and isinstance(own.get("node", {}), dict)
        and all(isinstance(obj, dict) and isinstance(obj.get("name"), str) for obj in named)
        and all(isinstance(obj.get("uid"), str) for obj in named)
    )


def groups_of(namespace: str) -> tuple[str, ...]:
    """Returns the groups of all service accounts in a namespace."""
    return (ALL_ACCOUNTS, f"{ALL_ACCOUNTS}:{namespace}", AUTHENTICATED)


def account_of(username: str) -> tuple[str, str] | None:
    """Returns (namespace, name) of a service account from its user name; None for other users."""
    if not username.startswith(PREFIX):
        return None
    parts = username.removeprefix(PREFIX).split(":")
    if len(parts) != 2 or names.is_dns1123_label(parts[0]) or names.is_dns1123_subdomain(parts[1]):
        return None
    return parts[0], parts[1]


def _check_times(claims: Object, now: float) -> None:
    if now - LEEWAY_SECONDS > claims["exp"]:
        raise TokenRefused("service account token has expired")
    if now + LEEWAY_SECONDS < claims["nbf"]:
        raise TokenRefused("service account token is not valid yet")


def _check_objects(objects: ClusterObjects, own: Object, now: float, gates: Gates) -> None:
    """Raises TokenRefused if the token's service account or bound object no longer exists.

    Also raises TokenRefused for a token that is bound to a node, if the release does not accept such tokens.

    - `own`: the claim `kubernetes.io` of the token.
    - `now`: the current time in seconds since the epoch.
    """
    namespace, claim = own["namespace"], own["serviceaccount"]
    account = objects.get("", "serviceaccounts", namespace, claim["name"])
    if account is None:
        raise TokenRefused(f'serviceaccounts "{claim["name"]}" not found')
    uid = account["metadata"]["uid"]
    if uid != claim["uid"]:
        raise TokenRefused(f"service account UID ({uid}) does not match claim ({claim['uid']})")
    if _is_deleted(account, now):
        raise TokenRefused(f"service account {namespace}/{claim['name']} has been deleted")
    for kind, resource in _BOUND.items():
        if kind in own:
            _check_bound(objects.get("", resource, namespace, own[kind]["name"]), kind, own[kind], now)
    if "node" in own and "pod" not in own:
        gate = "ServiceAccountTokenNodeBindingValidation"
        if not gates.enabled(gate):
            raise TokenRefused(f"token is bound to a Node object but the {gate} feature gate is disabled")
        _check_bound(objects.get("", "nodes", "", own["node"]["name"]), "node", own["node"], now)


def _check_bound(bound: Object | None, kind: str, wanted: Object, now: float) -> None:
    if bound is None:
        raise TokenRefused(_INVALIDATED)
    uid = bound["metadata"]["uid"]
    if uid != wanted["uid"]:
        of = f"service account {kind} ref claim ({wanted['uid']})"
        raise TokenRefused(f"{kind} UID ({uid}) does not match {of}")
    if _is_deleted(bound, now):
        raise TokenRefused(_INVALIDATED)


def _is_deleted(obj: Object, now: float) -> bool:
    """Whether the deletionTimestamp of an object is more than LEEWAY_SECONDS before `now`."""
    stamp = obj["metadata"].get("deletionTimestamp")
    return stamp is not None and bool(stamp < times.now_text(now - LEEWAY_SECONDS))


def _extra(claims: Object, own: Object, gates: Gates) -> dict[str, tuple[str, ...]]:
    extra: dict[str, tuple[str, ...]] = {}
    prefix = "authentication.kubernetes.io"
    if "jti" in claims and gates.enabled("ServiceAccountTokenJTI"):
        extra[CREDENTIAL_ID] = (f"JTI={claims['jti']}",)
    kinds = ["pod"]
    if "pod" not in own or gates.enabled("ServiceAccountTokenPodNodeInfo"):
        kinds.append("node")
    for kind in kinds:
        for field in ("name", "uid"):
            if own.get(kind, {}).get(field):
                extra[f"{prefix}/{kind}-{field}"] = (own[kind][field],)
    return dict(sorted(extra.items()))
