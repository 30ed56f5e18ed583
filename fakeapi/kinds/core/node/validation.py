"""Validates Nodes: pod CIDRs, resources, swap and declared features.

Follows `ValidateNode` of k8s.io/kubernetes `pkg/apis/core/validation`.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from fakeapi.kinds.common.addresses import CIDR_ERROR, validate_lenient_cidr
from fakeapi.kinds.common.numbers import validate_positive
from fakeapi.kinds.common.printing.texts import printed_strings
from fakeapi.kinds.common.resource_names import validate_resource_amount
from fakeapi.kinds.core.node.taints import validate_node_annotations, validate_taints
from fakeapi.machinery.field_errors import FieldError, duplicate, internal, invalid
from fakeapi.machinery.golang.ip_addresses import parse_cidr
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import DNS1123_SUBDOMAIN_MAX_LENGTH, byte_length, max_length_error
from fakeapi.releases.rules import ReleaseRules

NETWORKS_MAX: Final = 2
_is_feature = re.compile(r"[A-Z][A-Za-z0-9]*(?:/[A-Za-z][A-Za-z0-9]*)*").fullmatch
_FEATURE_FORM: Final = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature "
    "or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)


def validate_node(node: Object, rules: ReleaseRules) -> list[FieldError]:
    """Validates a Node: spec, status and annotations, but no other metadata."""
    spec, status = node["spec"], node["status"]
    errors = validate_node_annotations(node["metadata"].get("annotations") or {}, rules)
    if spec.get("taints"):
        errors += validate_taints(spec["taints"], "metadata.taints", rules)
    errors += validate_node_resources(status, rules)
    swap = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
    if swap is not None:
        errors += validate_positive(swap, "metadata.nodeSwapStatus.capacity")
    if rules.quirks.nodes_declare_features:
        errors += validate_declared_features(status.get("declaredFeatures") or ())
    return errors + validate_networks(spec.get("podCIDRs") or (), rules)


def validate_node_resources(status: Object, rules: ReleaseRules) -> list[FieldError]:
    return [
        error
        for part in ("capacity", "allocatable")
        for name, amount in (status.get(part) or {}).items()
        for error in validate_resource_amount(
            name,
            amount,
            f"status.{part}.{name}"
            if name
            else f"status.{part}[]",  # as Path.String of a path without a name
            rules.quirks.wording,
        )
    ]


def validate_networks(networks: Sequence[str], rules: ReleaseRules) -> list[FieldError]:
    """Validates the pod CIDRs of a Node: one CIDR, or one CIDR of each IP family."""
    path, errors = "spec.podCIDRs", list[FieldError]()
    for index, network in enumerate(networks):
        errors += _validate_network(network, networks, f"{path}[{index}]", rules)
    if len(networks) < NETWORKS_MAX:
        return errors
    parsed = [(network, parse_cidr(network)) for network in networks]
    broken = next((index for index, (_, cidr) in enumerate(parsed) if cidr is None), None)
    if broken is not None:
        why = f"invalid CIDR[{broken}]: <nil> (invalid CIDR address: {networks[broken]})"
        errors.append(internal(path, f"invalid PodCIDRs. failed to check with dual stack with error:{why}"))
    families = {cidr.address.family for _, cidr in parsed if cidr is not None}
    if broken is not None or len(families) < NETWORKS_MAX or len(networks) > NETWORKS_MAX:
        rule = "may specify no more than one CIDR for each IP family"
        errors.append(invalid(path, printed_strings(networks, rules.quirks.wording), rule))
    if rules.quirks.node_networks_must_differ:
        errors += [
            duplicate(f"{path}[{index}]", network)
            for index, network in enumerate(networks)
            if network in networks[:index]
        ]
    return errors


def _validate_network(
    network: str, networks: Sequence[str], path: str, rules: ReleaseRules
) -> list[FieldError]:
    if rules.quirks.node_network_errors_show_all and parse_cidr(network) is None:
        return [invalid(path, printed_strings(networks, rules.quirks.wording), "must be valid CIDR")]
    if not rules.quirks.node_networks_are_warned_about:
        return [] if parse_cidr(network) else [invalid(path, network, CIDR_ERROR)]
    return validate_lenient_cidr(network, path, rules)


def validate_declared_features(features: Sequence[str]) -> list[FieldError]:
    """Validates the names of a Node's declared features. The names must be sorted and unique."""
    path, errors = "status.declaredFeatures", list[FieldError]()
    for index, feature in enumerate(features):
        problem = _feature_problem(feature)
        if problem:
            errors.append(invalid(f"{path}[{index}]", feature, problem))
        errors += _validate_order(feature, features[index + 1 : index + 2], f"{path}[{index + 1}]")
    return errors


def _validate_order(feature: str, following: Sequence[Any], path: str) -> list[FieldError]:
    for after in following:
        if after == feature:
            return [duplicate(path, after)]
        if after < feature:
            return [invalid(path, after, "list must be sorted alphabetically")]
    return []


def _feature_problem(feature: str) -> str:
    if byte_length(feature) > DNS1123_SUBDOMAIN_MAX_LENGTH:
        return f"invalid feature name {quote(feature)}: {max_length_error(DNS1123_SUBDOMAIN_MAX_LENGTH)}"
    return "" if _is_feature(feature) else f"invalid feature name {quote(feature)}: {_FEATURE_FORM}"
