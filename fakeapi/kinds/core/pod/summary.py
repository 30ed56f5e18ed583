"""PodSummary: the cells READY, STATUS and RESTARTS of a pod in `kubectl get pods`.

Follows printPod of k8s.io/kubernetes `pkg/printers/internalversion`.
"""

import msgspec

from fakeapi.kinds.core.pod.conditions import SCHEDULED, SCHEDULING_GATED, is_true
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import since
from fakeapi.releases import Quirks

_FINISHED = ("Succeeded", "Failed")
_NODE_LOST = "NodeLost"
_COMPLETED = "Completed"


class _Restarts(msgspec.Struct):
    """The number of container restarts, and the time of the last termination before a restart.

    `last`: "" if no restarted container has a recorded termination.
    """

    count: int = 0
    last: str = ""

    def add(self, status: Object) -> None:
        self.count += status.get("restartCount") or 0
        ended = ((status.get("lastState") or {}).get("terminated") or {}).get("finishedAt") or ""
        self.last = max(self.last, ended)


class PodSummary:
    """Summarizes one pod for a table. `quirks`: the quirks of the release."""

    def __init__(self, pod: Object, quirks: Quirks) -> None:
        self._spec: Object = pod["spec"]
        self._status: Object = pod["status"]
        self._quirks = quirks
        self._is_going = pod["metadata"].get("deletionTimestamp") is not None
        self._sidecars = {
            container["name"]
            for container in self._spec.get("initContainers") or ()
            if container.get("restartPolicy") == "Always"
        }
        self._restarts = _Restarts()
        self._ready = 0
        self._reason: str = self._status.get("reason") or self._status.get("phase", "")
        self._read()

    @property
    def ready(self) -> str:
        """The cell READY: the numbers of ready and of all containers, such as `1/2`. Counts sidecars."""
        return f"{self._ready}/{len(self._spec.get('containers') or ()) + len(self._sidecars)}"

    @property
    def status(self) -> str:
        if self._is_going and self._status.get("reason") == _NODE_LOST:
            return "Unknown"
        stays = self._quirks.finished_pods_are_not_terminating and self._status.get("phase") in _FINISHED
        return "Terminating" if self._is_going and not stays else self._reason

    def restarts(self, now: float) -> str:
        """Returns the number of restarts and the time since the last restart, such as `0` or `3 (5m ago)`.

        `now`: seconds since the Unix epoch.
        """
        total = self._restarts
        if total.last and (total.count or not self._quirks.initialized_pods_forget_init_containers):
            return f"{total.count} ({since(total.last, now)} ago)"
        return str(total.count)

    def _read(self) -> None:
        for condition in self._status.get("conditions") or ():
            if condition.get("type") == SCHEDULED and condition.get("reason") == SCHEDULING_GATED:
                self._reason = SCHEDULING_GATED
        of_sidecars = _Restarts()
        initializes = self._read_init_containers(of_sidecars)
        if initializes and not (
            self._quirks.initialized_pods_forget_init_containers and is_true(self._status, "Initialized")
        ):
            return
        self._restarts = (
            of_sidecars
            if self._quirks.initialized_pods_forget_init_containers
            else _Restarts(0, self._restarts.last)
        )
        self._read_containers()

    def _read_init_containers(self, of_sidecars: _Restarts) -> bool:
        """Reads the statuses of init containers. Returns whether the pod is still initializing.

        Adds the restarts of sidecars to `of_sidecars`.
        """
        for index, status in enumerate(self._status.get("initContainerStatuses") or ()):
            is_sidecar = status.get("name") in self._sidecars
            self._restarts.add(status)
            if is_sidecar:
                of_sidecars.add(status)
            state = status.get("state") or {}
            terminated, waiting = state.get("terminated"), state.get("waiting") or {}
            if terminated is not None and not terminated.get("exitCode"):
                continue
            if is_sidecar and status.get("started"):
                self._ready += bool(status.get("ready"))
                continue
            if terminated is not None:
                self._reason = f"Init:{_end_of(terminated)}"
            elif waiting.get("reason") and waiting["reason"] != "PodInitializing":
                self._reason = f"Init:{waiting['reason']}"
            else:
                self._reason = f"Init:{index}/{len(self._spec.get('initContainers') or ())}"
            return True
        return False

    def _read_containers(self) -> None:
        running, failure = False, ""
        for status in reversed(self._status.get("containerStatuses") or ()):
            self._restarts.add(status)
            state = status.get("state") or {}
            terminated, waiting = state.get("terminated"), state.get("waiting") or {}
            if waiting.get("reason"):
                self._reason = waiting["reason"]
            elif terminated is not None:
                self._reason = _end_of(terminated)
                if terminated.get("exitCode") and self._quirks.failed_containers_hide_completed:
                    failure = self._reason
            elif status.get("ready") and state.get("running") is not None:
                running = True
                self._ready += 1
        if self._reason != _COMPLETED:
            return
        if running and is_true(self._status, "Ready"):
            self._reason = "Running"
        elif failure:
            self._reason = failure
        elif running:
            self._reason = "NotReady"


def _end_of(terminated: Object) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"
