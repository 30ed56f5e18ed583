"""SelfSubjectRulesReview of authorization.k8s.io: lists the actions that the client may take in a namespace.

Follows k8s.io/kubernetes `pkg/registry/authorization/selfsubjectrulesreview`.
"""

from fakeapi.kinds.generic import plain_strategies
from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.registry.requests.answers import admit, answered
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.server_write import ServerWrite


async def _answer(request: ServerWrite, body: Object) -> WriteResult:
    """Returns a SelfSubjectRulesReview with the user's rules in the status and an empty spec.

    Raises ApiError 400 if the spec has no namespace.
    """
    if not body["spec"].get("namespace"):
        raise errors.bad_request("no namespace on request")
    await admit(request, body)
    rules = await request.server.authorizer.rules_for(request.user, body["spec"]["namespace"])
    review = request.resource.empty_object()
    review["status"] = {
        "resourceRules": list(rules.resources),
        "nonResourceRules": list(rules.paths),
        "incomplete": rules.incomplete,
        **({"evaluationError": rules.error} if rules.error else {}),
    }
    return answered(request.resource, review)


SELF_SUBJECT_RULES_REVIEW = KindDefinition(
    group="authorization.k8s.io",
    resource="selfsubjectrulesreviews",
    strategies=plain_strategies,
    answer=_answer,
)
