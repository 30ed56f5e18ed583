"""Validates the status of ReplicaSets and ReplicationControllers, and compares status counters.

Follows `ValidateReplicaSetStatus` of k8s.io/kubernetes `pkg/apis/apps/validation`, and the similar function
in `pkg/apis/core/validation`.
"""

from collections.abc import Iterable

from fakeapi.machinery.field_errors import FieldError, invalid
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.counters import validate_nonnegative_fields

_COUNTERS = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
)


def validate_replica_status(status: Object) -> list[FieldError]:
    """Validates the status of a ReplicaSet or a ReplicationController."""
    whole = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    return [
        *validate_nonnegative_fields(status, _COUNTERS, "status"),
        *validate_at_most(status, whole, "replicas", "cannot be greater than status.replicas"),
        *validate_at_most(
            status, ("availableReplicas",), "readyReplicas", "cannot be greater than readyReplicas"
        ),
    ]


def validate_at_most(
    status: Object, names: Iterable[str], most: str, problem: str, path: str = "status"
) -> list[FieldError]:
    """Returns an error for each status counter in `names` that is greater than the counter `most`.

    `problem`: the detail of the errors
    """
    limit = status.get(most) or 0
    counted = {name: status.get(name) or 0 for name in names}
    return [invalid(f"{path}.{name}", count, problem) for name, count in counted.items() if count > limit]


def validate_collision_count(new: Object, old: Object) -> list[FieldError]:
    """Returns an error if an update removes or decreases the collision count."""
    before, after = old.get("collisionCount"), new.get("collisionCount")
    if before is None or (after is not None and after >= before):
        return []
    return [invalid("status.collisionCount", after or 0, "cannot be decremented")]
