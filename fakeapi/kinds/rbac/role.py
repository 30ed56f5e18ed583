"""Defines the kinds Role and ClusterRole of rbac.authorization.k8s.io.

Follows k8s.io/kubernetes `pkg/apis/rbac/validation`.
"""

from typing import Any

from fakeapi.kinds.common.label_selectors import has_invalid_value, validate_label_selector
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.printing.values import printed_plain
from fakeapi.kinds.rbac.strategy import RbacStrategy
from fakeapi.machinery.field_errors import FieldError, invalid, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import name_is_path_segment
from fakeapi.registry.model.definition import KindDefinition, of_rules

GROUP = "rbac.authorization.k8s.io"
_SELECTORS = "aggregationRule.clusterRoleSelectors"


class RoleStrategy(RbacStrategy):
    """Strategy for Roles. Rejects rules with non-resource URLs."""

    namespaced = True

    def errors_of(self, obj: Object, old: Object | None) -> list[FieldError]:
        return [
            error
            for index, rule in enumerate(obj.get("rules") or ())
            for error in self._rule_errors(rule, f"rules[{index}]")
        ]

    def _rule_errors(self, rule: dict[str, Any], path: str) -> list[FieldError]:
        errors: list[FieldError] = []
        if not rule.get("verbs"):
            errors.append(required(f"{path}.verbs", "verbs must contain at least one value"))
        urls = rule.get("nonResourceURLs")
        if urls:
            bad_value, place = printed_strings(urls, self._rules.quirks.wording), f"{path}.nonResourceURLs"
            if self.namespaced:
                why = "namespaced rules cannot apply to non-resource URLs"
                errors.append(invalid(place, bad_value, why))
            if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
                why = "rules cannot apply to both regular resources and non-resource URLs"
                errors.append(invalid(place, bad_value, why))
            return errors
        if not rule.get("apiGroups"):
            why = "resource rules must supply at least one api group"
            errors.append(required(f"{path}.apiGroups", why))
        if not rule.get("resources"):
            errors.append(required(f"{path}.resources", "resource rules must supply at least one resource"))
        return errors


class ClusterRoleStrategy(RoleStrategy):
    """Strategy for ClusterRoles. A ClusterRole may aggregate the rules of other ClusterRoles."""

    namespaced = False

    def errors_of(self, obj: Object, old: Object | None) -> list[FieldError]:
        errors = super().errors_of(obj, old)
        aggregation = obj.get("aggregationRule")
        if aggregation is None:
            return errors
        selectors = aggregation.get("clusterRoleSelectors") or ()
        if not selectors:
            why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
            errors.append(required(_SELECTORS, why))
        checks_values = not any(map(has_invalid_value, _selectors(old)))
        for index, selector in enumerate(selectors):
            path = f"{_SELECTORS}[{index}]"
            wording = self._rules.quirks.wording
            selector_errors = validate_label_selector(selector, path, wording, checks_values=checks_values)
            errors += selector_errors
            if selector_errors:
                errors.append(invalid(path, printed_plain(None, wording), "invalid label selector."))
        return errors


def _selectors(role: Object | None) -> list[dict[str, Any]]:
    aggregation = (role or {}).get("aggregationRule") or {}
    return aggregation.get("clusterRoleSelectors") or []


ROLE = KindDefinition(
    group=GROUP, resource="roles", strategies=of_rules(RoleStrategy), name_validator=name_is_path_segment
)
CLUSTER_ROLE = KindDefinition(
    group=GROUP,
    resource="clusterroles",
    strategies=of_rules(ClusterRoleStrategy),
    name_validator=name_is_path_segment,
)
