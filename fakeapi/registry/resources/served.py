"""Which rules each served kind follows."""

from collections.abc import Callable, Mapping

from fakeapi.registry.resources import claims_v1alpha2, claims_v1alpha3, namespaces
from fakeapi.registry.resources.rules import rules_of
from fakeapi.registry.strategy import Strategy
from fakeapi.releases import Kind, Release

NamespaceLabels = Callable[[str], Mapping[str, str] | None]
"""The labels of a namespace; None where there is none of that name."""


def strategies_of(kind: Kind, release: Release, namespace_labels: NamespaceLabels) -> dict[str, Strategy]:
    """The strategies of a kind by subresource, "" being itself. Raises KeyError for one without rules."""
    if kind.resource == "namespaces":
        return {"": namespaces.NamespaceStrategy(), "status": namespaces.NamespaceStatusStrategy()}
    rules = rules_of(release)
    if kind.resource == "resourceclaims" and kind.version == "v1alpha2":
        return {
            "": claims_v1alpha2.ClaimStrategy(rules),
            "status": claims_v1alpha2.ClaimStatusStrategy(rules),
        }
    if kind.resource == "resourceclaims":
        return {
            "": claims_v1alpha3.ClaimStrategy(rules, namespace_labels),
            "status": claims_v1alpha3.ClaimStatusStrategy(rules, namespace_labels),
        }
    raise KeyError(kind.resource)
