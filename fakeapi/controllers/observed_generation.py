"""Observed generations in the statuses and conditions of pods that controllers write.

Follows k8s.io/kubernetes `pkg/api/v1/pod` (CalculatePodStatusObservedGeneration and its like for
conditions): the gate PodObservedGenerationTracking asks for them, and one that is there already is kept up to
date without it.
"""

from typing import Any

from fakeapi.machinery.json_types import Object
from fakeapi.releases.gates import Gates

FIELD = "observedGeneration"
GATE = "PodObservedGenerationTracking"


def tells_generation(gates: Gates, pod: Object) -> bool:
    """Whether the pod's status has an observed generation when it is written."""
    return gates.enabled(GATE) or bool(pod["status"].get(FIELD))


def status_observed(gates: Gates, pod: Object, status: Object) -> Object:
    """The status with the generation of the pod that it is about, in itself and in its conditions."""
    found = dict(status)
    if tells_generation(gates, pod):
        found[FIELD] = _generation(pod)
    if "conditions" in status:
        found["conditions"] = [condition_observed(gates, pod, each) for each in status["conditions"]]
    return found


def condition_observed(gates: Gates, pod: Object, condition: Object) -> Object:
    """The condition with the generation of the pod that it is about."""
    if not gates.enabled(GATE):
        conditions = pod["status"].get("conditions") or ()
        if not any(each["type"] == condition["type"] and each.get(FIELD) for each in conditions):
            return condition
    return {**condition, FIELD: _generation(pod)}


def _generation(pod: Object) -> Any:
    return pod["metadata"].get("generation", 0)
