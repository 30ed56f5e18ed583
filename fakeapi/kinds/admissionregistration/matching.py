"""Validates the parts of webhooks and policies that select requests: rules, selectors and match policies.

Follows k8s.io/kubernetes `pkg/apis/admissionregistration/validation`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.kinds.common.label_selectors import validate_label_selector
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_field
from fakeapi.machinery.field_errors import FieldError, duplicate, invalid, not_supported, required
from fakeapi.machinery.meta.names import is_valid_path_segment_name
from fakeapi.releases.rules import ReleaseRules

ALL = "*"
MATCH_POLICIES = ("Equivalent", "Exact")
FAILURE_POLICIES = ("Fail", "Ignore")
_OPERATIONS = (ALL, "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = (ALL, "Cluster", "Namespaced")
_RULE = "admissionregistration/v1.RuleWithOperations"


def validate_rule(rule: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates a rule: its operations, API groups, API versions, resources and scope."""
    operations = rule.get("operations") or []
    errors: list[FieldError] = []
    place = f"{path}.operations"
    if not operations:
        errors.append(required(place))
    if len(operations) > 1 and ALL in operations:
        bad_value = printed_field(operations, _RULE, "operations", rules)
        errors.append(invalid(place, bad_value, "if '*' is present, must not specify other operations"))
    errors += [
        not_supported(f"{place}[{index}]", operation, _OPERATIONS)
        for index, operation in enumerate(operations)
        if operation not in _OPERATIONS
    ]
    errors += _listed_errors(rule.get("apiGroups") or [], f"{path}.apiGroups", "API groups", rules)
    versions = rule.get("apiVersions") or []
    errors += _listed_errors(versions, f"{path}.apiVersions", "API versions", rules)
    errors += [
        required(f"{path}.apiVersions[{index}]") for index, version in enumerate(versions) if not version
    ]
    errors += _resource_errors(rule.get("resources") or [], f"{path}.resources", rules)
    scope = rule.get("scope")
    if scope is not None and scope not in _SCOPES:
        errors.append(not_supported(f"{path}.scope", scope, _SCOPES))
    return errors


def validate_match_resources(
    matched: dict[str, Any] | None, path: str, rules: ReleaseRules
) -> list[FieldError]:
    """Validates a MatchResources: the selectors and resource rules of a policy or binding. None is valid."""
    if matched is None:
        return []
    errors = policy_errors(matched.get("matchPolicy"), f"{path}.matchPolicy", MATCH_POLICIES)
    for name in ("namespaceSelector", "objectSelector"):
        selector, place = matched.get(name), f"{path}.{name}"
        if selector is None:
            errors.append(required(place))
        else:
            errors += validate_label_selector(selector, place, rules.quirks.wording)
    for name in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(matched.get(name) or ()):
            place = f"{path}.{name}[{index}]"
            errors += _name_errors(rule.get("resourceNames") or [], f"{place}.resourceNames")
            errors += validate_rule(rule, place, rules)
    return errors


def policy_errors(value: str | None, path: str, known: Sequence[str]) -> list[FieldError]:
    """Returns an error if the value of a policy field, such as matchPolicy, is missing or not in `known`."""
    if value is None:
        return [required(path)]
    return [] if value in known else [not_supported(path, value, known)]


def _name_errors(names: Sequence[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, name in enumerate(names):
        place = f"{path}[{index}]"
        errors += [invalid(place, name, why) for why in is_valid_path_segment_name(name)]
        if name in names[:index]:
            errors.append(duplicate(place, name))
    return errors


def _listed_errors(values: Sequence[str], path: str, others: str, rules: ReleaseRules) -> list[FieldError]:
    if not values:
        return [required(path)]
    if len(values) > 1 and ALL in values:
        why = f"if '*' is present, must not specify other {others}"
        return [invalid(path, printed_strings(values, rules.quirks.wording), why)]
    return []


def _resource_errors(resources: Sequence[str], path: str, rules: ReleaseRules) -> list[FieldError]:
    errors: list[FieldError] = [] if resources else [required(path)]
    with_all_subresources: set[str] = set()
    of_all_resources: set[str] = set()
    plain = False
    for index, text in enumerate(resources):
        place = f"{path}[{index}]"
        if not text:
            errors.append(required(place))
            continue
        resource, slash, subresource = text.partition("/")
        if not slash:
            plain = text != ALL
            continue
        if resource in with_all_subresources:
            why = f"if '{resource}/*' is present, must not specify {text}"
            errors.append(invalid(place, text, why))
        if subresource in of_all_resources:
            why = f"if '*/{subresource}' is present, must not specify {text}"
            errors.append(invalid(place, text, why))
        if subresource == ALL:
            with_all_subresources.add(resource)
        if resource == ALL:
            of_all_resources.add(subresource)
    if len(resources) > 1 and "*/*" in resources:
        why = "if '*/*' is present, must not specify other resources"
        errors.append(invalid(path, printed_strings(resources, rules.quirks.wording), why))
    if ALL in resources and plain:
        why = "if '*' is present, must not specify other resources without subresources"
        errors.append(invalid(path, printed_strings(resources, rules.quirks.wording), why))
    return errors
