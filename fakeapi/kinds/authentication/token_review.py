"""TokenReview of authentication.k8s.io: returns the user to whom a token belongs.

Follows k8s.io/kubernetes `pkg/registry/authentication/tokenreview`.
"""

from fakeapi.kinds.authentication.self_subject_review import user_info
from fakeapi.kinds.generic import plain_strategies
from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.requests.answers import admit, answered
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.server import Server
from fakeapi.registry.server_write import ServerWrite
from fakeapi.releases import Gates

UNKNOWN_TOKEN = "invalid bearer token"  # noqa: S105 - a message


async def _answer(request: ServerWrite, body: Object) -> WriteResult:
    if not body["spec"].get("token"):
        raise errors.bad_request("token is required for TokenReview in authentication")
    await admit(request, body)
    body["status"] = _status(request.server, body["spec"], request.resource.release.gates)
    return answered(request.resource, body)


def _status(server: Server, spec: Object, gates: Gates) -> Object:
    from fakeapi.registry.identity.service_accounts import TokenRefused, user_of_token  # noqa: PLC0415 - only needed for reviews

    audiences = spec.get("audiences") or server.tokens.audiences
    shared = [audience for audience in audiences if audience in server.tokens.audiences]
    if shared and (user := server.token_users.get(spec["token"])) is not None:
        return {"authenticated": True, "user": user_info(user), "audiences": shared}
    try:
        identity = user_of_token(server, spec["token"], audiences, gates)
    except TokenRefused as refusal:
        return {"user": {}, "error": f"[{UNKNOWN_TOKEN}, {refusal}]"}
    if identity is None:
        return {"user": {}, "error": UNKNOWN_TOKEN}
    return {"authenticated": True, "user": user_info(identity.user), "audiences": identity.audiences}


TOKEN_REVIEW = KindDefinition(
    group="authentication.k8s.io",
    resource="tokenreviews",
    strategies=plain_strategies,
    answer=_answer,
)
