"""Builds the container statuses and the phase of a pod.

Follows convertToAPIContainerStatuses and getPhase in k8s.io/kubernetes `pkg/kubelet/kubelet_pods.go`.
"""

from fakeapi.controllers.kubelet.lifecycle.actions import restarts_after, should_restart
from fakeapi.controllers.kubelet.lifecycle.state import ContainerState, PodState, Run
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object

SCHEME = "fakeapi://"
"""The URL scheme of container IDs. The scheme names the container runtime."""


def container_statuses(state: PodState) -> dict[str, list[Object]]:
    """Returns the container statuses of a pod: lists by field name, such as containerStatuses."""
    has_init = bool(state.of("init", "sidecar"))
    reason = "PodInitializing" if has_init else "ContainerCreating"
    lists = {
        "initContainerStatuses": state.of("init", "sidecar"),
        "containerStatuses": state.of("main"),
        "ephemeralContainerStatuses": state.of("ephemeral"),
    }
    return {
        name: [_status(state, container, reason) for container in containers]
        for name, containers in lists.items()
        if containers
    }


def _status(state: PodState, container: ContainerState, reason: str) -> Object:
    run, last = container.current, container.previous
    waits = container.waiting is not None and should_restart(state.pod, container)
    if container.is_running and run is not None:
        current: Object = {"running": {"startedAt": times.now_text(run.started_at)}}
    elif waits and container.waiting is not None:
        why, message = container.waiting
        current = {"waiting": {"reason": why, **({"message": message} if message else {})}}
        last = run or last
    elif run is not None:
        current = {"terminated": _terminated(run)}
    else:
        current = {"waiting": {"reason": reason}}
    status = {
        "name": container.name,
        "image": container.spec["image"] if run is None else run.details.image,
        "imageID": "",
        "restartCount": 0 if run is None else run.details.attempt,
        "lastState": {} if last is None or last.exit is None else {"terminated": _terminated(last)},
        "ready": run is not None and _is_ready(container, run),
        "started": run is not None and run.is_running and run.is_started(),
        "state": current,
    }
    return status if run is None else {**status, "containerID": SCHEME + run.details.id}


def _is_ready(container: ContainerState, run: Run) -> bool:
    if container.role == "init":
        return run.exit is not None and run.exit.exit_code == 0
    return container.role != "ephemeral" and run.is_ready()


def _terminated(run: Run) -> Object:
    ended = run.exit
    assert ended is not None, "called for ended runs"
    terminated: Object = {
        "exitCode": ended.exit_code,
        "reason": ended.reason or ("Completed" if ended.exit_code == 0 else "Error"),
        "startedAt": times.now_text(run.started_at),
        "finishedAt": times.now_text(run.finished_at),
        "containerID": SCHEME + run.details.id,
    }
    optional = {"message": ended.message, "signal": ended.signal}
    return {**terminated, **{name: value for name, value in optional.items() if value}}


def phase_of(state: PodState, *, is_terminal: bool) -> str:
    """Returns the phase of a pod. `is_terminal`: whether its containers will not start again."""
    pod = state.pod
    for container in state.of("init"):
        run = container.current
        if run is None or run.is_running:
            if not state.has_regular_started:
                return "Pending"
        elif run.exit is not None and run.exit.exit_code:
            return "Pending" if restarts_after(pod, container.spec, run.exit.exit_code) else "Failed"
    sidecars = [each.current for each in state.of("sidecar")]
    if not state.has_regular_started and any(run is None or not run.is_started() for run in sidecars):
        return "Pending"
    runs = [container.current for container in state.of("main")]
    if any(run is None for run in runs):
        return "Pending"
    if any(run is not None and run.is_running for run in [*runs, *sidecars]):
        return "Running"
    if not is_terminal and any(should_restart(pod, container) for container in state.of("main")):
        return "Running"
    codes = [run.exit.exit_code for run in runs if run is not None and run.exit is not None]
    return "Failed" if any(codes) else "Succeeded"
