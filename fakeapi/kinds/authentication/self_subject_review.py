"""SelfSubjectReview of authentication.k8s.io: returns the user of the request.

Follows k8s.io/kubernetes `pkg/registry/authentication/selfsubjectreview`.
"""

from fakeapi.kinds.generic import plain_strategies
from fakeapi.machinery.json_types import Object
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.answers import admit, answered
from fakeapi.registry.requests.options import ObjectReference, Warnings, WriteOptions, WriteResult
from fakeapi.registry.server import Server


async def _answer(
    server: Server,
    resource: Resource,
    target: ObjectReference,
    body: Object,
    options: WriteOptions,
    warnings: Warnings,
) -> WriteResult:
    await admit(server, resource, target, body, options, warnings)
    review = resource.empty_object()
    review["metadata"]["creationTimestamp"] = server.store.now()
    review["status"] = {"userInfo": user_info(options.user)}
    return answered(resource, review)


def user_info(user: User) -> Object:
    """Returns a user as a UserInfo of authentication/v1."""
    info: Object = {"username": user.name}
    if user.uid:
        info["uid"] = user.uid
    if user.groups:
        info["groups"] = list(user.groups)
    if user.extra:
        info["extra"] = {key: list(values) for key, values in sorted(user.extra.items())}
    return info


SELF_SUBJECT_REVIEW = KindDefinition(
    group="authentication.k8s.io",
    resource="selfsubjectreviews",
    strategies=plain_strategies,
    answer=_answer,
)
