"""Decides which containers of a pod start and stop next.

Follows computePodActions and computeInitContainerActions in k8s.io/kubernetes `pkg/kubelet/kuberuntime`, and
ContainerShouldRestart in `pkg/api/v1/pod`.
"""

import msgspec

from fakeapi.controllers.kubelet.lifecycle.state import ContainerState, PodState
from fakeapi.machinery.json_types import Object


class Actions(msgspec.Struct):
    """The containers to start and to stop. `is_finished`: whether no container of the pod will run again."""

    start: list[ContainerState] = msgspec.field(default_factory=list)
    stop: list[ContainerState] = msgspec.field(default_factory=list)
    is_finished: bool = False


def next_actions(state: PodState) -> Actions:
    """Returns the containers of a pod to start and to stop next. The pod must not be terminating."""
    actions = Actions()
    actions.start += [each for each in state.of("ephemeral") if each.current is None]
    if not _initialize(state, actions):
        return actions
    kept = False
    for container in state.of("main"):
        if container.is_running:
            kept = True
            if _must_stop(container):
                actions.stop.append(container)
        elif should_restart(state.pod, container):
            kept = True
            actions.start.append(container)
    actions.is_finished = not kept
    if actions.is_finished:
        actions.start = [each for each in actions.start if each.role != "sidecar"]
    return actions


def _initialize(state: PodState, actions: Actions) -> bool:
    """Adds the actions for init containers; returns whether the main containers may start."""
    is_initialized = state.has_regular_started
    for container in state.of("init", "sidecar"):
        if container.role == "sidecar":
            if not container.is_running:
                actions.start.append(container)
            elif _must_stop(container):
                actions.stop.append(container)
            run = container.current
            if not is_initialized and (run is None or not run.is_running or not run.is_started()):
                return False
        elif not is_initialized:
            run = container.current
            if run is not None and run.exit is not None and run.exit.exit_code == 0:
                continue
            if run is None or not run.is_running:
                if run is None or should_restart(state.pod, container):
                    actions.start.append(container)
                else:
                    actions.is_finished = True
            return False
    return True


def _must_stop(container: ContainerState) -> bool:
    run = container.current
    return run is not None and run.stop is None and bool(run.failed_probe())


def should_restart(pod: Object, container: ContainerState) -> bool:
    """Whether a stopped or new container must be started."""
    run = container.current
    if run is None or run.exit is None or container.role == "sidecar":
        return True
    if container.role == "ephemeral":
        return False
    return restarts_after(pod, container.spec, run.exit.exit_code)


def restarts_after(pod: Object, spec: Object, exit_code: int) -> bool:
    """Whether the restart policies of the pod and the container restart the container after an exit code."""
    for rule in spec.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        is_listed = exit_code in (codes.get("values") or ())
        if is_listed == (codes.get("operator") == "In"):
            return True
    policy = spec.get("restartPolicy") or pod["spec"].get("restartPolicy", "Always")
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)
