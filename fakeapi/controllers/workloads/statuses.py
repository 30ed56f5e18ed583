"""Compares and changes the statuses of workloads."""

from typing import Any

from fakeapi.machinery.json_types import Object

TERMINATING_GATE = "DeploymentReplicaSetTerminatingReplicas"
"""The feature gate of the field terminatingReplicas in the statuses of Deployments and ReplicaSets."""

_EMPTY: tuple[Any, ...] = (None, 0, "", [], {})


def is_same_status(one: Object, other: Object) -> bool:
    """Whether two statuses are equal. Ignores fields with zero values, because JSON omits them."""
    return _without_zeros(one) == _without_zeros(other)


def _without_zeros(status: Object) -> Object:
    return {name: value for name, value in status.items() if value not in _EMPTY}


def without_condition(conditions: list[Object], kind: str) -> list[Object]:
    """Returns the conditions without the condition of this type."""
    return [each for each in conditions if each["type"] != kind]
