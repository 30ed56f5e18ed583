"""PodContainers: starts, probes and stops the containers of the pods of one node."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.kubelet.lifecycle.actions import next_actions
from fakeapi.controllers.kubelet.lifecycle.adopting import Adopter
from fakeapi.controllers.kubelet.lifecycle.backoff import BackOffLimits
from fakeapi.controllers.kubelet.lifecycle.probing import Prober
from fakeapi.controllers.kubelet.lifecycle.starting import Starter
from fakeapi.controllers.kubelet.lifecycle.state import ContainerState, PodState
from fakeapi.controllers.kubelet.lifecycle.stopping import Stopper, grace_of
from fakeapi.controllers.kubelet.timers import Timers
from fakeapi.machinery.json_types import Object

ROUNDS_MAX = 100
"""Maximum number of rounds of starts in one sync of a pod. After the last round, the next sync continues."""

Wake = Callable[[], None]


class PodContainers:
    """Starts, probes and stops the containers of the pods of one node. Keeps the state of each pod by its
    uid.
    """

    def __init__(
        self,
        context: ControllerContext,
        events: EventRecorder,
        timers: Timers,
        starter: Starter,
        adopter: Adopter,
        prober: Prober,
    ) -> None:
        self._clock = context.clock
        self._events = events
        self._timers = timers
        self._starter = starter
        self._adopter = adopter
        self._prober = prober
        self._stopper = Stopper(context, events)
        self._limits = BackOffLimits.of(context)
        self._states: dict[str, PodState] = {}

    def get(self, uid: str) -> PodState | None:
        """Returns the state of a pod; None for an unknown pod."""
        return self._states.get(uid)

    @asynccontextmanager
    async def syncing(self, pod: Object, wake: Wake) -> AsyncIterator[PodState]:
        """Yields the state of a pod for one sync, and plans the next sync afterwards.

        `wake`: function that queues the pod for its next sync.
        """
        uid = pod["metadata"]["uid"]
        state = self._states.get(uid)
        if state is None:
            state = self._states[uid] = await self._adopter.adopt(pod, self._limits)
        state.update(pod)
        state.wake, state.is_syncing, state.is_changed = wake, True, False
        try:
            yield state
        finally:
            state.is_syncing = False
            self._plan(state)

    async def advance(self, state: PodState, pod_ip: str) -> bool:
        """Runs due probes, and starts and stops containers until nothing more is due, at most for ROUNDS_MAX
        rounds.

        Returns whether all containers of the pod have ended and will not restart.
        """
        state.is_busy = True
        try:
            for _ in range(ROUNDS_MAX):
                if state.is_gone:
                    break
                if await self._is_over(state, pod_ip):
                    return True
                if not state.is_changed:
                    break
        finally:
            state.is_busy = False
        return False

    async def _is_over(self, state: PodState, pod_ip: str) -> bool:
        """Does one round of due probes, starts and stops. Sets `is_changed` if another round may be due.

        Returns whether all containers have ended and will not restart.
        """
        state.is_changed = False
        state.next_start = None
        await self._prober.probe(state)
        for run in state.running():
            await self._stopper.advance(run)
        actions = next_actions(state)
        for container in actions.stop:
            await self._stop_unhealthy(state, container)
        if actions.is_finished:
            return await self._stopper.stop_all(state, grace_of(state.pod))
        for container in actions.start:
            if await self._starter.start(state, container, pod_ip):
                state.is_changed = True
        delayed = [each.start_at for each in actions.start if each.start_at is not None]
        state.next_start = min(delayed, default=None)
        return False

    async def stop(self, state: PodState, grace: float) -> bool:
        """Stops all containers of a pod with a grace period in seconds. Returns whether all have ended."""
        state.deadline = state.next_start = None
        state.is_ending = True
        return await self._stopper.stop_all(state, grace)

    async def stop_deleted(self, uid: str, wake: Wake) -> bool:
        """Stops the containers of a pod that was removed from the API. Returns whether all have ended.

        `wake`: function that queues the uid again when a container ends or a signal is due.
        """
        state = self._states.get(uid)
        if state is None:
            return True
        state.wake, state.is_gone = wake, True
        if state.is_busy:
            return False
        state.deadline = state.next_start = None
        state.is_syncing = True
        has_ended = await self._stopper.stop_all(state, grace_of(state.pod))
        state.is_syncing = state.is_changed = False
        if not has_ended:
            due = self._stopper.next_at(state)
            if due is not None:
                state.wake_at(self._timers.after(due - self._clock.monotonic(), wake))
            return False
        state.wake_at(None)
        await self._starter.forget(state)
        self._states.pop(uid, None)
        return True

    async def _stop_unhealthy(self, state: PodState, container: ContainerState) -> None:
        run = container.current
        assert run is not None, "only running containers have failed probes"
        kind = run.failed_probe()
        probe = container.spec.get(f"{kind}Probe") or {}
        restarts = state.pod["spec"].get("restartPolicy") != "Never" or container.role == "sidecar"
        message = f"Container {container.name} failed {kind} probe" + (
            ", will be restarted" if restarts else ""
        )
        await self._events.record(state.pod, "Normal", "Killing", message)
        grace = probe.get("terminationGracePeriodSeconds")
        await self._stopper.begin(state, container, grace_of(state.pod) if grace is None else float(grace))

    def _plan(self, state: PodState) -> None:
        """Plans the next sync of a pod: now after a change, otherwise at the next probe, signal or start."""
        if state.wake is None:
            return
        now = self._clock.monotonic()
        times = [
            state.deadline,
            state.next_start,
            self._stopper.next_at(state),
            None if state.is_ending else self._prober.next_at(state),
        ]
        if state.is_changed or state.is_gone:
            state.wake()
        due = min((moment for moment in times if moment is not None), default=None)
        state.wake_at(None if due is None else self._timers.after(due - now, state.wake))
