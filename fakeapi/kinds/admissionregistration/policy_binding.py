"""Defines the kinds ValidatingAdmissionPolicyBinding and MutatingAdmissionPolicyBinding.

The kinds belong to the group admissionregistration.k8s.io. Follows k8s.io/kubernetes
`pkg/registry/admissionregistration` and `pkg/apis/admissionregistration/validation`.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.admissionregistration.matching import validate_match_resources
from fakeapi.kinds.admissionregistration.mutating_policy import operation_errors
from fakeapi.kinds.admissionregistration.webhook_configuration import GROUP
from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.printing.selectors import selector_string
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1123_subdomain, is_valid_path_segment_name
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

_ACTIONS = ("Audit", "Deny", "Warn")
_NOT_FOUND_ACTIONS = ("Deny", "Allow")
_EXCLUSIVE = "name and selector are mutually exclusive"
_DENY_AND_WARN = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API "
    "response and headers serves no purpose)"
)


class PolicyBindingStrategy(RulesStrategy):
    """Base strategy for policy bindings. A change of the spec increments the generation."""

    updates_unconditionally: ClassVar[bool] = False

    def prepare_create(self, obj: Object) -> Object:
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._errors(obj["spec"])

    def prepare_update(self, new: Object, old: Object) -> Object:
        return with_next_generation(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_object, *self._errors(new["spec"])]

    def _errors(self, spec: dict[str, Any]) -> list[FieldError]:
        name, path = spec.get("policyName", ""), "spec.policyName"
        errors = (
            [invalid(path, name, why) for why in is_dns1123_subdomain(name)] if name else [required(path)]
        )
        errors += self._reference_errors(spec.get("paramRef"))
        matched, path = spec.get("matchResources"), f"spec.{self._rules.quirks.binding_match_field}"
        return errors + validate_match_resources(matched, path, self._rules) + self._own_errors(spec)

    def _own_errors(self, spec: dict[str, Any]) -> list[FieldError]:
        """Returns errors by the rules that only one kind of binding has. Subclasses override this method."""
        return []

    def _reference_errors(self, reference: dict[str, Any] | None) -> list[FieldError]:
        if reference is None:
            return []
        name, selector, path = reference.get("name", ""), reference.get("selector"), "spec.paramRef"
        errors: list[FieldError] = []
        if name:
            errors += [invalid(f"{path}.name", name, why) for why in is_valid_path_segment_name(name)]
            if selector is not None:
                errors.append(forbidden(f"{path}.name", _EXCLUSIVE))
        if selector is not None:
            errors += validate_label_selector(selector, f"{path}.selector", self._rules.quirks.wording)
            if name:
                errors.append(forbidden(f"{path}.selector", _EXCLUSIVE))
        if not name and selector is None:
            errors.append(required(path, "one of name or selector must be specified"))
        action, place = reference.get("parameterNotFoundAction"), f"{path}.parameterNotFoundAction"
        type_name = self._rules.schemas.newest_type("admissionregistration", "ParamRef")
        if "parameterNotFoundAction" not in self._rules.schemas.struct(type_name).fields:
            return errors
        if not action:
            errors.append(required(place))
        elif action not in _NOT_FOUND_ACTIONS:
            errors.append(not_supported(place, action, _NOT_FOUND_ACTIONS))
        return errors


class ValidatingPolicyBindingStrategy(PolicyBindingStrategy):
    """Strategy for ValidatingAdmissionPolicyBindings. Also validates `validationActions`."""

    def _own_errors(self, spec: dict[str, Any]) -> list[FieldError]:
        actions, path = spec.get("validationActions") or [], "spec.validationActions"
        errors: list[FieldError] = []
        for index, action in enumerate(actions):
            if action not in _ACTIONS:
                errors.append(not_supported(f"{path}[{index}]", action, _ACTIONS))
            if action in actions[:index]:
                errors.append(duplicate(f"{path}[{index}]", action))
        if {"Deny", "Warn"} <= set(actions):
            holder = self._rules.schemas.newest_type(
                "admissionregistration", "ValidatingAdmissionPolicyBindingSpec"
            )
            bad_value = printed_field(actions, holder, "validationActions", self._rules)
            errors.append(invalid(path, bad_value, _DENY_AND_WARN))
        if not actions:
            errors.append(required(path, "at least one validation action is required"))
        return errors


class MutatingPolicyBindingStrategy(PolicyBindingStrategy):
    """Strategy for MutatingAdmissionPolicyBindings.

    Also rejects operations to which mutating policies cannot apply.
    """

    def _own_errors(self, spec: dict[str, Any]) -> list[FieldError]:
        return operation_errors(spec.get("matchResources"), "spec.matchResources")


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {"PolicyName": lambda obj, now: obj["spec"].get("policyName", ""), "ParamRef": _parameters}


def _parameters(obj: Object, now: float) -> str:
    reference = obj["spec"].get("paramRef") or {}
    if reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    selector = reference.get("selector")
    return "<unset>" if selector is None else selector_string(selector)


VALIDATING_POLICY_BINDING = KindDefinition(
    group=GROUP,
    resource="validatingadmissionpolicybindings",
    strategies=of_rules(ValidatingPolicyBindingStrategy),
    cells=_cells,
    core_metadata=False,
)
MUTATING_POLICY_BINDING = KindDefinition(
    group=GROUP,
    resource="mutatingadmissionpolicybindings",
    strategies=of_rules(MutatingPolicyBindingStrategy),
    cells=_cells,
    core_metadata=False,
)
