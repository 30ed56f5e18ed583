"""Validates podFailurePolicy and successPolicy of a job."""

from collections.abc import Sequence
from typing import Any

from fakeapi.kinds.batch.validation.indexes import MalformedIndexes, count_indexes
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    invalid,
    invalid_without_value,
    not_supported,
    required,
    too_long,
    too_many,
)
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative
from fakeapi.machinery.meta.names import is_qualified_name
from fakeapi.releases.rules import ReleaseRules

RULES_MAX = 20
EXIT_CODES_MAX = 255
CONDITIONS_MAX = 20
SUCCEEDED_INDEXES_MAX = 64 * 1024

_OPERATORS = ("In", "NotIn")
_CODES = "batch/v1.PodFailurePolicyOnExitCodesRequirement", "values"
_STATUSES = ("False", "True", "Unknown")


def _listed(values: Sequence[str]) -> str:
    """Formats a list of valid values for an error message, like Go: `valid values: ["A" "B"]`."""
    return "valid values: [" + " ".join(map(quote, values)) + "]"


def validate_failure_policy(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    policy_rules = spec["podFailurePolicy"].get("rules") or []
    errors = _too_many(policy_rules, f"{path}.rules", RULES_MAX)
    pod = spec["template"]["spec"]
    names = {
        container.get("name", "")
        for member in ("containers", "initContainers")
        for container in pod.get(member) or ()
    }
    for index, rule in enumerate(policy_rules):
        errors += _failure_rule_errors(spec, rule, f"{path}.rules[{index}]", names, rules)
    return errors


def _failure_rule_errors(
    spec: Object, rule: Object, path: str, names: set[str], rules: ReleaseRules
) -> list[FieldError]:
    actions = rules.quirks.workloads.failure_actions
    action, errors = rule.get("action", ""), list[FieldError]()
    if not action:
        errors.append(required(f"{path}.action", _listed(actions)))
    elif action not in actions:
        errors.append(not_supported(f"{path}.action", action, actions))
    elif action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        errors.append(invalid(f"{path}.action", action, "requires the backoffLimitPerIndex to be set"))
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or ()
    if codes is not None:
        errors += _exit_code_errors(codes, f"{path}.onExitCodes", names, rules)
    if conditions:
        errors += _condition_errors(conditions, f"{path}.onPodConditions", rules)
    if codes is not None and conditions:
        problem = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(invalid_without_value(path, problem))
    if codes is None and not conditions:
        problem = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(invalid_without_value(path, problem))
    return errors


def _condition_errors(conditions: Sequence[Object], path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = _too_many(conditions, path, CONDITIONS_MAX)
    for index, pattern in enumerate(conditions):
        place, kind, status = f"{path}[{index}]", pattern.get("type", ""), pattern.get("status", "")
        messages = is_qualified_name(kind, rules.quirks.wording.length_unit)
        errors += [invalid(f"{place}.type", kind, message) for message in messages]
        errors += _choice_errors(status, f"{place}.status", _STATUSES)
    return errors


def _exit_code_errors(codes: Object, path: str, names: set[str], rules: ReleaseRules) -> list[FieldError]:
    operator, container = codes.get("operator", ""), codes.get("containerName")
    errors = _choice_errors(operator, f"{path}.operator", _OPERATORS)
    if container is not None and container not in names:
        problem = "must be one of the container or initContainer names in the pod template"
        errors.append(invalid(f"{path}.containerName", container, problem))
    values: list[int] = codes.get("values") or []
    at = f"{path}.values"
    if not values:
        errors.append(
            invalid(at, printed_field(codes.get("values"), *_CODES, rules), "at least one value is required")
        )
    errors += _too_many(values, at, EXIT_CODES_MAX)
    seen: set[int] = set()
    for index, code in enumerate(values):
        if operator == "In" and code == 0:
            errors.append(invalid(f"{at}[{index}]", code, "must not be 0 for the In operator"))
        if code in seen:
            errors.append(duplicate(f"{at}[{index}]", code))
        seen.add(code)
    if values != sorted(values):
        errors.append(invalid(at, printed_field(values, *_CODES, rules), "must be ordered"))
    return errors


def _choice_errors(value: str, path: str, choices: tuple[str, ...]) -> list[FieldError]:
    if not value:
        return [required(path, _listed(choices))]
    return [] if value in choices else [not_supported(path, value, choices)]


def _too_many(items: Sequence[Any], path: str, most: int) -> list[FieldError]:
    return [too_many(path, len(items), most)] if len(items) > most else []


def validate_success_policy(spec: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the success policy of an indexed job."""
    policy_rules, at = spec["successPolicy"].get("rules") or [], f"{path}.rules"
    errors: list[FieldError] = []
    if not policy_rules:
        problem = "at least one rules must be specified when the successPolicy is specified"
        errors.append(required(at, problem))
    errors += _too_many(policy_rules, at, RULES_MAX)
    for index, rule in enumerate(policy_rules):
        errors += _success_rule_errors(rule, f"{at}[{index}]", spec.get("completions") or 0, rules)
    return errors


def _success_rule_errors(rule: Object, path: str, completions: int, rules: ReleaseRules) -> list[FieldError]:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    errors: list[FieldError] = []
    if count is None and indexes is None:
        problem = "at least one of succeededCount or succeededIndexes must be specified"
        errors.append(required(path, problem))
    total = 0
    if indexes is not None:
        at = f"{path}.succeededIndexes"
        if len(indexes) > SUCCEEDED_INDEXES_MAX:
            errors.append(too_long(at, SUCCEEDED_INDEXES_MAX, rules.quirks.too_long))
        try:
            total = count_indexes(indexes, completions)
        except MalformedIndexes as error:
            errors.append(invalid(at, indexes, f"error parsing succeededIndexes: {error}"))
    if count is not None:
        at = f"{path}.succeededCount"
        errors += validate_nonnegative(count, at)
        if count > completions:
            problem = f"must be less than or equal to {completions} (the number of specified completions)"
            errors.append(invalid(at, count, problem))
        if indexes is not None and count > total:
            problem = (
                f"must be less than or equal to {total} "
                "(the number of indexes in the specified succeededIndexes field)"
            )
            errors.append(invalid(at, count, problem))
    return errors
