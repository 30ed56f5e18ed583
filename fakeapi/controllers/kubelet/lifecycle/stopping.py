"""Stopper: stops containers with their preStop handlers, stop signals and grace periods.

Follows killContainer and killPod in k8s.io/kubernetes `pkg/kubelet/kuberuntime`.
"""

import signal as signals

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.kubelet.containers.runtime import SIGKILL, SIGTERM, CommandError
from fakeapi.controllers.kubelet.lifecycle.state import (
    MINIMUM_GRACE,
    ContainerState,
    PodState,
    Run,
    Stop,
)
from fakeapi.machinery.json_types import Object

DEFAULT_GRACE = 30.0


class Stopper:
    """Stops the containers of one node."""

    def __init__(self, context: ControllerContext, events: EventRecorder) -> None:
        self._context = context
        self._clock = context.clock
        self._events = events

    async def begin(self, state: PodState, container: ContainerState, grace: float) -> None:
        """Begins to stop a running container. `grace`: the grace period in seconds.

        If the container is already stopping, a shorter grace period replaces its grace period.
        """
        run = container.current
        if run is None or not run.is_running:
            return
        now = self._clock.monotonic()
        if run.stop is not None:
            run.stop.kill_at = min(run.stop.kill_at, now + max(grace, MINIMUM_GRACE))
            return
        handler = (container.spec.get("lifecycle") or {}).get("preStop")
        run.stop = Stop(now, now + max(grace, MINIMUM_GRACE), _stop_signal(container.spec))
        if handler and grace > 0 and run.container is not None:
            if handler.get("sleep"):
                run.stop.signal_at = now + min(handler["sleep"]["seconds"], grace)
            else:
                run.stop.is_in_hook = True
                self._context.spawn(self._run_hook(state, run, run.stop, handler))
        await self.advance(run)

    async def advance(self, run: Run) -> None:
        """Sends the due signals to a container that is being stopped."""
        stop, now = run.stop, self._clock.monotonic()
        if stop is None or run.container is None:
            return
        if not stop.is_signalled and not stop.is_in_hook and stop.signal_at <= now and run.is_running:
            stop.is_signalled = True
            await run.container.stop(stop.signal)
        if not stop.is_killed and stop.kill_at <= now and run.is_running:
            stop.is_killed = stop.is_signalled = True
            await run.container.stop(SIGKILL)

    async def stop_all(self, state: PodState, grace: float) -> bool:
        """Stops all containers of a pod: sidecars last, in reverse order. Returns whether all have ended."""
        for container in state.of("init", "main", "ephemeral"):
            await self.begin(state, container, grace)
        if not any(container.is_running for container in state.of("init", "main", "ephemeral")):
            for container in reversed(state.of("sidecar")):
                await self.begin(state, container, grace)
                if container.is_running:
                    break
        for run in state.running():
            await self.advance(run)
        return not state.running()

    def next_at(self, state: PodState) -> float | None:
        """Returns the monotonic time of the next signal for a container of a pod; None without signals."""
        times = [
            run.stop.signal_at if not run.stop.is_signalled and not run.stop.is_in_hook else run.stop.kill_at
            for run in state.running()
            if run.stop is not None and not run.stop.is_killed
        ]
        return min(times, default=None)

    async def _run_hook(self, state: PodState, run: Run, stop: Stop, handler: Object) -> None:
        assert run.container is not None, "only runs with a container have handlers"
        try:
            async with self._clock.timeout(stop.kill_at - self._clock.monotonic()):
                await run.container.run_hook("preStop", handler)
        except CommandError:
            await self._events.record(state.pod, "Warning", "FailedPreStopHook", "PreStopHook failed")
        except TimeoutError:
            pass
        stop.is_in_hook = False
        await self.advance(run)


def grace_of(pod: Object) -> float:
    """Returns the grace period of a pod in seconds: from its deletion, or from its spec.

    A force-deleted pod (grace period 0) has the grace period of its spec. This follows
    calculateEffectiveGracePeriod in k8s.io/kubernetes `pkg/kubelet/pod_workers.go`.
    """
    grace = pod["metadata"].get("deletionGracePeriodSeconds")
    return float(grace or pod["spec"].get("terminationGracePeriodSeconds", DEFAULT_GRACE))


def _stop_signal(spec: Object) -> int:
    name = (spec.get("lifecycle") or {}).get("stopSignal", "")
    try:
        return int(signals.Signals[name]) if name else SIGTERM
    except KeyError:
        return SIGTERM
