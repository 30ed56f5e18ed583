"""ValidatingAdmissionPolicy: rejects writes that violate the CEL expressions of policies.

Follows k8s.io/apiserver `pkg/admission/plugin/policy/validating`. The plugin evaluates policies and their
bindings sorted by name; upstream does not specify the order. The client gets the first error. If fakeapi
cannot evaluate an expression of a policy, it adds a warning and skips the expression. If fakeapi cannot
evaluate a match condition, it skips the policy. fakeapi does not store audit annotations.
"""

from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import msgspec

from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite
from fakeapi.admission.policies.expressions import Expressions, OutOfBudget, expressions_of
from fakeapi.admission.policies.matching import matched
from fakeapi.admission.policies.parameters import ParameterError, parameters
from fakeapi.admission.policies.plugin import PolicyPlugin
from fakeapi.machinery.cel.evaluation import Failed, Unsupported, Value
from fakeapi.machinery.errors import ApiError, Cause, Details
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.model.resource import Resource

MESSAGE_MAX = 5 * 1024
"""Maximum length in bytes of a messageExpression's result. For a longer result, the plugin uses `message`."""
_CODES = {"Unauthorized": 401, "Forbidden": 403, "RequestEntityTooLarge": 413}
_INVALID = "Invalid"


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A reason to reject the write: a validation failed or could not be evaluated.

    `always`: whether the plugin rejects the write even if the binding does not have the action Deny.
    """

    message: str
    reason: str = _INVALID
    always: bool = False


class ValidatingAdmissionPolicy(PolicyPlugin):
    gate = "ValidatingAdmissionPolicy"
    policies = "validatingadmissionpolicies"
    bindings = "validatingadmissionpolicybindings"
    operations: ClassVar[frozenset[Operation]] = frozenset(Operation)

    def validate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Evaluates all policies. Raises ApiError 401, 403, 413 or 422 if a policy denies the write.

        If several policies deny the write, raises the error of the first policy.
        """
        return self.evaluate(attributes)

    def evaluate_all(self, policies: list[Object], attributes: Attributes) -> None:
        bindings = self.bindings_by_policy()
        denied: list[ApiError] = []
        for policy in policies:
            bound = bindings.get(policy["metadata"]["name"], [])
            denied += self._ask(policy, bound, attributes) if bound else ()
        if denied:
            raise denied[0]

    def _ask(self, policy: Object, bindings: list[Object], attributes: Attributes) -> Iterator[ApiError]:
        spec, name = policy["spec"], policy["metadata"]["name"]
        try:
            resource = matched(spec.get("matchConstraints"), attributes, self.objects)
        except ApiError as error:
            if _is_strict(spec):
                yield _denied(
                    attributes, f"'{name}'", _Refusal(f"failed to configure policy: {error.message}")
                )
            return
        if resource is None:
            return
        write = VersionedWrite(attributes, in_hub=True)
        for binding in bindings:
            names = f"'{name}' with binding '{binding['metadata']['name']}'"
            for refusal in self._refusals(spec, binding["spec"], write, resource):
                if isinstance(refusal, Unsupported):
                    attributes.warnings.add(
                        f"fakeapi did not ask ValidatingAdmissionPolicy {names}: {refusal.reason}"
                    )
                    continue
                actions = binding["spec"].get("validationActions") or ()
                if refusal.always or "Deny" in actions:
                    yield _denied(attributes, names, refusal)
                if "Warn" in actions and not refusal.always:
                    attributes.warnings.add(
                        f"Validation failed for ValidatingAdmissionPolicy {names}: {refusal.message}"
                    )

    def _refusals(
        self, spec: Object, bound: Object, write: VersionedWrite, resource: Resource
    ) -> Iterator[_Refusal | Unsupported]:
        strict = _is_strict(spec)
        try:
            if matched(bound.get("matchResources"), write.attributes, self.objects) is None:
                return
            chosen = parameters(spec, bound, write.attributes, self.objects)
        except (ParameterError, ApiError) as error:
            if strict:
                yield _Refusal(f"failed to configure binding: {error}", always=True)
            return
        for params in chosen:
            expressions = expressions_of(spec, params, write, resource, self.server)
            outcome = expressions.conditions(spec.get("matchConditions") or ())
            if isinstance(outcome, Unsupported):
                yield outcome
            elif isinstance(outcome, Failed):
                yield from (_Refusal(outcome.reason),) if strict else ()
            elif outcome.value:
                yield from _within_budget(spec, expressions)


def _is_strict(spec: Object) -> bool:
    """Whether a policy rejects the write if its evaluation fails (failurePolicy Fail)."""
    return bool(spec.get("failurePolicy") != "Ignore")


def _within_budget(spec: Object, asked: Expressions) -> Iterator[_Refusal | Unsupported]:
    """Yields a _Refusal for each failed validation or audit annotation of a policy.

    Yields Unsupported for an expression that fakeapi cannot evaluate. If the expressions exceed the budget of
    CEL cost units, yields only one _Refusal about the budget. With the failurePolicy Ignore, yields nothing
    about the budget, and ignores errors of the evaluation. `asked`: evaluates the expressions of the policy.
    """
    strict = _is_strict(spec)
    try:
        refusals: list[_Refusal | Unsupported] = []
        for validation in spec.get("validations") or ():
            refusals += _refusals_by(validation, asked, strict=strict)
        asked.budget()
        for annotation in spec.get("auditAnnotations") or ():
            refusals += _refusals_to_audit(annotation, asked, strict=strict)
    except OutOfBudget as error:
        refusals = [_Refusal(str(error))] if strict else []
    yield from refusals


def _refusals_by(
    validation: Mapping[str, Any], asked: Expressions, *, strict: bool
) -> Iterator[_Refusal | Unsupported]:
    """Evaluates a validation of a policy. Yields nothing if the validation succeeds.

    Yields a _Refusal if the expression is not true, and Unsupported if fakeapi cannot evaluate the
    expression. With `strict`, also yields a _Refusal for an error of the evaluation.

    - `asked`: evaluates the expressions of the policy.
    - `strict`: whether the policy's failurePolicy is Fail.
    """
    text = validation["expression"]
    match asked.outcome(text):
        case Unsupported() as unsupported:
            yield unsupported
        case Failed(reason) if strict:
            yield _Refusal(reason)
        case Value(value) if value is not True:
            yield _Refusal(_message(validation, asked), validation.get("reason") or _INVALID)


def _message(validation: Mapping[str, Any], asked: Expressions) -> str:
    if validation.get("messageExpression"):
        outcome = asked.outcome(validation["messageExpression"])
        if isinstance(outcome, Value) and isinstance(outcome.value, str):
            text = outcome.value.strip()
            if text and "\n" not in text and len(text.encode()) <= MESSAGE_MAX:
                return text
    message: str = validation.get("message", "").strip()
    return message or f"failed expression: {validation['expression'].strip()}"


def _refusals_to_audit(
    annotation: Mapping[str, str], asked: Expressions, *, strict: bool
) -> Iterator[_Refusal | Unsupported]:
    """Evaluates the valueExpression of an audit annotation. Yields nothing if the evaluation succeeds.

    Yields Unsupported if fakeapi cannot evaluate the expression. With `strict`, also yields a _Refusal for an
    error of the evaluation.

    - `asked`: evaluates the expressions of the policy.
    - `strict`: whether the policy's failurePolicy is Fail.
    """
    text = annotation["valueExpression"]
    match asked.outcome(text):
        case Unsupported() as unsupported:
            yield unsupported
        case Failed(reason) if strict:
            yield _Refusal(reason, always=True)


def _denied(attributes: Attributes, names: str, refusal: _Refusal) -> ApiError:
    message = f"ValidatingAdmissionPolicy {names} denied request: {refusal.message}"
    error = attributes.forbidden(message)
    details = error.details or Details()
    return replace(
        error,
        code=_CODES.get(refusal.reason, 422),
        reason=refusal.reason,
        details=msgspec.structs.replace(details, causes=(*details.causes, Cause("", message))),
    )
