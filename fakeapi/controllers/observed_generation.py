"""Sets observedGeneration in the pod statuses and conditions that controllers write.

Follows k8s.io/kubernetes `pkg/api/v1/pod`, such as CalculatePodStatusObservedGeneration. With the feature
gate PodObservedGenerationTracking, every status and condition has an observedGeneration. Without the gate,
only existing fields are updated.
"""

from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.releases.gates import Gates

FIELD = "observedGeneration"
GATE = "PodObservedGenerationTracking"


def tells_generation(gates: Gates, pod: Object) -> bool:
    """Whether the next status of the pod must have an observedGeneration."""
    return gates.enabled(GATE) or bool(pod["status"].get(FIELD))


def status_observed(gates: Gates, pod: Object, status: Object) -> Object:
    """Returns the status with the pod's generation as observedGeneration, if the release writes this field.

    Also sets the field in the conditions of the status.
    """
    observed = dict(status)
    if tells_generation(gates, pod):
        observed[FIELD] = _generation(pod)
    if "conditions" in status:
        observed["conditions"] = [
            condition_observed(gates, pod, condition) for condition in status["conditions"]
        ]
    return observed


def condition_observed(gates: Gates, pod: Object, condition: Object) -> Object:
    """Returns the condition with the pod's generation as observedGeneration.

    If the feature gate is disabled and the old condition has no observedGeneration, returns the condition
    unchanged.
    """
    if not gates.enabled(GATE):
        conditions = pod["status"].get("conditions") or ()
        if not any(other["type"] == condition["type"] and other.get(FIELD) for other in conditions):
            return condition
    return {**condition, FIELD: _generation(pod)}


def _generation(pod: Object) -> Any:
    return pod["metadata"].get("generation", 0)
