"""Defines the kind MutatingAdmissionPolicy of admissionregistration.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/admissionregistration/mutatingadmissionpolicy` and
`pkg/apis/admissionregistration/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.admissionregistration.expressions import compiled, expression_errors
from fakeapi.kinds.admissionregistration.policy_spec import (
    condition_errors,
    constraint_errors,
    failure_errors,
    parameter_errors,
    variable_errors,
)
from fakeapi.kinds.admissionregistration.validating_policy import parameter_kind
from fakeapi.kinds.admissionregistration.webhook_configuration import (
    GROUP,
    REINVOCATION_POLICIES,
)
from fakeapi.machinery.cel.admission import APPLY_CONFIGURATION, PATCH_OPERATIONS, Declared
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

OPERATIONS = ("*", "CONNECT", "CREATE", "UPDATE")
_TYPES = {"ApplyConfiguration": "applyConfiguration", "JSONPatch": "jsonPatch"}


class MutatingPolicyStrategy(RulesStrategy):
    """Strategy for MutatingAdmissionPolicies. A change of the spec increments the generation."""

    updates_unconditionally: ClassVar[bool] = False

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._errors(obj, None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return with_next_generation(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_object, *self._errors(new, old)]

    def _errors(self, obj: Object, old: Object | None) -> list[FieldError]:
        spec, rules = obj["spec"], self._rules
        errors = failure_errors(spec) + parameter_errors(spec) + constraint_errors(spec, rules)
        errors += operation_errors(spec.get("matchConstraints"), "spec.matchConstraints")
        errors += condition_errors(spec, old, rules)
        problems, variables = variable_errors(spec, rules, always=True)
        errors += problems
        params = spec.get("paramKind") is not None
        declared = Declared(params=params, variables=variables, patches=True)
        mutations = spec.get("mutations") or []
        if not mutations:
            errors.append(required("spec.mutations", "mutations must contain at least one item"))
        for index, mutation in enumerate(mutations):
            errors += self._mutation_errors(mutation, f"spec.mutations[{index}]", declared)
        policy, path = spec.get("reinvocationPolicy", ""), "spec.reinvocationPolicy"
        if not policy:
            errors.append(required(path))
        elif policy not in REINVOCATION_POLICIES:
            errors.append(not_supported(path, policy, REINVOCATION_POLICIES))
        return errors

    def _mutation_errors(self, mutation: dict[str, Any], path: str, declared: Declared) -> list[FieldError]:
        kind = mutation.get("patchType", "")
        if not kind:
            return [required(f"{path}.patchType")]
        field = _TYPES.get(kind)
        if field is None:
            return [not_supported(f"{path}.patchType", kind, tuple(_TYPES))]
        patch = mutation.get(field)
        errors: list[FieldError] = []
        if patch is None:
            errors.append(required(f"{path}.{field}", f"must be specified when patchType is {kind}"))
        else:
            results = APPLY_CONFIGURATION if field == "applyConfiguration" else PATCH_OPERATIONS
            text, place = patch.get("expression", "").strip(), f"{path}.{field}.expression"
            if text:
                errors += expression_errors(compiled(text, declared, results, self._rules), text, place)
            else:
                errors.append(required(place))
        other = next(name for name in _TYPES.values() if name != field)
        if mutation.get(other) is not None:
            why = f"must not be specified when patchType is {kind}"
            errors.append(invalid(f"{path}.{other}", f"{{{other}}}", why))
        return errors


def operation_errors(matched: dict[str, Any] | None, path: str) -> list[FieldError]:
    """Returns errors for operations to which mutating policies cannot apply, such as DELETE.

    `matched`: the MatchResources of the policy or binding; None is valid
    """
    return [
        not_supported(f"{path}.resourceRules.operations", operation, OPERATIONS)
        for rule in (matched or {}).get("resourceRules") or ()
        for operation in rule.get("operations") or ()
        if operation not in OPERATIONS
    ]


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Mutations": lambda obj, now: len(obj["spec"].get("mutations") or ()),
        "ParamKind": parameter_kind,
    }


MUTATING_POLICY = KindDefinition(
    group=GROUP,
    resource="mutatingadmissionpolicies",
    strategies=of_rules(MutatingPolicyStrategy),
    cells=_cells,
    core_metadata=False,
)
