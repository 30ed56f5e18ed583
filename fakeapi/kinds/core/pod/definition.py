"""Defines the kind core/v1 Pod: strategies, subresources, table columns and field selectors."""

from collections.abc import Mapping
from typing import Any

from fakeapi.kinds.core.connections import POD_CONNECTIONS
from fakeapi.kinds.core.pod.binding import bind
from fakeapi.kinds.core.pod.cells import pod_cells, row_conditions
from fakeapi.kinds.core.pod.eviction import evict
from fakeapi.kinds.core.pod.strategies import (
    PodEphemeralContainersStrategy,
    PodResizeStrategy,
    PodStatusStrategy,
    PodStrategy,
)
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.field_selector import NOT_SUPPORTED
from fakeapi.registry.model.columns import fields_at
from fakeapi.registry.model.definition import KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.deletion_policies import delete_gracefully
from fakeapi.registry.model.field_labels import NAME, NAMESPACE, FieldLabels
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

_LABELS = (
    NAME,
    NAMESPACE,
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
)
HOST_NETWORK = "spec.hostNetwork"


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    strategies: dict[str, PodStrategy] = {
        "": PodStrategy(kind, rules, context),
        "status": PodStatusStrategy(kind, rules, context),
        "ephemeralcontainers": PodEphemeralContainersStrategy(kind, rules, context),
    }
    if kind.subresource("resize") is not None:
        strategies["resize"] = PodResizeStrategy(kind, rules, context)
    return strategies


def _field_labels(kind: Kind) -> FieldLabels:
    """Returns the fields that field selectors of pods can use.

    From 1.28 on, the fields include `spec.hostNetwork`. The function recognizes these releases by the field
    `restartPolicy` of containers.
    """
    container = fields_at(kind.schema, "spec")["containers"].node.items
    labels = (*_LABELS, HOST_NETWORK) if "restartPolicy" in container.fields else _LABELS
    return FieldLabels(
        labels, NOT_SUPPORTED, _fields, indexed="spec.nodeName", older={"spec.host": "spec.nodeName"}
    )


def _fields(pod: dict[str, Any]) -> Mapping[str, str]:
    """Returns the values of a pod for field selectors. Like upstream, `status.podIPs` is always empty."""
    spec, status = pod["spec"], pod["status"]
    addresses = status.get("podIPs") or [{}]
    return {
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.restartPolicy": spec.get("restartPolicy", ""),
        "spec.schedulerName": spec.get("schedulerName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        HOST_NETWORK: "true" if spec.get("hostNetwork") else "false",
        "status.phase": status.get("phase", ""),
        "status.podIP": addresses[0].get("ip", ""),
        "status.nominatedNodeName": status.get("nominatedNodeName", ""),
    }


def grace_period(pod: Object, asked: int | None) -> int:
    """Returns the grace period of a delete in seconds; 0 for pods that have no node or have finished.

    `asked`: the period in the request; None for the pod's terminationGracePeriodSeconds. A negative period
    becomes 1. Follows CheckGracefulDelete of k8s.io/kubernetes `pkg/registry/core/pod/strategy.go`.
    """
    if not pod["spec"].get("nodeName") or pod["status"].get("phase") in ("Failed", "Succeeded"):
        return 0
    period = pod["spec"].get("terminationGracePeriodSeconds", 0) if asked is None else asked
    return 1 if period < 0 else period


POD = KindDefinition(
    group="",
    resource="pods",
    strategies=_strategies,
    field_labels=_field_labels,
    cells=pod_cells,
    row_conditions=row_conditions,
    deletion=delete_gracefully(grace_period),
    actions={"binding": bind, "eviction": evict},
    body_versions={"eviction": frozenset(("policy/v1beta1",))},
    connections=POD_CONNECTIONS,
    table_subresources=frozenset(("status",)),
)
