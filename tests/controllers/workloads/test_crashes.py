"""A container crashes if it waits in CrashLoopBackOff, or if its last termination failed."""

from typing import Any

import pytest

from fakeapi.controllers.workloads import crashes
from fakeapi.controllers.workloads.crashes import crash_of

STARTED = "2030-01-01T00:00:00Z"
STARTED_SECONDS = 1893456000.0
BACK_OFF = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}


def terminated(code: int, **more: Any) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, "finishedAt": STARTED, **more}}


def text(
    state: dict[str, Any],
    last: dict[str, Any],
    restarts: int = 1,
    *,
    has_failed: bool = False,
    now: float = STARTED_SECONDS,
) -> str:
    crash = crash_of("a", state, last, restarts, has_failed=has_failed, now=now)
    return "" if crash is None else crash.text


@pytest.mark.parametrize(
    ("state", "last", "restarts", "expected"),
    [
        (
            BACK_OFF,
            terminated(3, reason="Error", message="cannot open\n  /dev/accel0\n"),
            4,
            "container a: CrashLoopBackOff, exit code 3, 4 restarts: cannot open /dev/accel0",
        ),
        (
            BACK_OFF,
            terminated(137, reason="OOMKilled"),
            1,
            "container a: CrashLoopBackOff after OOMKilled, exit code 137, 1 restart",
        ),
        (BACK_OFF, terminated(0), 2, "container a: CrashLoopBackOff, exit code 0, 2 restarts"),
        ({"running": {}}, terminated(1), 1, ""),
        ({"running": {"startedAt": STARTED}}, terminated(1), 1, "container a: Error, exit code 1, 1 restart"),
        ({"running": {"startedAt": STARTED}}, terminated(0), 1, ""),
        ({"running": {"startedAt": STARTED}}, {}, 0, ""),
        (terminated(0), terminated(1), 1, ""),
        (terminated(1), {}, 0, ""),
        ({"waiting": {"reason": "ContainerCreating"}}, {}, 0, ""),
    ],
)
def test_a_crash_has_its_reason_exit_code_and_message(
    state: dict[str, Any], last: dict[str, Any], restarts: int, expected: str
) -> None:
    assert text(state, last, restarts) == expected


def test_a_container_of_a_failed_pod_crashes_without_a_restart() -> None:
    ended = terminated(2, reason="Error", message="no such device")
    assert text(ended, {}, 0, has_failed=True) == "container a: Error, exit code 2: no such device"


def test_a_container_that_has_run_for_ten_minutes_does_not_crash() -> None:
    running = {"running": {"startedAt": STARTED}}
    assert text(running, terminated(1), now=STARTED_SECONDS + 599)
    assert not text(running, terminated(1), now=STARTED_SECONDS + 600)


def test_a_long_message_is_cut() -> None:
    crash = text(BACK_OFF, terminated(1, message="x" * 1000))
    assert crash.endswith(f": {'x' * (crashes.MESSAGE_MAX - 1)}…")
