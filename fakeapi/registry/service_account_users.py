"""The user whom a token of a service account belongs to.

Follows Validate of k8s.io/kubernetes `pkg/serviceaccount/claims.go` and UserInfo of `pkg/serviceaccount`.
"""

from collections.abc import Iterable

from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.objects import ClusterObjects
from fakeapi.registry.store import Store
from fakeapi.registry.users import User

_BOUND = {"pod": "pods", "secret": "secrets"}


def user_of_token(store: Store, token: str, audiences: Iterable[str]) -> tuple[User, list[str]] | None:
    """The user of a token for one of the audiences, and those that it is for; None for no such token.

    A token ends with its account and with the object that it is bound to.
    """
    claims = store.tokens.claims_of(token)
    if claims is None or not claims["nbf"] <= store.clock.now() + 1 or store.clock.now() >= claims["exp"]:
        return None
    shared = [each for each in audiences if each in claims["aud"]]
    own: Object = claims["kubernetes.io"]
    namespace, account = own["namespace"], own["serviceaccount"]
    objects = ClusterObjects(store, lambda *_: None)
    if not shared or not _exists(objects, "serviceaccounts", namespace, account):
        return None
    if any(not _exists(objects, _BOUND[kind], namespace, own[kind]) for kind in _BOUND if kind in own):
        return None
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return User(claims["sub"], groups, account["uid"], _extra(claims, own)), shared


def _exists(objects: ClusterObjects, resource: str, namespace: str, wanted: Object) -> bool:
    found = objects.get("", resource, namespace, wanted["name"])
    return found is not None and found["metadata"]["uid"] == wanted["uid"]


def _extra(claims: Object, own: Object) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    prefix = "authentication.kubernetes.io"
    if "jti" in claims:
        found[f"{prefix}/credential-id"] = (f"JTI={claims['jti']}",)
    for kind in ("node", "pod"):
        for field in ("name", "uid"):
            if own.get(kind, {}).get(field):
                found[f"{prefix}/{kind}-{field}"] = (own[kind][field],)
    return dict(sorted(found.items()))
