"""SelfSubjectReview of authentication.k8s.io: returns the user of the request.

Follows k8s.io/kubernetes `pkg/registry/authentication/selfsubjectreview`.
"""

from fakeapi.kinds.generic import plain_strategies
from fakeapi.machinery.json_types import Object
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.requests.answers import admit, answered
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.server_write import ServerWrite


async def _answer(request: ServerWrite, body: Object) -> WriteResult:
    await admit(request, body)
    review = request.resource.empty_object()
    review["metadata"]["creationTimestamp"] = request.server.store.now()
    review["status"] = {"userInfo": user_info(request.user)}
    return answered(request.resource, review)


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
