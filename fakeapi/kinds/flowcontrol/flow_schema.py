"""Defines the kind FlowSchema of flowcontrol.apiserver.k8s.io.

Follows k8s.io/kubernetes `pkg/apis/flowcontrol/validation` and `pkg/registry/flowcontrol/flowschema`.
"""

from collections.abc import Mapping
from typing import Any

from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.flowcontrol.dangling import DANGLING
from fakeapi.kinds.flowcontrol.policy_rules import rule_errors
from fakeapi.kinds.flowcontrol.strategy import (
    GROUP,
    FlowControlStatusStrategy,
    FlowControlStrategy,
)
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1123_subdomain
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.releases import Quirks

PRECEDENCE_MAX = 10000
EXEMPT, CATCH_ALL = "exempt", "catch-all"
_METHODS = ("ByNamespace", "ByUser")


def _for_groups(*groups: str) -> list[dict[str, Any]]:
    """Returns FlowSchema rules that match all requests of users in the given groups."""
    everything = {
        "verbs": ["*"],
        "apiGroups": ["*"],
        "resources": ["*"],
        "clusterScope": True,
        "namespaces": ["*"],
    }
    subjects = [{"kind": "Group", "group": {"name": name}} for name in groups]
    paths = {"verbs": ["*"], "nonResourceURLs": ["*"]}
    return [{"subjects": subjects, "resourceRules": [everything], "nonResourceRules": [paths]}]


_MANDATORY: dict[str, dict[str, Any]] = {
    EXEMPT: {
        "priorityLevelConfiguration": {"name": EXEMPT},
        "matchingPrecedence": 1,
        "rules": _for_groups("system:masters"),
    },
    CATCH_ALL: {
        "priorityLevelConfiguration": {"name": CATCH_ALL},
        "matchingPrecedence": PRECEDENCE_MAX,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": _for_groups("system:unauthenticated", "system:authenticated"),
    },
}
"""Specs of the mandatory FlowSchemas, which clients cannot change."""


class FlowSchemaStrategy(FlowControlStrategy):
    """Strategy for FlowSchemas. Updates must not change mandatory FlowSchemas."""

    def errors_of(self, obj: Object) -> list[FieldError]:
        spec, name = obj["spec"], obj["metadata"].get("name", "")
        errors = self._spec_errors(spec, name)
        mandatory = _MANDATORY.get(name)
        if mandatory is not None and not semantically_equal(_known(spec), mandatory):
            bad_value = printed_struct(
                spec, self._rules.schemas.newest_type("flowcontrol", "FlowSchemaSpec"), self._rules
            )
            errors.append(invalid("spec", bad_value, f"spec of '{name}' must equal the fixed value"))
        return errors

    def _spec_errors(self, spec: dict[str, Any], name: str) -> list[FieldError]:
        precedence, path = spec["matchingPrecedence"], "spec.matchingPrecedence"
        errors: list[FieldError] = []
        if precedence <= 0:
            errors.append(invalid(path, precedence, "must be a positive value"))
        if precedence > PRECEDENCE_MAX:
            errors.append(invalid(path, precedence, f"must not be greater than {PRECEDENCE_MAX}"))
        if precedence == 1 and name != EXEMPT:
            why = "only the schema named 'exempt' may have matchingPrecedence 1"
            errors.append(invalid(path, precedence, why))
        method = spec.get("distinguisherMethod")
        if method is not None and method["type"] not in _METHODS:
            bad_value = printed_struct(
                method, self._rules.schemas.newest_type("flowcontrol", "FlowDistinguisherMethod"), self._rules
            )
            errors.append(not_supported("spec.distinguisherMethod.type", bad_value, _METHODS))
        level = spec["priorityLevelConfiguration"]["name"]
        where = "spec.priorityLevelConfiguration.name"
        if level:
            errors += [invalid(where, level, why) for why in is_dns1123_subdomain(level)]
        else:
            errors.append(required(where, "must reference a priority level"))
        for index, rule in enumerate(spec.get("rules") or ()):
            errors += rule_errors(rule, f"spec.rules[{index}]", self._rules)
        return errors


def _known(spec: dict[str, Any]) -> dict[str, Any]:
    """Returns a spec with only the fields that `_MANDATORY` contains, in the same order."""
    order = ("priorityLevelConfiguration", "matchingPrecedence", "distinguisherMethod", "rules")
    return {name: spec[name] for name in order if name in spec}


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "PriorityLevel": lambda obj, now: obj["spec"]["priorityLevelConfiguration"]["name"],
        "MatchingPrecedence": lambda obj, now: obj["spec"]["matchingPrecedence"],
        "DistinguisherMethod": _method,
        "MissingPL": _missing,
    }


def _method(obj: Object, now: float) -> str:
    method = obj["spec"].get("distinguisherMethod")
    return "<none>" if method is None else method["type"]


def _missing(obj: Object, now: float) -> str:
    for condition in obj["status"].get("conditions") or ():
        if condition.get("type") == DANGLING:
            status: str = condition.get("status", "")
            return status
    return "?"


FLOW_SCHEMA = KindDefinition(
    group=GROUP,
    resource="flowschemas",
    strategies=of_rules(FlowSchemaStrategy, FlowControlStatusStrategy),
    cells=_cells,
    table_subresources=frozenset({"status"}),
)
