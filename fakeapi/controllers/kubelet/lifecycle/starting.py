"""Starter: starts the containers of one node, with delays, back-offs and postStart handlers.

Follows startContainer and doBackOff in k8s.io/kubernetes `pkg/kubelet/kuberuntime`.
"""

from pathlib import Path

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.controller import ControllerContext
from fakeapi.controllers.events import EventRecorder
from fakeapi.controllers.kubelet.containers.configuration import ConfigurationResolver
from fakeapi.controllers.kubelet.containers.runtime import (
    SIGKILL,
    CommandError,
    ContainerExit,
    ContainerRun,
    ContainerStartError,
    OnExit,
)
from fakeapi.controllers.kubelet.containers.runtimes import Runtimes
from fakeapi.controllers.kubelet.driver_texts import shortened
from fakeapi.controllers.kubelet.lifecycle.backoff import go_duration
from fakeapi.controllers.kubelet.lifecycle.probing import Prober
from fakeapi.controllers.kubelet.lifecycle.state import ContainerState, PodState, Run
from fakeapi.machinery.json_types import Object

RETRY_SECONDS = 10.0
"""Seconds between a failed start and the next attempt. Also the first delay after a failed image pull."""
PULL_RETRY_SECONDS_MAX = 300.0
"""Longest delay in seconds between two attempts to pull an image. The delay doubles with each failure."""


class Starter:
    """Starts the containers of one node."""

    def __init__(
        self,
        context: ControllerContext,
        events: EventRecorder,
        runtimes: Runtimes,
        resolver: ConfigurationResolver,
        prober: Prober,
        node: tuple[str, str],
        directory: Path,
    ) -> None:
        """Prepares the starter.

        `node`: the name and the IP address of the node. `directory`: the directory of the node.
        """
        self._context = context
        self._clock = context.clock
        self._events = events
        self._runtimes = runtimes
        self._resolver = resolver
        self._prober = prober
        self._node, self._node_ip = node
        self._directory = directory

    def details(self, state: PodState, container: ContainerState, pod_ip: str, attempt: int) -> ContainerRun:
        """Returns the description of a run without its resolved configuration."""
        name = f"{state.uid}/{container.name}"
        return ContainerRun(
            self._node,
            self._directory,
            state.pod,
            container.spec,
            container.role,
            attempt,
            f"{name}/{attempt}" if attempt else name,
            pod_ip,
            self._node_ip,
        )

    async def resolved(self, details: ContainerRun) -> ContainerRun:
        """Returns a run from before a kubelet restart, with its configuration resolved again.

        Returns the run without a configuration if resolving fails.
        """
        try:
            return details.with_config(await self._resolver.resolve(details))
        except (ContainerStartError, StatusError):
            return details

    async def start(self, state: PodState, container: ContainerState, pod_ip: str) -> bool:
        """Starts a container if its back-off and its delay are over. Returns whether the container started.

        Otherwise sets the time of the next attempt, and the reason for the container's waiting status.
        """
        now = self._clock.monotonic()
        if container.start_at is not None and container.start_at > now:
            return False
        if await self._must_back_off(state, container, now):
            return False
        details = self.details(state, container, pod_ip, container.attempt)
        runtime = self._runtimes.of(details)
        delay = runtime.delay(details)
        if delay > 0 and container.delayed != details.attempt:
            container.delayed, container.start_at = details.attempt, now + delay
            return False
        container.start_at = None
        run = Run(details, self._clock.now(), now)
        try:
            details = run.details = details.with_config(await self._resolver.resolve(details))
            run.container = await runtime.start(details, self.on_exit(state, run))
        except ContainerStartError as problem:
            await self._refuse(state, container, problem)
            return False
        if container.current is not None and container.current.exit is not None:
            container.backoff.increase(container.current.finished_at, self._clock.now())
        await self._forget(container.previous)
        container.previous, container.current = container.current, run
        container.waiting, container.failures = None, 0
        self._prober.begin(container, run)
        if state.is_gone:
            await run.container.stop(SIGKILL)
        await self._run_post_start(state, container, run)
        return True

    def on_exit(self, state: PodState, run: Run) -> OnExit:
        """Returns the function to call with the exit of a run."""

        def ended(result: ContainerExit) -> None:
            if run.exit is not None:
                return
            run.exit = result
            run.finished_at = self._clock.now()
            state.is_changed = True
            if state.wake is not None and not state.is_syncing:
                state.wake()

        return ended

    async def forget(self, state: PodState) -> None:
        """Releases all runs of a pod that was removed from the API."""
        for run in state.runs():
            await self._forget(run)

    @staticmethod
    async def _forget(run: Run | None) -> None:
        if run is not None and run.container is not None:
            await run.container.remove()

    async def _must_back_off(self, state: PodState, container: ContainerState, now: float) -> bool:
        run = container.current
        if run is None or run.exit is None or container.delayed == container.attempt or container.failures:
            return False
        left = container.backoff.left(run.finished_at, self._clock.now())
        if left <= 0:
            return False
        pod = _named(state.pod)
        seconds = go_duration(container.backoff.seconds)
        message = f"back-off {seconds} restarting failed container={container.name} pod={pod}"
        container.waiting = "CrashLoopBackOff", message
        container.start_at = now + left
        text = f"Back-off restarting failed container {container.name} in pod {pod}"
        await self._events.record(state.pod, "Warning", "BackOff", text)
        return True

    async def _refuse(self, state: PodState, container: ContainerState, problem: ContainerStartError) -> None:
        reason, message = problem.reason, shortened(str(problem))
        delay = RETRY_SECONDS
        if reason == "ErrImagePull":
            delay = min(RETRY_SECONDS * 2.0 ** min(container.failures, 10), PULL_RETRY_SECONDS_MAX)
            if container.failures:
                reason = "ImagePullBackOff"
                message = f'Back-off pulling image "{container.spec["image"]}": ErrImagePull: {message}'
        container.failures += 1
        container.waiting = reason, message
        container.start_at = self._clock.monotonic() + delay
        await self._events.record(state.pod, "Warning", "Failed", f"Error: {message}")

    async def _run_post_start(self, state: PodState, container: ContainerState, run: Run) -> None:
        handler = (container.spec.get("lifecycle") or {}).get("postStart")
        if not handler or handler.get("sleep") or run.container is None:
            return
        try:
            await run.container.run_hook("postStart", handler)
        except CommandError:
            await self._events.record(state.pod, "Warning", "FailedPostStartHook", "PostStartHook failed")
            await run.container.stop(SIGKILL)


def _named(pod: Object) -> str:
    metadata = pod["metadata"]
    return f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
