"""Validates node names and optional node selectors.

Follows `ValidateNodeName` and `ValidateNodeSelector` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from typing import Any

from fakeapi.kinds.common.invalid_texts import validate_dns_subdomain
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.meta.node_selector import validate_node_selector
from fakeapi.releases.rules import ReleaseRules

validate_node_name = validate_dns_subdomain


def validate_nodes(holder: dict[str, Any], name: str, path: str, rules: ReleaseRules) -> list[FieldError]:
    """Validates the optional node selector in the field `name` of `holder`. `path`: the selector's path."""
    if name not in holder:
        return []
    return validate_node_selector(
        holder[name],
        path,
        checks_values=rules.quirks.node_selector_values_are_checked,
        unit=rules.quirks.wording.length_unit,
    )
