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
    """Whether the next status of the pod must have an observedGeneration.

    True if the feature gate is enabled, or if the pod's present status has the field.
    """
    return gates.enabled(GATE) or bool(pod["status"].get(FIELD))


def status_observed(gates: Gates, pod: Object, status: Object) -> Object:
    """Returns the status, with observedGeneration set to the pod's generation.

    Also sets observedGeneration in the conditions of the status. Does not add the field if the release does
    not write it.
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
    """Returns the condition, with observedGeneration set to the pod's generation.

    Returns the condition unchanged if the feature gate is disabled, unless the old condition of this type has
    an observedGeneration.
    """
    if not gates.enabled(GATE):
        conditions = pod["status"].get("conditions") or ()
        if not any(other["type"] == condition["type"] and other.get(FIELD) for other in conditions):
            return condition
    return {**condition, FIELD: _generation(pod)}


def _generation(pod: Object) -> Any:
    return pod["metadata"].get("generation", 0)
