"""Validates the rules of a FlowSchema: the subjects and the requests to which it applies.

Follows k8s.io/kubernetes `pkg/apis/flowcontrol/validation`.
"""

from collections.abc import Sequence
from typing import Any

from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from fakeapi.machinery.meta.names import is_dns1123_label, is_dns1123_subdomain
from fakeapi.releases.rules import ReleaseRules

ALL = "*"
_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_SUBJECTS = {"ServiceAccount": "serviceAccount", "User": "user", "Group": "group"}
_NAMESPACE = "each member of this list must be '*' or a DNS-1123 label; "


def rule_errors(rule: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates one rule of a flow schema: its subjects, resources and URL paths."""
    errors: list[FieldError] = []
    subjects = rule.get("subjects") or ()
    for index, subject in enumerate(subjects):
        errors += _subject_errors(subject, f"{path}.subjects[{index}]")
    if not subjects:
        errors.append(required(f"{path}.subjects", "subjects must contain at least one value"))
    resources, paths = rule.get("resourceRules") or (), rule.get("nonResourceRules") or ()
    if not resources and not paths:
        why = "at least one of resourceRules and nonResourceRules has to be non-empty"
        errors.append(required(path, why))
    for index, resource_rule in enumerate(resources):
        errors += _resource_errors(resource_rule, f"{path}.resourceRules[{index}]", rules)
    for index, path_rule in enumerate(paths):
        errors += _path_errors(path_rule, f"{path}.nonResourceRules[{index}]", rules)
    return errors


def _subject_errors(subject: dict[str, Any], path: str) -> list[FieldError]:
    kind = subject["kind"]
    field = _SUBJECTS.get(kind)
    if field is None:
        return [not_supported(f"{path}.kind", kind, sorted(_SUBJECTS))]
    errors = _named_errors(subject.get(field), kind, f"{path}.{field}", field)
    for other, name in _SUBJECTS.items():
        if other != kind and subject.get(name) is not None:
            why = f"{name} is forbidden when subject kind is not '{other}'"
            errors.append(forbidden(f"{path}.{name}", why))
    return errors


def _named_errors(named: dict[str, Any] | None, kind: str, path: str, field: str) -> list[FieldError]:
    if named is None:
        return [required(path, f"{field} is required when subject kind is '{kind}'")]
    name = named["name"]
    errors = [] if name else [required(f"{path}.name")]
    if kind != "ServiceAccount":
        return errors
    if name and name != ALL:
        errors += [invalid(f"{path}.name", name, why) for why in is_dns1123_subdomain(name)]
    namespace = named["namespace"]
    if not namespace:
        return [*errors, required(f"{path}.namespace", "must specify namespace for service account")]
    return errors + [invalid(f"{path}.namespace", namespace, why) for why in is_dns1123_label(namespace)]


def _resource_errors(rule: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = _verb_errors(rule, path, rules)
    for field, one, others in (
        ("apiGroups", "api group", "api groups"),
        ("resources", "resource", "resources"),
    ):
        values: Sequence[str] = rule.get(field) or ()
        if not values:
            errors.append(required(f"{path}.{field}", f"resource rules must supply at least one {one}"))
        elif len(values) > 1 and ALL in values:
            errors.append(_not_alone(f"{path}.{field}", values, others, rules))
    namespaces: Sequence[str] = rule.get("namespaces") or ()
    place = f"{path}.namespaces"
    if not namespaces and not rule.get("clusterScope"):
        why = "resource rules that are not cluster scoped must supply at least one namespace"
        return [*errors, required(place, why)]
    if ALL in namespaces:
        return (
            [*errors, _not_alone(place, namespaces, "namespaces", rules)] if len(namespaces) > 1 else errors
        )
    return errors + [
        invalid(f"{place}[{index}]", name, _NAMESPACE + why)
        for index, name in enumerate(namespaces)
        for why in is_dns1123_label(name)
    ]


def _path_errors(rule: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    errors = _verb_errors(rule, path, rules)
    urls: Sequence[str] = rule.get("nonResourceURLs") or ()
    place = f"{path}.nonResourceURLs"
    if not urls:
        return [*errors, required(place, "nonResourceURLs must contain at least one value")]
    if ALL in urls:
        return [*errors, _not_alone(place, urls, "non-resource URLs", rules)] if len(urls) > 1 else errors
    for index, url in enumerate(urls):
        problem = _url_problem(url)
        if problem:
            errors.append(invalid(f"{place}[{index}]", url, problem))
    return errors


def _url_problem(url: str) -> str:
    if not url:
        return "must not be empty"
    if url == "/":
        return ""
    if not url.startswith("/"):
        return "must start with slash"
    if " " in url:
        return "must not contain white-space"
    if "//" in url:
        return "must not contain double slash"
    wildcards = url.count("*")
    if wildcards > 1 or (wildcards == 1 and not url.endswith("/*")):
        return "wildcard can only do suffix matching"
    return ""


def _verb_errors(rule: dict[str, Any], path: str, rules: ReleaseRules) -> list[FieldError]:
    verbs: Sequence[str] = rule.get("verbs") or ()
    place = f"{path}.verbs"
    if not verbs:
        return [required(place, "verbs must contain at least one value")]
    if ALL in verbs:
        return [_not_alone(place, verbs, "verbs", rules)] if len(verbs) > 1 else []
    return (
        []
        if set(verbs) <= set(_VERBS)
        else [not_supported(place, printed_strings(verbs, rules.quirks.wording), _VERBS)]
    )


def _not_alone(path: str, values: Sequence[str], others: str, rules: ReleaseRules) -> FieldError:
    return invalid(
        path,
        printed_strings(values, rules.quirks.wording),
        f"if '*' is present, must not specify other {others}",
    )
