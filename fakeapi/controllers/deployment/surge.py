"""Computes maxSurge and maxUnavailable of a Deployment as numbers of pods.

Follows ResolveFenceposts, MaxSurge and MaxUnavailable of k8s.io/kubernetes `pkg/controller/deployment/util`.
"""

from typing import Any

from fakeapi.controllers.workloads.counts import scaled
from fakeapi.machinery.json_types import Object


def replicas_of(obj: Object) -> int:
    """Returns `spec.replicas` of a Deployment or a ReplicaSet."""
    return int(obj["spec"].get("replicas", 1))


def is_rolling(deployment: Object) -> bool:
    return bool(deployment["spec"]["strategy"].get("type") == "RollingUpdate")


def _rolling_value(deployment: Object, field: str) -> Any:
    return (deployment["spec"]["strategy"].get("rollingUpdate") or {}).get(field)


def fenceposts(deployment: Object) -> tuple[int, int]:
    """Returns (maxSurge, maxUnavailable) of a Deployment as numbers of pods.

    If both are 0, maxUnavailable is 1.
    """
    replicas = replicas_of(deployment)
    surge = scaled(_rolling_value(deployment, "maxSurge"), replicas, up=True)
    unavailable = scaled(_rolling_value(deployment, "maxUnavailable"), replicas, up=False)
    return (surge, unavailable) if surge or unavailable else (0, 1)


def max_surge(deployment: Object) -> int:
    return fenceposts(deployment)[0] if is_rolling(deployment) else 0


def max_unavailable(deployment: Object) -> int:
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or not replicas:
        return 0
    return min(fenceposts(deployment)[1], replicas)
