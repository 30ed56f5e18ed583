"""Describes a container that crashes: its reason, exit code, restarts and termination message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fakeapi.controllers.workloads.pods import seconds_of

BACK_OFF = "CrashLoopBackOff"

MESSAGE_MAX = 300
"""Maximum number of characters of a termination message in the text of a crash."""

SETTLED_AFTER = 600.0
"""Seconds that a container runs until its last crash does not count any more.

The kubelet then forgets the crashes as well: it restarts the container without a delay.
"""

_UNINFORMATIVE = ("", "Error", "Completed")
"""Reasons of terminations that say no more than the exit code."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The last crash of a container.

    - `reason`: the reason why the container waits, or the reason of its termination.
    - `message`: the termination message in one line; "" if the container has written none.
    """

    container: str
    reason: str
    exit_code: int
    restarts: int
    message: str

    @property
    def text(self) -> str:
        """Describes the crash in one line.

        Example: "container a: CrashLoopBackOff, exit code 3, 4 restarts: no such device".
        """
        noun = "restart" if self.restarts == 1 else "restarts"
        restarts = f", {self.restarts} {noun}" if self.restarts else ""
        message = f": {self.message}" if self.message else ""
        return f"container {self.container}: {self.reason}, exit code {self.exit_code}{restarts}{message}"


def crash_of(
    container: str,
    state: Mapping[str, Any],
    last_state: Mapping[str, Any],
    restarts: int,
    *,
    has_failed: bool,
    now: float,
) -> Crash | None:
    """Returns the crash of a container; None if the container does not crash.

    A container crashes if it waits in CrashLoopBackOff. It also crashes if its last termination has an exit
    code other than 0, and the kubelet has restarted it or the pod has failed.

    - `state`, `last_state` and `restarts`: from the container's status.
    - `has_failed`: whether the phase of the pod is Failed.
    - `now`: the time in seconds since the epoch. A container that runs for SETTLED_AFTER does not crash.
    """
    waits = (state.get("waiting") or {}).get("reason") == BACK_OFF
    ended = state.get("terminated") or last_state.get("terminated") or {}
    code = ended.get("exitCode") or 0
    if not waits and not (code and (restarts or has_failed)):
        return None
    running = state.get("running")
    if running is not None and now - seconds_of(running.get("startedAt")) >= SETTLED_AFTER:
        return None
    why = ended.get("reason") or ""
    known = "" if why in _UNINFORMATIVE else why
    reason = f"{BACK_OFF}{f' after {known}' if known else ''}" if waits else why or "Error"
    return Crash(container, reason, code, restarts, _line(ended.get("message") or ""))


def _line(message: str) -> str:
    """Returns a message in one line of at most MESSAGE_MAX characters."""
    line = " ".join(message.split())
    return line if len(line) <= MESSAGE_MAX else f"{line[: MESSAGE_MAX - 1]}…"
