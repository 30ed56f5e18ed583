"""Defines the kinds SubjectAccessReview, LocalSubjectAccessReview and SelfSubjectAccessReview.

The kinds belong to the group authorization.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/authorization`. The authorizer of the server decides. The default
authorizer allows every request.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.kinds.authorization.validation import (
    validate_local_review,
    validate_self_review,
    validate_subject_review,
)
from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.generic import plain_strategies
from fakeapi.machinery import errors
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import field_selector, label_selector
from fakeapi.registry.authorization.attributes import AccessAttributes, equal_terms
from fakeapi.registry.authorization.authorizer import Decision
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.definition import KindDefinition, SubresourceAction
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.answers import admit, answered
from fakeapi.registry.requests.options import WriteResult
from fakeapi.registry.server import Server
from fakeapi.registry.server_write import ServerWrite
from fakeapi.releases.rules import ReleaseRules, rules_of

GROUP = "authorization.k8s.io"
SELECTORS = "AuthorizeWithSelectors"

GATED_FIELDS = (
    GatedFields(
        SELECTORS, ("spec.resourceAttributes.fieldSelector", "spec.resourceAttributes.labelSelector")
    ),
)
"""Fields of an access review that the server drops while their feature gate is off.

Follows `Create` of k8s.io/kubernetes `pkg/registry/authorization`: `subjectaccessreview`,
`localsubjectaccessreview` and `selfsubjectaccessreview`.
"""

Validate = Callable[[Object, ReleaseRules], list[FieldError]]


def _review(resource: str, validate: Validate, *, local: bool = False) -> KindDefinition:
    return KindDefinition(
        group=GROUP, resource=resource, strategies=plain_strategies, answer=_answer(validate, local=local)
    )


def _answer(validate: Validate, *, local: bool) -> SubresourceAction[Server, Resource]:
    async def answer(request: ServerWrite, body: Object) -> WriteResult:
        rules = rules_of(request.resource.release)
        body = drop_disabled_fields(body, None, GATED_FIELDS, rules)
        attributes = body["spec"].get("resourceAttributes") or {}
        field_errors = validate(body, rules)
        if field_errors:
            raise errors.invalid(Qualified(GROUP, ""), "", field_errors)
        if local and not request.target.namespace:
            raise errors.bad_request("namespace is required on this type: ")
        await admit(request, body)
        spec, by_fields = body["spec"], rules.gates.enabled(SELECTORS)
        user = _subject(spec) if "user" in spec or "groups" in spec else request.user
        decision = await request.server.authorizer.authorize(_access(user, spec, by_fields=by_fields))
        body["status"] = _status(decision, attributes)
        return answered(request.resource, body)

    return answer


def _subject(spec: dict[str, Any]) -> User:
    """Returns the user in the spec of a review. The review asks about the access of this user."""
    extra = {name: tuple(values or ()) for name, values in (spec.get("extra") or {}).items()}
    return User(spec.get("user", ""), tuple(spec.get("groups") or ()), spec.get("uid", ""), extra)


def _access(user: User, spec: dict[str, Any], *, by_fields: bool) -> AccessAttributes:
    others = spec.get("nonResourceAttributes")
    if others is not None:
        path, verb = others.get("path", ""), others.get("verb", "")
        return AccessAttributes(user, verb, path=path, is_resource=False)
    attributes = spec["resourceAttributes"]
    names = ("verb", "group", "resource", "subresource", "namespace", "name")
    fields = _equal_fields(attributes.get("fieldSelector")) if by_fields else ()
    return AccessAttributes(user, **{name: attributes.get(name, "") for name in names}, fields=fields)


def _equal_fields(selector: dict[str, Any] | None) -> tuple[tuple[str, str], ...]:
    """Returns the (field, value) pairs that a field selector requires; empty for an invalid selector."""
    if selector is None:
        return ()
    if selector.get("rawSelector"):
        return equal_terms(selector["rawSelector"])
    return tuple(
        (requirement["key"], requirement["values"][0])
        for requirement in selector.get("requirements") or ()
        if requirement["operator"] == "In" and len(requirement.get("values") or ()) == 1
    )


def _status(decision: Decision, attributes: dict[str, Any]) -> Object:
    problems = [
        f"spec.resourceAttributes.{name} {extent} due to parse error"
        for name, extent in (
            ("fieldSelector", _ignored_fields(attributes.get("fieldSelector"))),
            ("labelSelector", _ignored_labels(attributes.get("labelSelector"))),
        )
        if extent
    ]
    status: Object = {"allowed": decision.allowed}
    if decision.reason:
        status["reason"] = decision.reason
    if problems:
        status["evaluationError"] = "; ".join(problems)
    return status


def _ignored_fields(selector: dict[str, Any] | None) -> str:
    """Returns "ignored" or "partially ignored" if a field selector has invalid terms; otherwise ""."""
    if selector is None:
        return ""
    if selector.get("rawSelector"):
        return _unparsable(field_selector.parse, selector["rawSelector"])
    good = [
        len(requirement.get("values") or ()) == 1 and requirement["operator"] in ("In", "NotIn")
        for requirement in selector.get("requirements") or ()
    ]
    return _extent(good)


def _ignored_labels(selector: dict[str, Any] | None) -> str:
    """Returns "ignored" or "partially ignored" if a label selector has invalid terms; otherwise ""."""
    if selector is None:
        return ""
    if selector.get("rawSelector"):
        return _unparsable(label_selector.parse, selector["rawSelector"])
    known = ("In", "NotIn", "Exists", "DoesNotExist")
    return _extent([requirement["operator"] in known for requirement in selector.get("requirements") or ()])


def _unparsable(parse: Callable[[str], object], text: str) -> str:
    try:
        parse(text)
    except (ValueError, errors.ApiError):
        return "ignored"
    return ""


def _extent(good: list[bool]) -> str:
    if all(good):
        return ""
    return "partially ignored" if any(good) else "ignored"


SUBJECT_ACCESS_REVIEW = _review("subjectaccessreviews", validate_subject_review)
LOCAL_SUBJECT_ACCESS_REVIEW = _review("localsubjectaccessreviews", validate_local_review, local=True)
SELF_SUBJECT_ACCESS_REVIEW = _review("selfsubjectaccessreviews", validate_self_review)
