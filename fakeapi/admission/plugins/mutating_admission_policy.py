"""MutatingAdmissionPolicy: changes written objects with CEL expressions.

Follows k8s.io/apiserver `pkg/admission/plugin/policy/mutating` and `policy/generic`. The plugin applies
policies and their bindings sorted by name; upstream does not specify the order. If fakeapi cannot evaluate
an expression of a policy, it skips the rest of this policy and adds a warning.
"""

from collections.abc import Awaitable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import msgspec

from fakeapi.admission.plugins.webhooks.versioned_write import VersionedWrite, plain
from fakeapi.admission.policies.expressions import Expressions, expressions_of
from fakeapi.admission.policies.matching import matched
from fakeapi.admission.policies.mutations import MutationError, mutate
from fakeapi.admission.policies.parameters import ParameterError, parameters
from fakeapi.admission.policies.plugin import PolicyPlugin
from fakeapi.machinery.cel.evaluation import Failed, Unsupported
from fakeapi.machinery.errors import ApiError, Cause, Details
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.admission.reinvocation import Reinvocation
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.semantic_equality import semantically_equal

Key = tuple[str, str, str]
"""Identifies an invocation: (policy name, binding name, `NAMESPACE/NAME` of the parameters object)."""


@dataclass(frozen=True, slots=True)
class _Invocation:
    """A policy to evaluate, with one of its bindings and one parameters object.

    `resource`: the written resource in the API version that the policy matches.
    """

    policy: Object
    binding: Object
    params: Object | None
    resource: Resource

    @property
    def key(self) -> Key:
        meta = (self.params or {}).get("metadata", {})
        named = f"{meta.get('namespace', '')}/{meta.get('name', '')}"
        return self.policy["metadata"]["name"], self.binding["metadata"]["name"], named

    def error(self, message: str, reason: str = "Invalid") -> "_PolicyError":
        return _PolicyError(self.policy, self.binding, message, reason)


@dataclass(frozen=True, slots=True)
class _PolicyError:
    policy: Object
    binding: Object | None
    message: str
    reason: str = "Forbidden"

    @property
    def text(self) -> str:
        name = self.policy["metadata"]["name"]
        if self.binding is None:
            return f"policy {quote(name)} denied request: failed to configure policy: {self.message}"
        binding = self.binding["metadata"]["name"]
        return f"policy '{name}' with binding '{binding}' denied request: {self.message}"

    @property
    def is_ignored(self) -> bool:
        return bool(self.policy["spec"].get("failurePolicy") == "Ignore")


@dataclass(slots=True)
class _Rounds:
    """The data that the plugin keeps for a write between the two rounds of mutating admission.

    - `may`: the policies to run again if the object changes.
    - `has_to`: the policies to run again in the second round.
    - `output`: the object after the last round.
    """

    may: set[Key] = field(default_factory=set)
    has_to: set[Key] = field(default_factory=set)
    output: Any = None

    def ask_again(self) -> None:
        """Moves all policies from `may` to `has_to`, because the object has changed."""
        self.has_to |= self.may
        self.may = set()


class MutatingAdmissionPolicy(PolicyPlugin):
    gate = "MutatingAdmissionPolicy"
    policies = "mutatingadmissionpolicies"
    bindings = "mutatingadmissionpolicybindings"
    operations: ClassVar[frozenset[Operation]] = frozenset(
        (Operation.CREATE, Operation.UPDATE, Operation.CONNECT)
    )

    def mutate(self, attributes: Attributes) -> Awaitable[None] | None:
        """Applies the policies to the object, one after the other.

        Raises ApiError 403 if a policy fails, unless its failurePolicy is Ignore.
        """
        return self.evaluate(attributes)

    def evaluate_all(self, policies: list[Object], attributes: Attributes) -> None:
        errors: list[_PolicyError] = []
        invocations = list(self._invocations(policies, attributes, errors))
        if invocations:
            errors += self._dispatch(invocations, attributes)
        fatal = [error for error in errors if not error.is_ignored]
        if fatal:
            raise _denied(attributes, fatal)

    def _invocations(
        self, policies: list[Object], attributes: Attributes, errors: list[_PolicyError]
    ) -> Iterator[_Invocation]:
        bindings = self.bindings_by_policy()
        for policy in policies:
            bound = bindings.get(policy["metadata"]["name"])
            if not bound:
                continue
            try:
                resource = matched(policy["spec"].get("matchConstraints"), attributes, self.objects)
            except ApiError as error:
                errors.append(_PolicyError(policy, None, error.message))
                continue
            if resource is None:
                continue
            for binding in bound:
                try:
                    chosen = self._chosen(policy, binding, attributes)
                except (ParameterError, ApiError) as error:
                    errors.append(_PolicyError(policy, binding, f"failed to configure binding: {error}"))
                    continue
                for params in chosen:
                    yield _Invocation(policy, binding, params, resource)

    def _chosen(self, policy: Object, binding: Object, attributes: Attributes) -> list[Object | None]:
        """Returns the parameter objects of a binding; the caller applies the policy once for each object.

        Returns [None] if the policy or the binding has no parameters, and [] if the binding does not match
        the write. Raises ParameterError if the binding's parameters are not available, and ApiError 404 if
        the namespace does not exist.
        """
        if matched(binding["spec"].get("matchResources"), attributes, self.objects) is None:
            return []
        return parameters(policy["spec"], binding["spec"], attributes, self.objects)

    def _dispatch(self, invocations: Iterable[_Invocation], attributes: Attributes) -> list[_PolicyError]:
        again = attributes.reinvocation
        if again is None:
            again = attributes.reinvocation = Reinvocation()
        rounds: _Rounds = again.states.setdefault(type(self), _Rounds())
        if again.is_second and not _same(rounds.output, plain(attributes.obj)):
            rounds.ask_again()
        errors: list[_PolicyError] = []
        changed = False
        for invocation in invocations:
            if again.is_second and invocation.key not in rounds.has_to:
                continue
            write = VersionedWrite(attributes, in_hub=False)
            problem = self._hindrance(invocation, write)
            if problem is not None:
                errors += [problem] if isinstance(problem, _PolicyError) else []
                continue
            count, new_errors = self._mutate(invocation, write)
            errors += new_errors
            if count:
                changed = True
                rounds.ask_again()
            if invocation.policy["spec"].get("reinvocationPolicy") == "IfNeeded":
                rounds.may.add(invocation.key)
        if changed:
            rounds.ask_again()
            again.is_wanted = True
        rounds.output = plain(attributes.obj)
        return errors

    def _hindrance(self, invocation: _Invocation, write: VersionedWrite) -> "_PolicyError | bool | None":
        """Returns None if a policy applies to the write; otherwise the error, or True to skip the policy.

        A policy is skipped if a match condition is false, or if fakeapi cannot evaluate the match conditions.
        """
        conditions = invocation.policy["spec"].get("matchConditions") or ()
        outcome = self._expressions(invocation, write).conditions(conditions)
        if isinstance(outcome, Unsupported):
            _warn(invocation, outcome, write.attributes)
            return True
        if isinstance(outcome, Failed):
            return invocation.error(outcome.reason)
        return None if outcome.value else True

    def _mutate(self, invocation: _Invocation, write: VersionedWrite) -> tuple[int, list[_PolicyError]]:
        """Applies the mutations of a policy.

        Returns the number of applied mutations, and the errors of failed mutations. Stops with a warning at a
        mutation that fakeapi cannot evaluate.
        """
        count, errors = 0, list[_PolicyError]()
        attributes = write.attributes
        for mutation in (
            invocation.policy["spec"].get("mutations") or () if attributes.obj is not None else ()
        ):
            expressions = self._expressions(invocation, write)
            try:
                unsupported = mutate(mutation, expressions, write, invocation.resource)
            except MutationError as error:
                errors.append(invocation.error(str(error)))
                continue
            if unsupported is not None:
                _warn(invocation, unsupported, attributes)
                break
            count += 1
        return count, errors

    def _expressions(self, invocation: _Invocation, write: VersionedWrite) -> Expressions:
        """Returns the CEL expressions of a policy, which read the object after all earlier mutations."""
        spec, params = invocation.policy["spec"], invocation.params
        return expressions_of(spec, params, write, invocation.resource, self.server)


def _same(one: Any, other: Any) -> bool:
    return bool(semantically_equal(one, other))


def _warn(invocation: _Invocation, outcome: Unsupported, attributes: Attributes) -> None:
    policy, binding, _ = invocation.key
    names = f"'{policy}' with binding '{binding}'"
    attributes.warnings.add(f"fakeapi did not ask MutatingAdmissionPolicy {names}: {outcome.reason}")


def _denied(attributes: Attributes, errors: list[_PolicyError]) -> ApiError:
    """Returns an ApiError 403 with the message and reason of the first error, and one cause per error."""
    error = attributes.forbidden("admission request denied by policy")
    causes = tuple(Cause("", policy_error.text) for policy_error in errors)
    return replace(
        error,
        message=errors[0].text,
        reason=errors[0].reason,
        details=msgspec.structs.replace(error.details or Details(), causes=causes),
    )
