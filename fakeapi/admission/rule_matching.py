"""Matches the rules of webhooks and policies to requests.

Follows k8s.io/apiserver `pkg/admission/plugin/webhook/predicates/rules`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ALL = "*"


@dataclass(frozen=True, slots=True)
class RequestedResource:
    """The resource and operation of a request, to match the rules of webhooks and policies.

    `namespace`: the namespace in the path; for a Namespace object, the name of the Namespace.
    """

    group: str
    version: str
    resource: str
    subresource: str
    namespace: str
    operation: str

    @property
    def is_namespace(self) -> bool:
        return (self.group, self.version, self.resource) == ("", "v1", "namespaces")


def rule_matches(rule: Mapping[str, Any], requested: RequestedResource) -> bool:
    """Whether a RuleWithOperations of a webhook or policy matches the request `requested`."""
    return (
        _in_scope(rule.get("scope") or ALL, requested)
        and _lists(rule.get("operations"), requested.operation)
        and _lists(rule.get("apiGroups"), requested.group)
        and _lists(rule.get("apiVersions"), requested.version)
        and any(_names(text, requested) for text in rule.get("resources") or ())
    )


def _in_scope(scope: str, requested: RequestedResource) -> bool:
    of_cluster = requested.is_namespace or not requested.namespace
    return scope == ALL or of_cluster == (scope == "Cluster")


def _lists(items: Sequence[str] | None, wanted: str) -> bool:
    return any(item in (ALL, wanted) for item in items or ())


def _names(text: str, requested: RequestedResource) -> bool:
    resource, _, subresource = text.partition("/")
    return resource in (ALL, requested.resource) and subresource in (ALL, requested.subresource)
