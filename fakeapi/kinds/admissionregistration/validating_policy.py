"""Defines the kind ValidatingAdmissionPolicy of admissionregistration.k8s.io.

Follows k8s.io/kubernetes `pkg/registry/admissionregistration/validatingadmissionpolicy` and
`pkg/apis/admissionregistration/validation`. In a real cluster, a controller sets
`status.typeChecking`.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from fakeapi.kinds.admissionregistration.expressions import compiled, expression_errors
from fakeapi.kinds.admissionregistration.policy_spec import (
    Variables,
    condition_errors,
    constraint_errors,
    failure_errors,
    parameter_errors,
    variable_errors,
)
from fakeapi.kinds.admissionregistration.webhook_configuration import GROUP
from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.kinds.common.status_strategies import StatusOnlyStrategy
from fakeapi.machinery.cel.admission import ANNOTATION, CONDITION, MESSAGE, Declared
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.jsonpath_syntax import JsonPathError, parse
from fakeapi.machinery.meta.names import byte_length, is_qualified_name
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.object_meta import with_generation, with_next_generation
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks

ANNOTATIONS_MAX = 20
ANNOTATION_EXPRESSION_MAX = 5 * 1024
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_has_newline = re.compile("[\n\r]").search


class ValidatingPolicyStrategy(RulesStrategy):
    """Strategy for ValidatingAdmissionPolicies. Ignores the status that the client sends."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    updates_unconditionally: ClassVar[bool] = False

    def prepare_create(self, obj: Object) -> Object:
        if "status" in obj:
            obj["status"] = {}
        return with_generation(obj, 1)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._errors(obj, None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        if "status" in old:
            new["status"] = old["status"]
        return with_next_generation(new, old)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_object, *self._errors(new, old)]

    def _errors(self, obj: Object, old: Object | None) -> list[FieldError]:
        spec, rules = obj["spec"], self._rules
        errors = failure_errors(spec) + parameter_errors(spec) + constraint_errors(spec, rules)
        errors += condition_errors(spec, old, rules)
        problems, variables = variable_errors(spec, rules, always=False)
        errors += problems
        validations, annotations = spec.get("validations") or [], spec.get("auditAnnotations") or []
        if not validations and not annotations:
            why = "validations or auditAnnotations must contain at least one item"
            return [*errors, required("spec.validations", why), required("spec.auditAnnotations", why)]
        params = spec.get("paramKind") is not None
        for index, validation in enumerate(validations):
            errors += self._validation_errors(validation, f"spec.validations[{index}]", params, variables)
        path = "spec.auditAnnotations"
        if len(annotations) > ANNOTATIONS_MAX:
            holder = rules.schemas.newest_type("admissionregistration", "ValidatingAdmissionPolicySpec")
            bad_value = printed_field(annotations, holder, "auditAnnotations", rules)
            why = f"must not have more than {ANNOTATIONS_MAX} auditAnnotations"
            errors.append(invalid(path, bad_value, why))
        keys: set[str] = set()
        declared = Declared(params=params, variables=variables)
        for index, annotation in enumerate(annotations):
            place, key = f"{path}[{index}]", annotation["key"]
            errors += self._annotation_errors(annotation, obj["metadata"].get("name", ""), place, declared)
            if key in keys:
                errors.append(duplicate(f"{place}.key", key))
            keys.add(key)
        return errors

    def _validation_errors(
        self,
        validation: dict[str, Any],
        path: str,
        params: bool,  # noqa: FBT001 - passed on
        variables: Variables | None,
    ) -> list[FieldError]:
        text, rules = validation["expression"], self._rules
        errors: list[FieldError] = []
        if text.strip():
            verdict = compiled(text, Declared(params=params, variables=variables), CONDITION, rules)
            errors += expression_errors(verdict, text, f"{path}.expression")
        else:
            errors.append(required(f"{path}.expression", "expression is not specified"))
        text, place = validation.get("messageExpression", ""), f"{path}.messageExpression"
        if text and not text.strip():
            errors.append(invalid(place, text, "must be non-empty if specified"))
        elif text:
            declared = Declared(params=params, authorizer=False, variables=variables)
            errors += expression_errors(compiled(text, declared, MESSAGE, rules), text, place)
        message, subject = validation.get("message", ""), rules.quirks.policy_message
        if message and not message.strip():
            errors.append(invalid(f"{path}.message", message, f"{subject}must be non-empty if specified"))
        elif _has_newline(message.strip()):
            errors.append(invalid(f"{path}.message", message, f"{subject}must not contain line breaks"))
        reason = validation.get("reason")
        if reason is not None and reason not in _REASONS:
            errors.append(not_supported(f"{path}.reason", reason, _REASONS))
        return errors

    def _annotation_errors(
        self, annotation: dict[str, Any], name: str, path: str, declared: Declared
    ) -> list[FieldError]:
        key, sent = annotation["key"], annotation["valueExpression"]
        text, place, unit = sent.strip(), f"{path}.valueExpression", self._rules.quirks.wording.length_unit
        if name:
            whole = f"{name}/{key}"
            errors = [invalid(f"{path}.key", whole, why) for why in is_qualified_name(whole, unit)]
        else:
            errors = [invalid(f"{path}.key", key, "requires metadata.name be non-empty")]
        if not text:
            return [*errors, required(place, "valueExpression is not specified")]
        if byte_length(text) > ANNOTATION_EXPRESSION_MAX:
            why = f"must not exceed {ANNOTATION_EXPRESSION_MAX} bytes in length"
            return [*errors, required(place, why)]
        verdict = compiled(text, declared, ANNOTATION, self._rules)
        return errors + expression_errors(verdict, sent, place)


class ValidatingPolicyStatusStrategy(StatusOnlyStrategy, ValidatingPolicyStrategy):
    """Strategy for `/status` of ValidatingAdmissionPolicies. Keeps the stored spec."""

    creates_on_apply: ClassVar[bool] = True

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        status = new.get("status") or {}
        errors: list[FieldError] = []
        warnings = (status.get("typeChecking") or {}).get("expressionWarnings") or ()
        for index, warning in enumerate(warnings):
            path = f"status.typeChecking.expressionWarnings[{index}]"
            errors += [] if warning.get("warning") else [required(f"{path}.warning")]
            errors += _reference_errors(warning.get("fieldRef", "").strip(), f"{path}.fieldRef")
        return errors + validate_conditions(status.get("conditions") or (), "status.conditions", self._rules)


def _reference_errors(reference: str, path: str) -> list[FieldError]:
    """Validates a JSONPath, which refers to the field with an expression."""
    if not reference:
        return [required(path)]
    try:
        parse(reference)
    except JsonPathError as error:
        return [invalid(path, reference, f"invalid JSONPath: {error}")]
    return []


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Validations": lambda obj, now: len(obj["spec"].get("validations") or ()),
        "ParamKind": parameter_kind,
    }


def parameter_kind(obj: Object, now: float) -> str:
    """Returns the table cell for a policy's `paramKind`: `APIVERSION/KIND`, or `<unset>`."""
    kind = obj["spec"].get("paramKind")
    return "<unset>" if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


VALIDATING_POLICY = KindDefinition(
    group=GROUP,
    resource="validatingadmissionpolicies",
    strategies=of_rules(ValidatingPolicyStrategy, ValidatingPolicyStatusStrategy),
    cells=_cells,
    core_metadata=False,
    table_subresources=frozenset({"status"}),
)
