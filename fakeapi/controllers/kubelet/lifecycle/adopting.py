"""Restores the state of a pod from its status after a restart of the kubelet.

The container runtimes report which containers still run. An unknown container has ended with the reason
ContainerStatusUnknown, as in k8s.io/kubernetes `pkg/kubelet`.
"""

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.kubelet.containers.runtime import ContainerExit
from fakeapi.controllers.kubelet.containers.runtimes import Runtimes
from fakeapi.controllers.kubelet.lifecycle.backoff import BackOffLimits
from fakeapi.controllers.kubelet.lifecycle.probing import Prober
from fakeapi.controllers.kubelet.lifecycle.starting import Starter
from fakeapi.controllers.kubelet.lifecycle.state import ContainerState, PodState, Run
from fakeapi.machinery.golang.times import seconds_of
from fakeapi.machinery.json_types import Object

_LISTS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_LOST = ContainerExit(
    137,
    "ContainerStatusUnknown",
    "The container could not be located when the pod was terminated",
)


class Adopter:
    """Restores the states of the pods of one node."""

    def __init__(
        self, context: ControllerContext, runtimes: Runtimes, starter: Starter, prober: Prober
    ) -> None:
        self._clock = context.clock
        self._runtimes = runtimes
        self._starter = starter
        self._prober = prober

    async def adopt(self, pod: Object, limits: BackOffLimits) -> PodState:
        """Returns the state of a pod that the kubelet syncs for the first time since its start."""
        state = PodState(pod, limits)
        for name in _LISTS:
            for status in pod["status"].get(name) or ():
                container = state.containers.get(status["name"])
                if container is not None:
                    await self._restore(state, container, status)
        state.is_set_up = state.has_run
        return state

    async def _restore(self, state: PodState, container: ContainerState, status: Object) -> None:
        attempt = status.get("restartCount", 0)
        current, last = status.get("state") or {}, (status.get("lastState") or {}).get("terminated")
        if "running" in current:
            container.current = await self._running(state, container, status, attempt)
            if last:
                container.previous = self._ended(state, container, last, attempt - 1)
        elif current.get("terminated"):
            container.current = self._ended(state, container, current["terminated"], attempt)
            if last:
                container.previous = self._ended(state, container, last, attempt - 1)
        elif last:
            container.current = self._ended(state, container, last, attempt)

    async def _running(self, state: PodState, container: ContainerState, status: Object, attempt: int) -> Run:
        run = self._run(state, container, status["state"]["running"].get("startedAt"), attempt)
        run.details = await self._starter.resolved(run.details)
        runtime = self._runtimes.of(run.details)
        run.container = await runtime.resume(run.details, run.started_at, self._starter.on_exit(state, run))
        if run.container is None:
            run.exit, run.finished_at = _LOST, self._clock.now()
            return run
        self._prober.begin(container, run)
        for kind in ("startup", "readiness"):
            if kind in run.probes and status.get("started" if kind == "startup" else "ready"):
                run.probes[kind].result = True
                run.probes[kind].is_on_hold = kind == "startup"
        return run

    def _ended(self, state: PodState, container: ContainerState, terminated: Object, attempt: int) -> Run:
        run = self._run(state, container, terminated.get("startedAt"), max(attempt, 0))
        reason = terminated.get("reason", "")
        run.exit = ContainerExit(
            terminated.get("exitCode", 0),
            "" if reason in {"Completed", "Error"} else reason,
            terminated.get("message", ""),
            terminated.get("signal", 0),
        )
        run.finished_at, _ = self._times(terminated.get("finishedAt"))
        return run

    def _run(self, state: PodState, container: ContainerState, started: str | None, attempt: int) -> Run:
        pod_ip = state.pod["status"].get("podIP", "")
        details = self._starter.details(state, container, pod_ip, attempt)
        return Run(details, *self._times(started))

    def _times(self, text: str | None) -> tuple[float, float]:
        """Returns a time as seconds since the epoch and as monotonic time.

        Returns the current time if `text` is empty.
        """
        now = self._clock.now()
        epoch = now if not text else seconds_of(text)
        return epoch, self._clock.monotonic() - (now - epoch)
