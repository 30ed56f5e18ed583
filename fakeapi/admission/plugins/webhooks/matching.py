"""Matches webhooks to a write, and selects the API version of the objects that the webhooks receive.

Follows `ShouldCallHook` in k8s.io/apiserver `pkg/admission/plugin/webhook/generic`, and its predicates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from fakeapi.admission.admission_request import namespace_of
from fakeapi.admission.plugins.webhooks.configurations import Webhook
from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite
from fakeapi.admission.policies.expressions import OutOfBudget, expressions_of
from fakeapi.admission.rule_matching import RequestedResource, rule_matches
from fakeapi.machinery import errors
from fakeapi.machinery.cel import limits
from fakeapi.machinery.cel.evaluation import Failed, Unsupported
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.server import Server

_EXEMPT = frozenset(
    (
        "validatingwebhookconfigurations",
        "mutatingwebhookconfigurations",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
    )
)


class Selectors(Protocol):
    """The namespaceSelector and objectSelector of a webhook or policy. None selects nothing."""

    @property
    def namespaces(self) -> Selector | None: ...

    @property
    def objects(self) -> Selector | None: ...


@dataclass(frozen=True, slots=True)
class Invocation:
    """A webhook to call. `resource`: the written resource in the API version that the webhook receives."""

    webhook: Webhook
    resource: Resource


def is_exempt(resource: Resource) -> bool:
    """Whether webhooks ignore a resource, because its objects configure admission."""
    return resource.kind.group == "admissionregistration.k8s.io" and resource.kind.resource in _EXEMPT


def invocation_of(webhook: Webhook, write: VersionedWrite, server: Server) -> Invocation | None:
    """Returns the Invocation of a webhook for a write; None if the webhook does not match.

    Raises ApiError 403 if the evaluation of a match condition fails and the failurePolicy is not Ignore.
    Raises ApiError 404 if the namespaceSelector needs the labels of a namespace that does not exist.
    """
    attributes = write.attributes
    missing = missing_namespace(webhook, attributes, server.objects)
    if missing is None and not matches_namespace(webhook, attributes, server.objects):
        return None
    if not matches_object(webhook, attributes):
        return None
    resource = _matching_resource(webhook, attributes, server.objects)
    if resource is None:
        return None
    if missing is not None:
        raise missing
    return Invocation(webhook, resource) if _conditions_hold(webhook, write, resource, server) else None


# selectors ---------------------------------------------------------------------------------------


def _namespace_matters(selectors: Selectors, attributes: Attributes) -> bool:
    is_selected = selectors.namespaces is None or not selectors.namespaces.empty
    return is_selected and bool(
        namespace_of(attributes) or attributes.resource.qualified.name == "namespaces"
    )


def _is_written_namespace(attributes: Attributes) -> bool:
    written = attributes.operation in (Operation.CREATE, Operation.UPDATE) and not attributes.subresource
    return written and attributes.resource.qualified == Qualified("", "namespaces")


def missing_namespace(
    selectors: Selectors, attributes: Attributes, objects: ClusterObjects
) -> ApiError | None:
    """Returns ApiError 404 if a namespaceSelector needs the labels of a namespace that does not exist.

    Returns None if the namespace exists, or if no selector needs its labels.
    """
    if not _namespace_matters(selectors, attributes) or _is_written_namespace(attributes):
        return None
    name = namespace_of(attributes)
    if objects.get("", "namespaces", "", name) is not None:
        return None
    return errors.not_found(Qualified("", "namespaces"), name)


def matches_namespace(selectors: Selectors, attributes: Attributes, objects: ClusterObjects) -> bool:
    if not _namespace_matters(selectors, attributes):
        return True
    if selectors.namespaces is None:
        return False
    if _is_written_namespace(attributes):
        return selectors.namespaces.matches(_labels(attributes.new_object()))
    return selectors.namespaces.matches(objects.namespace_labels(namespace_of(attributes)))


def matches_object(selectors: Selectors, attributes: Attributes) -> bool:
    selector = selectors.objects
    if selector is None:
        return False
    written = [obj for obj in (attributes.obj, attributes.old) if obj is not None and "metadata" in obj]
    return selector.empty or any(selector.matches(_labels(obj)) for obj in written)


def _labels(obj: Object) -> dict[str, str]:
    labels: dict[str, str] = obj["metadata"].get("labels") or {}
    return labels


# rules -------------------------------------------------------------------------------------------


def _matching_resource(webhook: Webhook, attributes: Attributes, objects: ClusterObjects) -> Resource | None:
    """Returns the written resource in an API version that the webhook's rules match; None if no rule matches.

    Prefers the API version of the request.
    """
    rules = webhook.settings.get("rules") or ()
    own = requested(attributes, attributes.resource)
    if any(rule_matches(rule, own) for rule in rules):
        return attributes.resource
    if not webhook.accepts_equivalents:
        return None
    for rule in rules:
        for resource in equivalents(attributes, objects):
            if rule_matches(rule, requested(attributes, resource)):
                return resource
    return None


def equivalents(attributes: Attributes, objects: ClusterObjects) -> Iterator[Resource]:
    """Yields the written resource in its other served API versions.

    An API version may be in another group: Events are in the core group and in events.k8s.io. Skips API
    versions without the written subresource.
    """
    own = attributes.resource
    for kind in own.equivalents:
        resource = objects.find(kind.group, kind.version, kind.resource)
        if resource is None or resource is own:
            continue
        if not attributes.subresource or attributes.subresource in resource.subresources:
            yield resource


def requested(attributes: Attributes, resource: Resource) -> RequestedResource:
    return RequestedResource(
        resource.kind.group,
        resource.kind.version,
        resource.kind.resource,
        attributes.subresource,
        namespace_of(attributes),
        attributes.operation.value,
    )


# conditions --------------------------------------------------------------------------------------


def _conditions_hold(webhook: Webhook, write: VersionedWrite, resource: Resource, server: Server) -> bool:
    """Whether all match conditions are true.

    Adds a warning for a condition that fakeapi cannot evaluate, and ignores the condition. If the evaluation
    of a condition fails and no condition is false, the failurePolicy decides: with Ignore, the function
    returns False; otherwise it raises ApiError 403.
    """
    conditions = webhook.settings.get("matchConditions") or ()
    if not conditions:
        return True
    attributes = write.attributes
    failures: list[str] = []
    expressions = expressions_of({}, None, write, resource, server)
    expressions.budget(limits.CONDITIONS_COST_MAX)
    for condition in conditions:
        try:
            outcome = expressions.outcome(condition["expression"])
        except OutOfBudget as error:
            failures = [str(error)]
            break
        if isinstance(outcome, Unsupported):
            subject = f"matchCondition {condition['name']} of {webhook.name}"
            attributes.warnings.add(f"fakeapi did not check {subject}: {outcome.reason}")
        elif isinstance(outcome, Failed):
            failures.append(outcome.reason)
        elif outcome.value is not True:
            return False
    if not failures:
        return True
    if webhook.ignores_failures:
        return False
    texts = list(dict.fromkeys(failures))
    why = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    raise errors.forbidden(attributes.resource.qualified, attributes.name, why)
