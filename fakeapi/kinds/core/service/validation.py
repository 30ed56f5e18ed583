"""Validates Services.

Follows `ValidateServiceCreate`, `ValidateServiceUpdate` and `ValidateLoadBalancerStatus` of k8s.io/kubernetes
`pkg/apis/core/validation`.
"""

from collections.abc import Callable
from typing import Final

from fakeapi.kinds.common.addresses import (
    validate_endpoint_ip,
    validate_lenient_cidr,
    validate_lenient_ip,
)
from fakeapi.kinds.common.invalid_texts import (
    each_invalid,
    validate_dns_label,
    validate_qualified_name,
)
from fakeapi.kinds.common.load_balancers import validate_address, validate_host_name
from fakeapi.kinds.common.ports import PROTOCOLS, validate_port, validate_port_number
from fakeapi.kinds.common.printing.values import printed_plain, printed_struct
from fakeapi.kinds.core.service import spec as specs
from fakeapi.kinds.core.service.cluster_ip_validation import (
    validate_cluster_ip_change,
    validate_cluster_ips,
    validate_family_change,
)
from fakeapi.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from fakeapi.machinery.golang.ip_addresses import parse_cidr
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import names
from fakeapi.machinery.meta.object_meta import validate_labels
from fakeapi.releases.rules import ReleaseRules

TOPOLOGY_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
TOPOLOGY_MODE: Final = "service.kubernetes.io/topology-mode"
SOURCE_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
AFFINITY_SECONDS_MAX: Final = 86400
KUBELET_PORT: Final = 10250
NODE_GATE: Final = "PreferSameTrafficDistribution"

_TYPES = (specs.CLUSTER_IP, specs.EXTERNAL_NAME, specs.LOAD_BALANCER, specs.NODE_PORT)
_AFFINITIES = ("ClientIP", "None")
_TRAFFIC_POLICIES = ("Cluster", "Local")
_IP_MODES = ("Proxy", "VIP")
_CLOSE, _NEARER = ("PreferClose",), ("PreferClose", "PreferSameZone", "PreferSameNode")
_ONLY_LOAD_BALANCERS = "may only be used when `type` is 'LoadBalancer'"
_RANGES_ERROR = "must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 "

_Check = Callable[[Object, Object | None, ReleaseRules], list[FieldError]]


def validate_service(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Validates a Service except its metadata. An update may keep invalid addresses of the stored Service.

    `old`: the stored Service; None on create
    """
    return [error for check in _CHECKS for error in check(obj, old, rules)]


def validate_service_change(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates the changes that an update of a Service makes.

    Does not validate the new Service itself; `validate_service` does.
    """
    spec, before = new["spec"], old["spec"]
    errors = validate_cluster_ip_change(spec, before, rules) + validate_family_change(spec, before, rules)
    balanced = specs.type_of(spec) == specs.type_of(before) == specs.LOAD_BALANCER
    name = spec.get("loadBalancerClass")
    if balanced and name != before.get("loadBalancerClass"):
        printed = printed_plain(name, rules.quirks.wording)
        errors.append(invalid("spec.loadBalancerClass", printed, "may not change once set"))
    errors += _validate_load_balancer_class(new, old, rules)
    checked = specs.needs_health_check(before) and specs.needs_health_check(spec)
    if checked and spec.get("healthCheckNodePort", 0) != before.get("healthCheckNodePort", 0):
        errors.append(forbidden("spec.healthCheckNodePort", "field is immutable"))
    return errors


def validate_service_status(new: Object, old: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates the ingress points of the load balancer in the status of a Service."""
    path = "status.loadBalancer.ingress"
    points = (new["status"].get("loadBalancer") or {}).get("ingress") or ()
    before = (old["status"].get("loadBalancer") or {}).get("ingress") or ()
    anyone = rules.quirks.any_service_has_balancer_status or rules.gates.enabled(
        "AllowServiceLBStatusOnNonLB"
    )
    if points and not anyone and specs.type_of(new["spec"]) != specs.LOAD_BALANCER:
        return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
    errors: list[FieldError] = []
    for index, point in enumerate(points):
        here = f"{path}[{index}]"
        errors += validate_address(point, before, here, rules)
        errors += _validate_mode(point, here, rules)
        errors += validate_host_name(point, here)
    return errors


def _validate_mode(point: Object, path: str, rules: ReleaseRules) -> list[FieldError]:
    mode = point.get("ipMode")
    if mode is None:
        needs = rules.gates.enabled("LoadBalancerIPMode") and point.get("ip")
        return [required(f"{path}.ipMode", "must be specified when `ip` is set")] if needs else []
    if not point.get("ip"):
        return [forbidden(f"{path}.ipMode", "may not be specified when `ip` is not set")]
    if mode not in _IP_MODES:
        return [not_supported(f"{path}.ipMode", printed_plain(mode, rules.quirks.wording), _IP_MODES)]
    return []


def _validate_topology(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    annotations = obj["metadata"].get("annotations") or {}
    if not {TOPOLOGY_HINTS, TOPOLOGY_MODE} <= set(annotations):
        return []
    hints, mode = annotations[TOPOLOGY_HINTS], annotations[TOPOLOGY_MODE]
    problem = f"must match annotations[{TOPOLOGY_HINTS}] when both are specified"
    path = f"metadata.annotations[{TOPOLOGY_MODE}]"
    return [] if hints == mode else [invalid(path, mode, problem)]


def _validate_type_needs(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    spec = obj["spec"]
    kind, headless = specs.type_of(spec), specs.is_headless(spec)
    errors: list[FieldError] = []
    if not specs.ports_of(spec) and not headless and kind != specs.EXTERNAL_NAME:
        errors.append(required("spec.ports"))
    if kind == specs.LOAD_BALANCER and rules.quirks.load_balancers_spare_kubelets:
        problem = f"may not expose port {KUBELET_PORT} externally since it is used by kubelet"
        errors += [
            invalid(f"spec.ports[{index}]", KUBELET_PORT, problem)
            for index, port in enumerate(specs.ports_of(spec))
            if port.get("port") == KUBELET_PORT
        ]
    if specs.has_node_ports(spec) and headless:
        problem = f"may not be set to 'None' for {kind} services"
        errors.append(invalid("spec.clusterIPs[0]", specs.NONE, problem))
    if kind != specs.EXTERNAL_NAME:
        return errors
    errors += [
        forbidden(f"spec.{name}", "may not be set for ExternalName services")
        for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy")
        if spec.get(name)
    ]
    host = spec.get("externalName", "").removesuffix(".")
    if not host:
        return [*errors, required("spec.externalName")]
    return errors + each_invalid("spec.externalName", host, names.is_dns1123_subdomain(host))


def _validate_ports(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    ports = specs.ports_of(obj["spec"])
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path, name, protocol = f"spec.ports[{index}]", port.get("name", ""), port.get("protocol", "")
        if name:
            errors += validate_dns_label(name, f"{path}.name")
            if name in seen:
                errors.append(duplicate(f"{path}.name", name))
            seen.add(name)
        elif len(ports) > 1:
            errors.append(required(f"{path}.name"))
        errors += validate_port_number(port.get("port", 0), f"{path}.port")
        if not protocol:
            errors.append(required(f"{path}.protocol"))
        elif protocol not in PROTOCOLS:
            errors.append(not_supported(f"{path}.protocol", protocol, PROTOCOLS))
        errors += validate_port(port.get("targetPort", 0), f"{path}.targetPort")
        if (application := port.get("appProtocol")) is not None:
            errors += validate_qualified_name(application, f"{path}.appProtocol", rules.quirks.wording)
    return errors


def _validate_selector(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    selector = obj["spec"].get("selector") or {}
    return validate_labels(selector, "spec.selector", rules.quirks.wording)


def _validate_affinity(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    spec = obj["spec"]
    affinity, config = spec.get("sessionAffinity", ""), spec.get("sessionAffinityConfig")
    path = "spec.sessionAffinityConfig"
    if not affinity:
        return [required("spec.sessionAffinity")]
    if affinity not in _AFFINITIES:
        return [not_supported("spec.sessionAffinity", affinity, _AFFINITIES)]
    if affinity == "None":
        problem = "must not be set when session affinity is None"
        return [] if config is None else [forbidden(path, problem)]
    for name in ("", ".clientIP", ".clientIP.timeoutSeconds"):
        if name:
            config = config.get(name.rpartition(".")[2])
        if config is None:
            return [required(f"{path}{name}", "when session affinity type is ClientIP")]
    if 0 < config <= AFFINITY_SECONDS_MAX:
        return []
    problem = f"must be greater than 0 and less than {AFFINITY_SECONDS_MAX}"
    return [invalid(f"{path}.clientIP.timeoutSeconds", config, problem)]


def _validate_cluster_ips(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    return validate_cluster_ips(obj["spec"], None if old is None else old["spec"], rules)


def _validate_external_ips(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    kept = [] if old is None else old["spec"].get("externalIPs") or []
    errors: list[FieldError] = []
    for index, ip in enumerate(obj["spec"].get("externalIPs") or ()):
        path = f"spec.externalIPs[{index}]"
        errors += validate_lenient_ip(ip, path, rules, kept) or validate_endpoint_ip(ip, path)
    return errors


def _validate_type(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    kind = specs.type_of(obj["spec"])
    if not kind:
        return [required("spec.type")]
    return [] if kind in _TYPES else [not_supported("spec.type", kind, _TYPES)]


def _validate_port_numbers(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    """Returns errors for node ports of ClusterIP services, and for duplicate ports and node ports."""
    ports, errors = specs.ports_of(obj["spec"]), []
    for index, port in enumerate(ports):
        if specs.type_of(obj["spec"]) == specs.CLUSTER_IP and port.get("nodePort"):
            path = f"spec.ports[{index}].nodePort"
            errors.append(forbidden(path, "may not be used when `type` is 'ClusterIP'"))
    for name in ("nodePort", "port"):
        seen = set()
        for index, port in enumerate(ports):
            number, protocol = port.get(name, 0), port.get("protocol", "")
            if name == "nodePort" and not number:
                continue
            if (protocol, number) in seen:
                path = f"spec.ports[{index}]"
                if name == "nodePort":
                    errors.append(duplicate(f"{path}.nodePort", number))
                else:
                    key = {"protocol": protocol, "port": number}
                    errors.append(duplicate(path, printed_struct(key, "core/v1.ServicePort", rules)))
            seen.add((protocol, number))
    return errors


def _validate_source_ranges(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    ranges = obj["spec"].get("loadBalancerSourceRanges") or ()
    text = (obj["metadata"].get("annotations") or {}).get(SOURCE_RANGES)
    path = "spec.LoadBalancerSourceRanges" if ranges else f"metadata.annotations[{SOURCE_RANGES}]"
    if not ranges and text is None:
        return []
    errors: list[FieldError] = []
    if specs.type_of(obj["spec"]) != specs.LOAD_BALANCER:
        errors.append(forbidden(path, _ONLY_LOAD_BALANCERS))
    if rules.quirks.source_ranges_are_checked_together:
        return errors + _validate_joined_ranges(ranges, text, path)
    if ranges:
        before = [] if old is None else old["spec"].get("loadBalancerSourceRanges") or []
        kept = [cidr.strip() for cidr in before]
        for index, cidr_text in enumerate(ranges):
            errors += validate_lenient_cidr(cidr_text.strip(), f"{path}[{index}]", rules, kept)
        return errors
    before_text = None if old is None else (old["metadata"].get("annotations") or {}).get(SOURCE_RANGES)
    if rules.quirks.stored_endpoints_are_trusted and text == before_text:
        return errors
    for cidr_text in text.strip().split(",") if text and text.strip() else ():
        errors += validate_lenient_cidr(cidr_text.strip(), path, rules)
    return errors


def _validate_joined_ranges(ranges: object, text: str | None, path: str) -> list[FieldError]:
    """Validates the allowed source ranges of a load balancer. Returns at most one error.

    - `ranges`: the field loadBalancerSourceRanges; if it is empty, validates the annotation instead
    - `text`: the annotation; None and an empty string are valid
    """
    if isinstance(ranges, list) and ranges:
        parts, printed = ranges, f"[{' '.join(ranges)}]"
    else:
        printed = text or ""
        parts = printed.strip().split(",") if printed.strip() else []
    if all(parse_cidr(part.strip()) for part in parts):
        return []
    return [invalid(path, printed, _RANGES_ERROR)]


def _validate_allocation_choice(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    spec = obj["spec"]
    chosen, balanced = spec.get("allocateLoadBalancerNodePorts"), specs.type_of(spec) == specs.LOAD_BALANCER
    if chosen is not None and not balanced:
        return [forbidden("spec.allocateLoadBalancerNodePorts", _ONLY_LOAD_BALANCERS)]
    return [required("allocateLoadBalancerNodePorts")] if balanced and chosen is None else []


def _validate_load_balancer_class(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    name = obj["spec"].get("loadBalancerClass")
    if name is None:
        return []
    if specs.type_of(obj["spec"]) != specs.LOAD_BALANCER:
        return [forbidden("spec.loadBalancerClass", _ONLY_LOAD_BALANCERS)]
    return validate_qualified_name(name, "spec.loadBalancerClass", rules.quirks.wording)


def _validate_external_traffic(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    spec, path = obj["spec"], "spec.externalTrafficPolicy"
    policy, check_port = spec.get("externalTrafficPolicy", ""), spec.get("healthCheckNodePort", 0)
    wider = rules.quirks.external_ips_have_traffic_policy
    errors: list[FieldError] = []
    if not (specs.is_externally_accessible(spec) if wider else specs.has_node_ports(spec)):
        if policy:
            for_whom = "for externally-accessible services" if wider else _NODE_PORT_TYPES
            errors.append(invalid(path, policy, f"may only be set {for_whom}"))
    elif not policy:
        errors.append(required(path))
    elif policy not in _TRAFFIC_POLICIES:
        errors.append(not_supported(path, policy, _TRAFFIC_POLICIES))
    path = "spec.healthCheckNodePort"
    if specs.needs_health_check(spec):
        return errors + (validate_port_number(check_port, path) if check_port else [required(path)])
    if check_port:
        problem = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        errors.append(invalid(path, check_port, problem))
    return errors


_NODE_PORT_TYPES = "when `type` is 'NodePort' or 'LoadBalancer'"


def _validate_internal_traffic(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    policy, path = obj["spec"].get("internalTrafficPolicy"), "spec.internalTrafficPolicy"
    if policy is None:
        kind = specs.type_of(obj["spec"])
        return [required(path)] if kind in _TYPES and kind != specs.EXTERNAL_NAME else []
    return [] if policy in _TRAFFIC_POLICIES else [not_supported(path, policy, _TRAFFIC_POLICIES)]


def _validate_distribution(obj: Object, old: Object | None, rules: ReleaseRules) -> list[FieldError]:
    chosen = obj["spec"].get("trafficDistribution")
    supported = _NEARER if rules.gates.enabled(NODE_GATE) else _CLOSE
    if chosen is None or chosen in supported:
        return []
    return [not_supported("spec.trafficDistribution", chosen, supported)]


_CHECKS: tuple[_Check, ...] = (
    _validate_topology,
    _validate_type_needs,
    _validate_ports,
    _validate_selector,
    _validate_affinity,
    _validate_cluster_ips,
    _validate_external_ips,
    _validate_type,
    _validate_port_numbers,
    _validate_source_ranges,
    _validate_allocation_choice,
    _validate_load_balancer_class,
    _validate_external_traffic,
    _validate_internal_traffic,
    _validate_distribution,
)
"""The validation functions of a Service, in the order of their errors."""
