"""Validates readiness gates and scheduling gates of pods.

Follows `validateReadinessGates`, `validateSchedulingGates` and `validateOnlyDeletedSchedulingGates` of
k8s.io/kubernetes `pkg/apis/core/validation`.
"""

from collections.abc import Sequence

from fakeapi.kinds.common.invalid_texts import validate_qualified_name
from fakeapi.kinds.core.pod.validation.checks import Errors, PodChecks
from fakeapi.machinery.field_errors import duplicate, forbidden
from fakeapi.machinery.json_types import Object


def gate_errors(spec: Object, path: str, checks: PodChecks) -> Errors:
    """Validates readiness gates and scheduling gates of a pod. `path`: the path of the pod's spec."""
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        place = f"{path}.readinessGates[{index}].conditionType"
        yield from validate_qualified_name(gate.get("conditionType", ""), place, checks.wording)
    seen: set[str] = set()
    for index, gate in enumerate(spec.get("schedulingGates") or ()):
        place, name = f"{path}.schedulingGates[{index}]", gate.get("name", "")
        yield from validate_qualified_name(name, place, checks.wording)
        if name in seen:
            yield duplicate(place, name)
        seen.add(name)


def added_gate_errors(new: Sequence[Object], old: Sequence[Object], path: str) -> Errors:
    """Yields an error for each scheduling gate that an update adds. Updates can only remove gates."""
    before = {gate.get("name", "") for gate in old}
    added = {gate.get("name", ""): index for index, gate in enumerate(new)}
    for name, index in added.items():
        if name not in before:
            rule = f"only deletion is allowed, but found new scheduling gate '{name}'"
            yield forbidden(f"{path}[{index}].name", rule)
