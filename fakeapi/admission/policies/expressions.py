"""Evaluates the CEL expressions of a policy for a write: with variables and a budget of CEL cost units.

Follows k8s.io/apiserver `pkg/admission/plugin/cel`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fakeapi.admission.plugins.webhooks.condition_variables import variables_of
from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite, plain
from fakeapi.admission.policies.authority import authorizer_of
from fakeapi.admission.policies.programs import Uncompiled, program
from fakeapi.kinds.admissionregistration.policy_spec import variable_errors
from fakeapi.machinery.cel import limits
from fakeapi.machinery.cel.admission import Declared
from fakeapi.machinery.cel.evaluation import Failed, Outcome, Unsupported, Value
from fakeapi.machinery.cel.runtime.json_values import from_json
from fakeapi.machinery.cel.runtime.memory import Memory
from fakeapi.machinery.cel.runtime.values import MISSING, Err, MapValue
from fakeapi.machinery.golang.aggregates import aggregate
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.server import Server
from fakeapi.releases.rules import ReleaseRules, rules_of

OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run"
CALL_EXCEEDED = "operation cancelled: actual cost limit exceeded"
_OMITTED = ("subResource", "requestSubResource", "name", "namespace")
_SHOWN_OF_NAMESPACES = (
    "name",
    "generateName",
    "namespace",
    "labels",
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "resourceVersion",
    "finalizers",
)


class OutOfBudget(Exception):
    """Raised if the expressions of a policy exceed their budget of CEL cost units."""

    def __init__(self) -> None:
        super().__init__(OUT_OF_BUDGET)


class Expressions:
    """Evaluates the CEL expressions of a policy.

    Evaluates each composed variable (`spec.variables`) once, when an expression first reads it.
    """

    def __init__(self, spec: Object, known: Mapping[str, Any], rules: ReleaseRules) -> None:
        """Prepares the expressions of a policy's `spec`.

        `known`: the CEL values of the variables that all expressions may use, by name.
        """
        self._known = dict(known)
        self._rules = rules
        self._texts = {variable["name"]: variable["expression"] for variable in spec.get("variables") or ()}
        self._declared = Declared(
            params=spec.get("paramKind") is not None,
            variables=variable_errors(spec, rules, always=True)[1],
        )
        self._found: dict[str, Any] = {}
        self._left = limits.POLICY_COST_MAX
        self.memory = Memory(limits.POLICY_MEMORY_MAX)
        self._known["variables"] = _Variables(self)

    def budget(self, units: int = limits.POLICY_COST_MAX) -> None:
        """Starts a new budget of `units` CEL cost units."""
        self._left = units

    def conditions(self, conditions: Iterable[Mapping[str, str]]) -> Outcome:
        """Evaluates match conditions; returns an Outcome that is true if all conditions are true.

        If one condition is false, the Outcome is false, even if the evaluation of an earlier condition
        failed. The match conditions have a budget of their own. Unless a condition is false or exceeds this
        budget, a new budget starts for the other expressions.
        """
        self.budget(limits.CONDITIONS_COST_MAX)
        unsupported: Outcome | None = None
        failures: list[str] = []
        for condition in conditions:
            try:
                outcome = self.outcome(condition["expression"])
            except OutOfBudget as error:
                return Failed(str(error))
            match outcome:
                case Value(value) if value is not True:
                    return outcome
                case Failed(reason):
                    failures.append(reason)
                case Unsupported():
                    unsupported = unsupported or outcome
        self.budget()
        return unsupported or (Failed(aggregate(failures)) if failures else Value(value=True))

    def outcome(self, text: str, *, patches: bool = False) -> Outcome:
        """Evaluates an expression; returns its CEL value, or the reason of a failure.

        `patches`: whether the expression may construct Object and JSONPatch values.

        If the evaluation fails, the reason contains the text of the expression. Raises OutOfBudget if the
        expressions exceed their budget of CEL cost units.
        """
        try:
            compiled = program(text, replace(self._declared, patches=patches), self._rules)
        except Uncompiled as error:
            if error.is_known:
                return Failed(f"compilation error: {error}")
            return Unsupported(str(error))
        done = compiled.evaluate(self._known, memory=self.memory)
        self._pay(done.cost)
        if done.exceeded:
            return Failed(f"expression '{text}' resulted in error: {CALL_EXCEEDED}")
        if isinstance(done.value, Err):
            return Failed(f"expression '{text}' resulted in error: {done.value.message}")
        return Value(done.value)

    def variable(self, name: str) -> Any:
        """Returns the value of a composed variable.

        Returns MISSING if the variable does not exist, and an Err if its expression fails. Raises OutOfBudget
        if the expressions exceed their budget of CEL cost units.
        """
        if name not in self._texts:
            return MISSING
        if name not in self._found:
            self._found[name] = self._evaluated(name)
        return self._found[name]

    def _evaluated(self, name: str) -> Any:
        try:
            compiled = program(self._texts[name], self._declared, self._rules)
        except Uncompiled as error:
            return Err(f'composited variable "{name}" fails to compile: {error}')
        done = compiled.evaluate(self._known, memory=self.memory)
        self._pay(done.cost)
        failed = CALL_EXCEEDED if done.exceeded else ""
        if isinstance(done.value, Err):
            failed = done.value.message
        return Err(f'composited variable "{name}" fails to evaluate: {failed}') if failed else done.value

    def _pay(self, units: int) -> None:
        self._left -= units
        if self._left < 0:
            raise OutOfBudget


class _Variables(MapValue):
    """The CEL map `variables` of a policy. Evaluates each composed variable at its first use."""

    __slots__ = ("_expressions",)

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions

    def find(self, key: Any) -> Any:
        return self._expressions.variable(key) if isinstance(key, str) else MISSING


def expressions_of(
    spec: Object, params: Object | None, write: VersionedWrite, resource: Resource, server: Server
) -> Expressions:
    """Returns the CEL expressions of a policy for a write, with the values of their variables.

    `params`: the parameters object of the policy; None for a policy without parameters. `resource`: the
    resource in the API version that the objects must have.
    """
    attributes = write.attributes
    known = variables_of(write, resource)
    known["request"] = _shown_request(known["request"])
    namespace = None
    if resource.kind.namespaced:
        namespace = server.objects.get("", "namespaces", "", attributes.namespace)
    known["namespaceObject"] = None if namespace is None else _shown_namespace(namespace)
    if spec.get("paramKind") is not None:
        known["params"] = plain(params)
    values = {name: from_json(value) for name, value in known.items()}
    authorizer = authorizer_of(attributes, server)
    values |= {"authorizer": authorizer, "authorizer.requestResource": _request_resource(authorizer, write)}
    return Expressions(spec, values, rules_of(attributes.resource.release))


def _request_resource(authorizer: Any, write: VersionedWrite) -> Any:
    """Returns the CEL value `authorizer.requestResource`, which checks permissions on the resource."""
    attributes = write.attributes
    return replace(
        authorizer,
        type_name="kubernetes.authorization.ResourceCheck",
        group=attributes.resource.kind.group,
        resource=attributes.resource.kind.resource,
        subresource=attributes.subresource,
        namespace=attributes.namespace,
        name=attributes.name,
    )


def _shown_request(request: Object) -> Object:
    """Returns the CEL variable `request` without the empty fields that upstream's JSON omits."""
    kept = {name: value for name, value in request.items() if value or name not in _OMITTED}
    user = {name: value for name, value in request["userInfo"].items() if value}
    return {**kept, "userInfo": user}


def _shown_namespace(namespace: Object) -> Any:
    """Returns a Namespace with only the fields that CEL expressions may read."""
    metadata = {
        name: namespace["metadata"][name] for name in _SHOWN_OF_NAMESPACES if name in namespace["metadata"]
    }
    return plain({"metadata": metadata, "spec": namespace["spec"], "status": namespace["status"]})
