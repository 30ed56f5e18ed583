"""Matches the rules of a policy or its binding to a write, and selects the API version of the objects.

Follows k8s.io/apiserver `pkg/admission/plugin/policy/matching`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fakeapi.admission.plugins.webhooks.matching import (
    equivalents,
    matches_namespace,
    matches_object,
    missing_namespace,
    requested,
)
from fakeapi.admission.rule_matching import rule_matches
from fakeapi.kinds.common.label_matching import compiled
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.objects import ClusterObjects


@dataclass(frozen=True, slots=True)
class _Selectors:
    namespaces: Selector | None
    objects: Selector | None


def matched(
    criteria: Mapping[str, Any] | None, attributes: Attributes, objects: ClusterObjects
) -> Resource | None:
    """Returns the resource in the API version that the rules match; None if the write does not match.

    `criteria`: the MatchResources of a policy or binding; None matches every write.

    Raises ApiError 404 if a selector needs the labels of a namespace that does not exist.
    """
    if criteria is None:
        return attributes.resource
    selectors = _Selectors(
        *(compiled(criteria.get(f"{name}Selector") or {}) for name in ("namespace", "object"))
    )
    missing = missing_namespace(selectors, attributes, objects)
    if missing is None and not matches_namespace(selectors, attributes, objects):
        return None
    if not matches_object(selectors, attributes):
        return None
    exact = criteria.get("matchPolicy") != "Equivalent"
    excluded = criteria.get("excludeResourceRules") or ()
    if next(_versions(excluded, attributes, objects, exact=exact), None) is not None:
        return None
    rules = criteria.get("resourceRules") or ()
    resource = (
        next(_versions(rules, attributes, objects, exact=exact), None) if rules else attributes.resource
    )
    if resource is not None and missing is not None:
        raise missing
    return resource


def _versions(
    rules: Sequence[Mapping[str, Any]], attributes: Attributes, objects: ClusterObjects, *, exact: bool
) -> Iterator[Resource]:
    """Yields the resource in each API version that the rules match.

    The API version of the request comes first. `exact`: whether to try only this version.
    """
    named = [
        rule for rule in rules if not rule.get("resourceNames") or attributes.name in rule["resourceNames"]
    ]
    own = requested(attributes, attributes.resource)
    if any(rule_matches(rule, own) for rule in named):
        yield attributes.resource
    if exact:
        return
    for rule in named:
        for resource in equivalents(attributes, objects):
            if rule_matches(rule, requested(attributes, resource)):
                yield resource
