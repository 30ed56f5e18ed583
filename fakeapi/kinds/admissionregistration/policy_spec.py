"""Validates the spec fields that validating and mutating admission policies share.

Follows k8s.io/kubernetes `pkg/apis/admissionregistration/validation`.
"""

import re
from typing import Any

from fakeapi.kinds.admissionregistration.expressions import (
    compiled,
    expression_errors,
    type_of_variable,
)
from fakeapi.kinds.admissionregistration.match_conditions import validate_match_conditions
from fakeapi.kinds.admissionregistration.matching import (
    FAILURE_POLICIES,
    policy_errors,
    validate_match_resources,
)
from fakeapi.machinery.cel.admission import Declared
from fakeapi.machinery.cel.rules.escaping import KEYWORDS
from fakeapi.machinery.cel.types import Type
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1035_label, is_dns1123_subdomain
from fakeapi.releases.rules import ReleaseRules

Variables = tuple[tuple[str, Type], ...]

_is_identifier = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch


def failure_errors(spec: dict[str, Any]) -> list[FieldError]:
    """Validates `failurePolicy`. The field is required, and must be Fail or Ignore."""
    return policy_errors(spec.get("failurePolicy"), "spec.failurePolicy", FAILURE_POLICIES)


def parameter_errors(spec: dict[str, Any]) -> list[FieldError]:
    """Validates `paramKind`, the kind of the policy's parameters. The field is optional."""
    kind = spec.get("paramKind")
    if kind is None:
        return []
    version, name, path = kind.get("apiVersion", ""), kind.get("kind", ""), "spec.paramKind"
    errors = _version_errors(version, f"{path}.apiVersion")
    if not name:
        return [*errors, required(f"{path}.kind")]
    messages = is_dns1035_label(name.lower())
    if messages:
        why = f"may have mixed case, but should otherwise match: {','.join(messages)}"
        errors.append(invalid(f"{path}.kind", name, why))
    return errors


def _version_errors(text: str, path: str) -> list[FieldError]:
    if not text:
        return [required(path)]
    if text.count("/") > 1:
        return [invalid(path, text, f"unexpected GroupVersion string: {text}")]
    group, _, version = text.rpartition("/")
    errors: list[FieldError] = []
    if group and (messages := is_dns1123_subdomain(group)):
        errors.append(invalid(path, group, ",".join(messages)))
    if not version:
        errors.append(invalid(path, text, "version must be specified"))
    elif messages := is_dns1035_label(version):
        errors.append(invalid(path, version, ",".join(messages)))
    return errors


def constraint_errors(spec: dict[str, Any], rules: ReleaseRules) -> list[FieldError]:
    """Validates `matchConstraints`. The field is required, and must have resource rules."""
    matched, path = spec.get("matchConstraints"), "spec.matchConstraints"
    if matched is None:
        return [required(path)]
    errors = validate_match_resources(matched, path, rules)
    return errors if matched.get("resourceRules") else [*errors, required(f"{path}.resourceRules")]


def condition_errors(spec: dict[str, Any], old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Validates the match conditions of a policy.

    Returns no errors if an update changes neither the conditions nor `paramKind`. `old`: the stored policy;
    None on create
    """
    names = ("paramKind", "matchConditions")
    if old is not None and all((spec.get(name) or None) == (old["spec"].get(name) or None) for name in names):
        return []
    conditions = spec.get("matchConditions") or []
    params = spec.get("paramKind") is not None
    return validate_match_conditions(conditions, "spec.matchConditions", rules, params=params)


def variable_errors(
    spec: dict[str, Any], rules: ReleaseRules, *, always: bool
) -> tuple[list[FieldError], Variables | None]:
    """Validates the CEL variables of a policy. Returns the errors, and the name and type of each variable.

    `always`: whether the second result is an empty tuple, and not None, for a policy without variables.
    """
    variables = spec.get("variables") or []
    if not variables and not always:
        return [], None
    errors: list[FieldError] = []
    types: dict[str, Type] = {}
    for index, variable in enumerate(variables):
        path, name, text = f"spec.variables[{index}]", variable["name"], variable["expression"]
        if not name.strip():
            errors.append(required(f"{path}.name", "name is not specified"))
        elif _is_identifier(name) is None or name in KEYWORDS:
            errors.append(invalid(f"{path}.name", name, rules.quirks.policy_variable_name))
        if not text.strip():
            errors.append(required(f"{path}.expression", "expression is not specified"))
            continue
        declared = Declared(params=spec.get("paramKind") is not None, variables=tuple(types.items()))
        verdict = compiled(text, declared, (), rules)
        errors += expression_errors(verdict, text, f"{path}.expression")
        types[name] = type_of_variable(verdict)
    return errors, tuple(types.items())
