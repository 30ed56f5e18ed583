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
    body["status"] = {"user": {}, "error": UNKNOWN_TOKEN}
    return answered(resource, body)


TOKEN_REVIEW = KindDefinition(
    group="authentication.k8s.io",
    resource="tokenreviews",
    strategies=plain_strategies,
    answer=_answer,
)
