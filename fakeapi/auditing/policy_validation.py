"""Validates audit policies.

Follows k8s.io/apiserver `pkg/apis/audit/validation/validation.go`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from fakeapi.auditing.policy import LEVELS, Stage
from fakeapi.machinery.codec import RawJson
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1123_subdomain

_NOT_BOTH = "rules cannot apply to both regular resources and non-resource URLs"
_SLASH = "non-resource URL rules must begin with a '/' character"
_WILDCARD = "non-resource URL wildcards '*' must be the final character of the rule"
_NAMES = "using resourceNames requires at least one resource"


def policy_errors(policy: Object) -> list[FieldError]:
    """Returns the errors of a decoded policy, in upstream's order."""
    errors = [*_stage_errors(policy.get("omitStages", ()), "omitStages")]
    for index, rule in enumerate(policy.get("rules") or ()):
        errors += _rule_errors(rule, f"rules[{index}]")
    return errors


def _rule_errors(rule: Object, path: str) -> Iterator[FieldError]:
    urls, resources = rule.get("nonResourceURLs", ()), rule.get("resources", ())
    yield from _level_errors(rule.get("level", ""), f"{path}.level")
    yield from _url_errors(urls, f"{path}.nonResourceURLs")
    for entry in resources:
        yield from _resource_errors(entry, f"{path}.resources")
    yield from _stage_errors(rule.get("omitStages", ()), f"{path}.omitStages")
    if urls and (resources or rule.get("namespaces")):
        yield invalid(f"{path}.nonResourceURLs", _as_json(urls), _NOT_BOTH)


def _level_errors(level: str, path: str) -> Iterator[FieldError]:
    if not level:
        yield required(path)
    elif level not in LEVELS:
        yield not_supported(path, level, LEVELS)


def _url_errors(urls: Iterable[str], path: str) -> Iterator[FieldError]:
    for index, url in enumerate(urls):
        if url == "*":
            continue
        if not url.startswith("/"):
            yield invalid(f"{path}[{index}]", url, _SLASH)
        if "*" in url[:-1]:
            yield invalid(f"{path}[{index}]", url, _WILDCARD)


def _resource_errors(entry: Object, path: str) -> Iterator[FieldError]:
    group = entry.get("group", "")
    problems = is_dns1123_subdomain(group) if group and group != "*" else []
    if problems:
        yield invalid(f"{path}.group", group, ",".join(problems))
    if entry.get("resourceNames") and not entry.get("resources"):
        yield invalid(f"{path}.resourceNames", _as_json(entry["resourceNames"]), _NAMES)


def _stage_errors(stages: Iterable[str], path: str) -> Iterator[FieldError]:
    allowed = [stage.value for stage in Stage]
    for index, stage in enumerate(stages):
        if stage not in allowed:
            yield invalid(f"{path}[{index}]", stage, f"allowed stages are {','.join(allowed)}")


def _as_json(values: list[Any]) -> RawJson:
    """Returns a list that error messages print as JSON, as upstream does."""
    return RawJson(go_encode(values), values)
