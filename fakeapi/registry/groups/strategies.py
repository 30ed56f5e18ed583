"""Which rules each served kind follows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fakeapi.registry.groups.core import namespace
from fakeapi.registry.groups.resource_k8s_io import claim, resource_slice
from fakeapi.registry.groups.resource_k8s_io.claim_template import (
    ClaimTemplateStrategy,
    ClaimTemplateV1Alpha2Strategy,
)
from fakeapi.registry.groups.resource_k8s_io.device_class import DeviceClassStrategy
from fakeapi.registry.groups.resource_k8s_io.device_taint_rule import DeviceTaintRuleStrategy
from fakeapi.registry.groups.resource_k8s_io.legacy_v1alpha2 import claim as claims_v1alpha2
from fakeapi.registry.groups.resource_k8s_io.legacy_v1alpha2 import resource_slice as slices_v1alpha2
from fakeapi.registry.groups.resource_k8s_io.legacy_v1alpha2.parameters import (
    ClaimParametersStrategy,
    ClassParametersStrategy,
)
from fakeapi.registry.groups.resource_k8s_io.legacy_v1alpha2.resource_class import ResourceClassStrategy
from fakeapi.registry.groups.resource_k8s_io.scheduling_context import (
    PodSchedulingContextStatusStrategy,
    PodSchedulingContextStrategy,
)
from fakeapi.registry.groups.resource_k8s_io.validation.cel_selectors import (
    device_compiler,
    named_resources_compiler,
)
from fakeapi.registry.strategy import Strategy
from fakeapi.releases import Kind, Release
from fakeapi.releases.rules import ReleaseRules, rules_of

Strategies = dict[str, Strategy]
"""By subresource, "" being the resource itself."""


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """What strategies ask of the server that they are part of.

    `namespace_labels`: of a namespace by name, None where there is none. `now`: the present in RFC 3339,
    UTC, whole seconds.
    """

    namespace_labels: Callable[[str], Mapping[str, str] | None]
    now: Callable[[], str]


def strategies_of(kind: Kind, release: Release, around: StrategyContext) -> Strategies:
    """The strategies of a kind. Raises KeyError for a kind without rules."""
    if kind.resource == "namespaces":
        return {
            "": namespace.NamespaceStrategy(),
            "status": namespace.NamespaceStatusStrategy(),
            "finalize": namespace.NamespaceFinalizeStrategy(),
        }
    rules = rules_of(release)
    if kind.version == "v1alpha2":
        return _v1alpha2(kind.resource, rules, around)
    return _v1alpha3(kind, rules, around)


def _v1alpha2(resource: str, rules: ReleaseRules, around: StrategyContext) -> Strategies:
    match resource:
        case "resourceclaims":
            return {
                "": claims_v1alpha2.ClaimStrategy(rules),
                "status": claims_v1alpha2.ClaimStatusStrategy(rules),
            }
        case "resourceclaimtemplates":
            return {"": ClaimTemplateV1Alpha2Strategy(rules)}
        case "resourceclasses":
            return {"": ResourceClassStrategy(rules)}
        case "podschedulingcontexts":
            return _scheduling_contexts(rules, duplicates_only=True)
        case "resourceclaimparameters":
            return {"": ClaimParametersStrategy(rules, named_resources_compiler(rules.quirks, rules.limits))}
        case "resourceclassparameters":
            return {"": ClassParametersStrategy(rules, named_resources_compiler(rules.quirks, rules.limits))}
        case "resourceslices":
            return {"": slices_v1alpha2.ResourceSliceStrategy(rules)}
        case _:
            raise KeyError(resource)


def _v1alpha3(kind: Kind, rules: ReleaseRules, around: StrategyContext) -> Strategies:
    exact = kind.version == "v1beta2"
    labels, check_cel = around.namespace_labels, device_compiler(rules.quirks, rules.limits)
    match kind.resource:
        case "resourceclaims":
            return {
                "": claim.ClaimStrategy(rules, labels, check_cel, exact=exact),
                "status": claim.ClaimStatusStrategy(rules, labels, check_cel, exact=exact),
            }
        case "resourceclaimtemplates":
            return {"": ClaimTemplateStrategy(rules, labels, check_cel, exact=exact)}
        case "deviceclasses":
            return {"": DeviceClassStrategy(rules, check_cel)}
        case "resourceslices":
            return {"": resource_slice.ResourceSliceStrategy(rules, around.now, flat=exact)}
        case "podschedulingcontexts":
            return _scheduling_contexts(rules, duplicates_only=False)
        case "devicetaintrules":
            return {"": DeviceTaintRuleStrategy(rules, around.now, check_cel)}
        case _:
            raise KeyError(kind.resource)


def _scheduling_contexts(rules: ReleaseRules, *, duplicates_only: bool) -> Strategies:
    return {
        "": PodSchedulingContextStrategy(rules, duplicates_only=duplicates_only),
        "status": PodSchedulingContextStatusStrategy(rules, duplicates_only=duplicates_only),
    }
