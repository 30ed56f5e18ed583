"""TokenReview of authentication.k8s.io: whose token it is.

Follows k8s.io/kubernetes `pkg/registry/authentication/tokenreview`.
"""

from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry.answers import answered
from fakeapi.registry.definition import KindDefinition
from fakeapi.registry.groups.generic import plain_strategies
from fakeapi.registry.options import ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.resource import Resource
from fakeapi.registry.store import Store

UNKNOWN_TOKEN = "invalid bearer token"  # noqa: S105 - a message


async def _answer(
    store: Store,
    resource: Resource,
    target: ObjectReference,
    body: Object,
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    if not body["spec"].get("token"):
        raise errors.bad_request("token is required for TokenReview in authentication")
    body["status"] = _status(store, body["spec"])
    return answered(resource, body)


def _status(store: Store, spec: Object) -> Object:
    from fakeapi.registry.service_account_users import user_of_token  # noqa: PLC0415 - loads OpenSSL
    from fakeapi.registry.token_signer import ISSUER  # noqa: PLC0415 - loads OpenSSL

    found = user_of_token(store, spec["token"], spec.get("audiences") or [ISSUER])
    if found is None:
        return {"user": {}, "error": UNKNOWN_TOKEN}
    user, audiences = found
    extra = {name: list(values) for name, values in user.extra.items()}
    shown = {"username": user.name, "uid": user.uid, "groups": list(user.groups), "extra": extra}
    return {
        "authenticated": True,
        "user": {name: value for name, value in shown.items() if value},
        "audiences": audiences,
    }


TOKEN_REVIEW = KindDefinition(
    group="authentication.k8s.io",
    resource="tokenreviews",
    strategies=plain_strategies,
    answer=_answer,
)
