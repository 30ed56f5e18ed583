"""Warns about deprecated and ignored fields of a Service.

Follows `GetWarningsForService` of k8s.io/kubernetes `pkg/api/service`.
"""

from collections.abc import Iterator

from fakeapi.kinds.common.addresses import cidr_warnings, ip_warnings
from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.validation import TOPOLOGY_HINTS, TOPOLOGY_MODE
from fakeapi.machinery.json_types import Object
from fakeapi.releases.rules import ReleaseRules


def service_warnings(obj: Object, rules: ReleaseRules) -> list[str]:
    """Returns the texts of Warning headers for a Service."""
    return [*_of_annotations(obj), *_of_addresses(obj["spec"], rules), *_of_types(obj["spec"], rules)]


def _of_annotations(obj: Object) -> Iterator[str]:
    if TOPOLOGY_HINTS in (obj["metadata"].get("annotations") or {}):
        yield f"annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead"


def _of_addresses(spec: Object, rules: ReleaseRules) -> Iterator[str]:
    if spec.get("clusterIP") not in (None, "", specs.NONE):
        for index, ip in enumerate(specs.cluster_ips(spec)):
            yield from ip_warnings(ip, f"spec.clusterIPs[{index}]", rules)
    headless = specs.type_of(spec) == specs.CLUSTER_IP and spec.get("clusterIP") == specs.NONE
    if headless and rules.quirks.headless_services_are_warned_of:
        yield from _of_headless(spec)
    external = spec.get("externalIPs") or ()
    for index, ip in enumerate(external):
        yield from ip_warnings(ip, f"spec.externalIPs[{index}]", rules)
    reachable = not headless and specs.type_of(spec) != specs.EXTERNAL_NAME
    if external and reachable and rules.quirks.external_ips_are_deprecated:
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    if balancer := spec.get("loadBalancerIP"):
        yield from ip_warnings(balancer, "spec.loadBalancerIP", rules)
    for index, cidr in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        yield from cidr_warnings(cidr, f"spec.loadBalancerSourceRanges[{index}]", rules)


def _of_headless(spec: Object) -> Iterator[str]:
    if spec.get("loadBalancerIP"):
        yield "spec.loadBalancerIP is ignored for headless services"
    if spec.get("externalIPs"):
        yield "spec.externalIPs is ignored for headless services"
    if spec.get("sessionAffinity") != "None":
        yield "spec.SessionAffinity is ignored for headless services"


def _of_types(spec: Object, rules: ReleaseRules) -> Iterator[str]:
    named = specs.type_of(spec) == specs.EXTERNAL_NAME
    if rules.quirks.ignored_names_are_warned_of:
        if named and spec.get("externalIPs"):
            yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
        if not named and spec.get("externalName"):
            yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose" and rules.quirks.prefer_close_is_deprecated:
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'
