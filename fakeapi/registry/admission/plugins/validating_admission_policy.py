"""ValidatingAdmissionPolicy: refuses writes that do not hold what policies say in CEL.

Follows k8s.io/apiserver `pkg/admission/plugin/policy/validating`. Only the first refusal is told. A policy
whose expressions cannot be evaluated here refuses nothing, and warns.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from fakeapi.machinery import codec
from fakeapi.machinery.cel.evaluation import Failed, Outcome, Unsupported, Value, evaluate
from fakeapi.machinery.errors import ApiError, Cause, Details
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.plugin import AdmissionPlugin
from fakeapi.registry.admission.plugins import POLICIES
from fakeapi.registry.admission.policy_matching import matches
from fakeapi.registry.validation.label_matching import compiled

GROUP = "admissionregistration.k8s.io"
MESSAGE_MAX = 5 * 1024
_CODES = {"Unauthorized": 401, "Forbidden": 403, "RequestEntityTooLarge": 413}
_INVALID = "Invalid"
_USES = re.compile(r"\bvariables\s*\.\s*(?:\?\s*)?([A-Za-z_]\w*)")


class PolicyActivation(AdmissionPlugin):
    """Has policies asked once there is a binding of one, so that until then no write pays for them."""

    def mutate(self, attributes: Attributes) -> None:
        self.objects.store.admission.extend(POLICIES)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What one validation, or one failure, says against a write."""

    message: str
    reason: str = _INVALID


class ValidatingAdmissionPolicy(AdmissionPlugin):
    operations: ClassVar[frozenset[Operation]] = frozenset(Operation)

    def validate(self, attributes: Attributes) -> None:
        """Refuses a write by the first policy that does not hold. Raises ApiError 401, 403, 413, 422."""
        policies = {each["metadata"]["name"]: each for each in self._all("validatingadmissionpolicies")}
        for binding in self._all("validatingadmissionpolicybindings"):
            policy = policies.get(binding["spec"].get("policyName", ""))
            if policy is not None:
                self._ask(policy, binding, attributes)

    def _all(self, resource: str) -> Iterator[Object]:
        return self.objects.list(GROUP, resource)

    def _ask(self, policy: Object, binding: Object, attributes: Attributes) -> None:
        spec, bound = policy["spec"], binding["spec"]
        if not matches(spec.get("matchConstraints"), attributes, self.objects):
            return
        if not matches(bound.get("matchResources"), attributes, self.objects):
            return
        names = f"'{policy['metadata']['name']}' with binding '{binding['metadata']['name']}'"
        for refusal in self._refusals(spec, bound, attributes):
            if isinstance(refusal, Unsupported):
                attributes.warnings.add(
                    f"fakeapi did not ask ValidatingAdmissionPolicy {names}: {refusal.reason}"
                )
                continue
            actions = bound.get("validationActions") or ["Deny"]
            if "Deny" in actions:
                raise _denied(attributes, names, refusal)
            if "Warn" in actions:
                attributes.warnings.add(
                    f"Validation failed for ValidatingAdmissionPolicy {names}: {refusal.message}"
                )

    def _refusals(
        self, spec: Object, bound: Object, attributes: Attributes
    ) -> Iterator[_Refusal | Unsupported]:
        strict = spec.get("failurePolicy") != "Ignore"
        known = self._variables(attributes)
        for params in self._parameters(spec, bound, attributes):
            if isinstance(params, _Refusal):
                yield from (params,) if strict else ()
                continue
            asked = _Evaluation({**known, **params}, spec.get("variables") or ())
            held = asked.conditions(spec.get("matchConditions") or ())
            if isinstance(held, Unsupported):
                yield held
            elif isinstance(held, Failed):
                yield from (_Refusal(held.reason),) if strict else ()
            elif held.value:
                for validation in spec.get("validations") or ():
                    yield from asked.refusals(validation, strict=strict)

    def _variables(self, attributes: Attributes) -> dict[str, Any]:
        """What every expression may use."""
        namespace = None
        if attributes.resource.kind.namespaced:
            namespace = _plain(self.objects.get("", "namespaces", "", attributes.namespace))
        return {
            "object": _shown(attributes, attributes.obj),
            "oldObject": _shown(attributes, attributes.old),
            "request": _request(attributes),
            "namespaceObject": namespace,
        }

    def _parameters(
        self, spec: Object, bound: Object, attributes: Attributes
    ) -> Iterator[dict[str, Any] | _Refusal]:
        """The parameters that the binding chooses, one set after the other."""
        kind, reference = spec.get("paramKind"), bound.get("paramRef")
        if kind is None or reference is None:
            yield {} if kind is None else {"params": None}
            return
        found = list(self._chosen(kind, reference, attributes))
        for each in found:
            yield {"params": _plain(each)}
        if not found and reference.get("parameterNotFoundAction") != "Allow":
            why = "no params found for policy binding with `Deny` parameterNotFoundAction"
            yield _Refusal(f"failed to configure binding: {why}")

    def _chosen(
        self, kind: Mapping[str, str], reference: Mapping[str, Any], attributes: Attributes
    ) -> Iterator[Object]:
        group, _, version = kind["apiVersion"].rpartition("/")
        resource = self.objects.find(group, version, _guessed(kind["kind"]))
        if resource is None:
            return
        namespace = ""
        if resource.kind.namespaced:
            namespace = reference.get("namespace") or attributes.namespace
        if reference.get("name"):
            one = self.objects.get(group, resource.kind.resource, namespace, reference["name"])
            if one is not None:
                yield one
            return
        selector = compiled(reference.get("selector") or {})
        for each in self.objects.list(group, resource.kind.resource, namespace):
            if selector is not None and selector.matches(each["metadata"].get("labels") or {}):
                yield each


class _Evaluation:
    """The expressions of one policy about one write; each variable is evaluated once, when it is used."""

    def __init__(self, known: dict[str, Any], variables: Any) -> None:
        self._known = known
        self._texts = {each["name"]: each["expression"] for each in variables}
        self._outcomes: dict[str, Outcome] = {}

    def conditions(self, conditions: Any) -> Outcome:
        """Whether all match conditions hold."""
        for condition in conditions:
            outcome = evaluate(condition["expression"], self._known)
            if not isinstance(outcome, Value) or outcome.value is not True:
                return outcome if isinstance(outcome, Value | Unsupported) else _named(condition, outcome)
        return Value(value=True)

    def refusals(self, validation: Mapping[str, Any], *, strict: bool) -> Iterator[_Refusal | Unsupported]:
        """What a validation says against the write. `strict`: a failure counts as a refusal."""
        text = validation["expression"]
        match self._outcome(text):
            case Unsupported() as unsupported:
                yield unsupported
            case Failed(reason) if strict:
                yield _Refusal(f"expression '{text.strip()}' resulted in error: {reason}")
            case Value(value) if value is not True:
                yield _Refusal(self._message(validation), validation.get("reason") or _INVALID)

    def _message(self, validation: Mapping[str, Any]) -> str:
        if validation.get("messageExpression"):
            outcome = self._outcome(validation["messageExpression"])
            if isinstance(outcome, Value) and isinstance(outcome.value, str):
                text = outcome.value.strip()
                if text and "\n" not in text and len(text) <= MESSAGE_MAX:
                    return text
        message: str = validation.get("message", "").strip()
        return message or f"failed expression: {validation['expression'].strip()}"

    def _outcome(self, text: str) -> Outcome:
        values: dict[str, Any] = {}
        for name in dict.fromkeys(_USES.findall(text)):
            outcome = self._variable(name)
            if isinstance(outcome, Unsupported):
                return outcome
            if isinstance(outcome, Failed):
                return Failed(f'composited variable "{name}" fails to evaluate: {outcome.reason}')
            values[name] = outcome.value
        return evaluate(text, {**self._known, "variables": values})

    def _variable(self, name: str) -> Outcome:
        if name not in self._texts:
            return Failed(f"no such key: {name}")
        if name not in self._outcomes:
            self._outcomes[name] = Failed("it uses itself")
            self._outcomes[name] = self._outcome(self._texts[name])
        return self._outcomes[name]


def _named(condition: Mapping[str, Any], failed: Failed) -> Failed:
    return Failed(f"expression '{condition['expression']}' resulted in error: {failed.reason}")


def _denied(attributes: Attributes, names: str, refusal: _Refusal) -> ApiError:
    message = f"ValidatingAdmissionPolicy {names} denied request: {refusal.message}"
    error = attributes.forbidden(message)
    details = error.details or Details()
    return replace(
        error,
        code=_CODES.get(refusal.reason, 422),
        reason=refusal.reason,
        details=replace(details, causes=(*details.causes, Cause("", message))),
    )


def _shown(attributes: Attributes, obj: Object | None) -> Any:
    """An object in the version of the request; the body of an action, or a Scale, as it is."""
    if obj is None:
        return None
    if attributes.is_of_scales or attributes.subresource in attributes.resource.definition.actions:
        return _plain(obj)
    return _plain({"kind": attributes.resource.kind.kind, **attributes.resource.from_hub(obj)})


def _plain(obj: Object | None) -> Any:
    """The object as JSON reads it."""
    return None if obj is None else codec.decode(codec.encode(obj))


def _request(attributes: Attributes) -> Object:
    kind, user = attributes.resource.kind, attributes.user
    shown = attributes.resource.scale_view.scales.kind if attributes.is_of_scales else kind
    of_kind = {"group": shown.group, "version": shown.version, "kind": shown.kind}
    of_resource = {"group": kind.group, "version": kind.version, "resource": kind.resource}
    info: Object = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
    info["extra"] = {key: list(values) for key, values in user.extra.items()}
    return {
        "kind": of_kind,
        "resource": of_resource,
        "subResource": attributes.subresource,
        "requestKind": of_kind,
        "requestResource": of_resource,
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": attributes.namespace,
        "operation": attributes.operation.value,
        "userInfo": info,
        "dryRun": attributes.dry_run,
        "options": None,
    }


def _guessed(kind: str) -> str:
    """The resource of a kind, as k8s.io/apimachinery `UnsafeGuessKindToResource` guesses it."""
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
