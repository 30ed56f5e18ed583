"""The columns of pods in Tables, such as STATUS and READY."""

from typing import Any

import pytest

from fakeapi.kinds.core.pod.cells import pod_cells, row_conditions
from fakeapi.kinds.core.pod.summary import PodSummary
from fakeapi.releases.quirks import quirks_of

NOW = 1_704_067_500.0  # 2024-01-01T00:05:00Z
MIDNIGHT = "2024-01-01T00:00:00Z"
READY = {"type": "Ready", "status": "True"}


def pod(status: dict[str, Any], *, going: bool = False, **spec: Any) -> dict[str, Any]:
    metadata = {"name": "a", **({"deletionTimestamp": MIDNIGHT} if going else {})}
    return {
        "metadata": metadata,
        "spec": {"containers": [{"name": "main"}], **spec},
        "status": {"phase": "Running", **status},
    }


def summary(found: dict[str, Any], minor: int = 36) -> tuple[str, str, str]:
    summed = PodSummary(found, quirks_of(minor))
    return summed.ready, summed.status, summed.restarts(NOW)


def main(restarts: int = 0, *, ready: bool = False, **state: Any) -> dict[str, Any]:
    return {"name": "main", "restartCount": restarts, "ready": ready, "state": state}


def terminated(code: int, reason: str = "", signal: int = 0) -> dict[str, Any]:
    return {
        "exitCode": code,
        **({"reason": reason} if reason else {}),
        **({"signal": signal} if signal else {}),
    }


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"phase": "Pending"}, ("0/1", "Pending", "0")),
        ({"phase": "Failed", "reason": "Evicted"}, ("0/1", "Evicted", "0")),
        (
            {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]},
            ("0/1", "SchedulingGated", "0"),
        ),
        (
            {"containerStatuses": [main(4, waiting={"reason": "CrashLoopBackOff"})]},
            ("0/1", "CrashLoopBackOff", "4"),
        ),
        ({"containerStatuses": [main(terminated=terminated(0, "Completed"))]}, ("0/1", "Completed", "0")),
        ({"containerStatuses": [main(terminated=terminated(3))]}, ("0/1", "ExitCode:3", "0")),
        ({"containerStatuses": [main(terminated=terminated(0, signal=9))]}, ("0/1", "Signal:9", "0")),
        ({"containerStatuses": [main(ready=True, running={})]}, ("1/1", "Running", "0")),
        (
            {
                "containerStatuses": [
                    {**main(1, ready=True, running={}), "lastState": {"terminated": {"finishedAt": MIDNIGHT}}}
                ]
            },
            ("1/1", "Running", "1 (5m ago)"),
        ),
        ({"initContainerStatuses": [main(terminated=terminated(2))]}, ("0/1", "Init:ExitCode:2", "0")),
        (
            {"initContainerStatuses": [main(terminated=terminated(2, signal=9))]},
            ("0/1", "Init:Signal:9", "0"),
        ),
        (
            {"initContainerStatuses": [main(waiting={"reason": "ErrImagePull"})]},
            ("0/1", "Init:ErrImagePull", "0"),
        ),
        ({"initContainerStatuses": [main(waiting={"reason": "PodInitializing"})]}, ("0/1", "Init:0/0", "0")),
    ],
)
def test_the_worst_of_its_containers_is_the_status_of_a_pod(
    status: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    assert summary(pod(status)) == expected


def test_a_sidecar_counts_among_the_containers() -> None:
    sidecar = {"name": "side", "restartPolicy": "Always"}
    started = {"name": "side", "ready": True, "started": True, "restartCount": 2, "state": {"running": {}}}
    found = pod(
        {"initContainerStatuses": [started], "containerStatuses": [main(1, ready=True, running={})]},
        initContainers=[sidecar],
    )
    assert summary(found) == ("2/2", "Running", "3")


def test_one_container_that_completed_leaves_the_pod_running_or_not_ready() -> None:
    ended, runs = main(terminated=terminated(0, "Completed")), main(ready=True, running={})
    assert summary(pod({"containerStatuses": [ended, runs], "conditions": [READY]}))[1] == "Running"
    assert summary(pod({"containerStatuses": [ended, runs]}))[1] == "NotReady"


def test_a_failed_container_shows_behind_one_that_completed_from_1_35_on() -> None:
    both = [main(terminated=terminated(0, "Completed")), main(terminated=terminated(1, "Error"))]
    found = pod({"containerStatuses": both})
    assert [summary(found, minor)[1] for minor in (34, 35)] == ["Completed", "Error"]


def test_what_is_deleted_is_terminating_unless_it_has_ended_from_1_31_on() -> None:
    assert summary(pod({}, going=True))[1] == "Terminating"
    assert summary(pod({"reason": "NodeLost"}, going=True))[1] == "Unknown"
    ended = pod({"phase": "Succeeded"}, going=True)
    assert [summary(ended, minor)[1] for minor in (30, 31)] == ["Terminating", "Succeeded"]


def test_the_row_of_a_pod_that_has_ended_says_so() -> None:
    assert row_conditions(pod({})) == ()
    assert row_conditions(pod({"phase": "Failed"}))[0]["reason"] == "Failed"
    assert row_conditions(pod({"phase": "Succeeded"}))[0]["reason"] == "Succeeded"


def test_wide_cells_say_none_where_there_is_nothing() -> None:
    cells = pod_cells(quirks_of(36))
    wide = ("IP", "Node", "Nominated Node", "Readiness Gates")
    assert [cells[name](pod({}), NOW) for name in wide] == ["<none>"] * 4
    full = pod(
        {"podIPs": [{"ip": "10.0.0.1"}], "nominatedNodeName": "n2", "conditions": [READY]},
        nodeName="n1",
        readinessGates=[{"conditionType": "Ready"}, {"conditionType": "example.com/other"}],
    )
    assert [cells[name](full, NOW) for name in wide] == ["10.0.0.1", "n1", "n2", "1/2"]
