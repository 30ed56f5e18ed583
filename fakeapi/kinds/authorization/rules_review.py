"""SelfSubjectRulesReview of authorization.k8s.io: lists the actions that the client may take in a namespace.

Follows k8s.io/kubernetes `pkg/registry/authorization/selfsubjectrulesreview`.
"""

from fakeapi.kinds.generic import plain_strategies
from fakeapi.machinery import errors
from fakeapi.machinery.json_types import Object
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
    """Returns a review with the user's rules in its status and an empty spec."""
    if not body["spec"].get("namespace"):
        raise errors.bad_request("no namespace on request")
    await admit(server, resource, target, body, options, warnings)
    rules = await server.authorizer.rules_for(options.user, body["spec"]["namespace"])
    review = resource.empty_object()
    review["status"] = {
        "resourceRules": list(rules.resources),
        "nonResourceRules": list(rules.paths),
        "incomplete": rules.incomplete,
        **({"evaluationError": rules.error} if rules.error else {}),
    }
    return answered(resource, review)


SELF_SUBJECT_RULES_REVIEW = KindDefinition(
    group="authorization.k8s.io",
    resource="selfsubjectrulesreviews",
    strategies=plain_strategies,
    answer=_answer,
)
