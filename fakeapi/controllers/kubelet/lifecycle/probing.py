"""Prober: runs the probes of containers on time, and keeps their results.

Follows k8s.io/kubernetes `pkg/kubelet/prober`. The first probe runs exactly initialDelaySeconds after the
start. A real kubelet adds a random delay.
"""

import asyncio

from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.kubelet.containers.runtime import CommandError, ProbeResult
from fakeapi.controllers.kubelet.driver_texts import shortened
from fakeapi.controllers.kubelet.lifecycle.state import ContainerState, PodState, ProbeState, Run
from fakeapi.machinery.json_types import Object

KINDS = ("startup", "liveness", "readiness")
_DEFAULTS = {"periodSeconds": 10, "failureThreshold": 3, "successThreshold": 1, "timeoutSeconds": 1}


class Prober:
    """Runs the probes of the pods of one node."""

    def __init__(self, context: ControllerContext, events: EventRecorder) -> None:
        self._clock = context.clock
        self._events = events

    def begin(self, container: ContainerState, run: Run) -> None:
        """Prepares the probes of a new run."""
        for kind in KINDS:
            spec = container.spec.get(f"{kind}Probe")
            if spec is not None and run.container is not None and run.container.is_probed(kind):
                run.probes[kind] = ProbeState(run.since + spec.get("initialDelaySeconds", 0))

    async def probe(self, state: PodState) -> None:
        """Runs all due probes of a pod concurrently."""
        due = [
            (container, container.current, kind)
            for container in state.containers.values()
            if container.current is not None and container.is_running
            for kind in KINDS
            if self._is_due(container.current, kind)
        ]
        await asyncio.gather(*(self._probe(state.pod, *each) for each in due))

    def next_at(self, state: PodState) -> float | None:
        """Returns the monotonic time of the next probe of a pod; None if no probe is planned."""
        times = [
            probe.next_at
            for run in state.running()
            for kind, probe in run.probes.items()
            if self._is_active(run, kind)
        ]
        return min(times, default=None)

    @staticmethod
    def _is_active(run: Run, kind: str) -> bool:
        probe = run.probes.get(kind)
        if probe is None or probe.is_on_hold or run.stop is not None:
            return False
        return run.is_started() != (kind == "startup")

    def _is_due(self, run: Run, kind: str) -> bool:
        return self._is_active(run, kind) and run.probes[kind].next_at <= self._clock.monotonic()

    async def _probe(self, pod: Object, container: ContainerState, run: Run, kind: str) -> None:
        spec = _DEFAULTS | container.spec[f"{kind}Probe"]
        probe = run.probes[kind]
        result = await self._result(run, kind, spec)
        if not run.is_running:
            return
        probe.next_at = self._clock.monotonic() + spec["periodSeconds"]
        probe.count = probe.count + 1 if probe.last is result.is_success else 1
        probe.last = result.is_success
        if not result.is_success:
            output = shortened(result.output or "the container does not respond")
            await self._events.record(pod, "Warning", "Unhealthy", f"{kind.title()} probe failed: {output}")
        if probe.count < spec["successThreshold" if result.is_success else "failureThreshold"]:
            return
        probe.result = result.is_success
        probe.is_on_hold = kind == "startup" or (kind == "liveness" and not result.is_success)

    @staticmethod
    async def _result(run: Run, kind: str, spec: Object) -> ProbeResult:
        assert run.container is not None, "only runs with a container have probes"
        try:
            async with asyncio.timeout(spec["timeoutSeconds"]):
                return await run.container.probe(kind, spec)
        except TimeoutError:
            return ProbeResult(is_success=False, output=f"timed out after {spec['timeoutSeconds']}s")
        except CommandError as problem:
            return ProbeResult(is_success=False, output=str(problem))
