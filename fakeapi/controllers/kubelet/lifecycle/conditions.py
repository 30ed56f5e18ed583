"""Builds the conditions of a pod that the kubelet owns.

Follows k8s.io/kubernetes `pkg/kubelet/status/generate.go`.
"""

from collections.abc import Iterable, Iterator

import msgspec

from fakeapi.controllers.kubelet.lifecycle.state import PodState
from fakeapi.controllers.workloads.pods import ENDED
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object


class Condition(msgspec.Struct, frozen=True):
    type: str
    is_true: bool
    reason: str = ""
    message: str = ""


def conditions_of(state: PodState, statuses: dict[str, list[Object]], phase: str) -> Iterator[Condition]:
    """Yields the conditions of a pod, in the order in which the kubelet writes them.

    `statuses`: the result of `container_statuses`.
    """
    is_over = phase in ENDED
    yield Condition("PodReadyToStartContainers", state.is_set_up and not is_over)
    yield _initialized(state, statuses, phase)
    ready = _containers_ready(state, statuses, phase)
    gates = list(_closed_gates(state.pod)) if ready.is_true else []
    if gates:
        yield Condition("Ready", is_true=False, reason="ReadinessGatesNotReady", message=", ".join(gates))
    else:
        yield Condition("Ready", ready.is_true, ready.reason, ready.message)
    yield ready
    yield Condition("PodScheduled", is_true=True)


def _initialized(state: PodState, statuses: dict[str, list[Object]], phase: str) -> Condition:
    if phase == "Succeeded":
        return Condition("Initialized", is_true=True, reason="PodCompleted")
    if state.has_regular_started:
        return Condition("Initialized", is_true=True)
    by_name = {status["name"]: status for status in statuses.get("initContainerStatuses", ())}
    incomplete = [
        container.name
        for container in state.of("init", "sidecar")
        if not by_name[container.name]["started" if container.role == "sidecar" else "ready"]
    ]
    if incomplete:
        message = f"containers with incomplete status: {_listed(incomplete)}"
        return Condition("Initialized", is_true=False, reason="ContainersNotInitialized", message=message)
    return Condition("Initialized", is_true=True)


def _containers_ready(state: PodState, statuses: dict[str, list[Object]], phase: str) -> Condition:
    over = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}
    if phase in over:
        return Condition("ContainersReady", is_true=False, reason=over[phase])
    sidecars = {container.name for container in state.of("sidecar")}
    init = [each for each in statuses.get("initContainerStatuses", ()) if each["name"] in sidecars]
    unready = [each["name"] for each in [*init, *statuses["containerStatuses"]] if not each["ready"]]
    if unready:
        message = f"containers with unready status: {_listed(unready)}"
        return Condition("ContainersReady", is_true=False, reason="ContainersNotReady", message=message)
    return Condition("ContainersReady", is_true=True)


def _closed_gates(pod: Object) -> Iterator[str]:
    known = {each["type"]: each["status"] for each in pod["status"].get("conditions") or ()}
    for gate in pod["spec"].get("readinessGates") or ():
        kind = gate["conditionType"]
        if kind not in known:
            yield f"corresponding condition of pod readiness gate {quote(kind)} does not exist."
        elif known[kind] != "True":
            yield f'the status of pod readiness gate {quote(kind)} is not "True", but {known[kind]}'


def _listed(names: Iterable[str]) -> str:
    return f"[{' '.join(names)}]"
