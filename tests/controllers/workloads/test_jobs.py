"""The controller of Jobs runs pods until enough of them have succeeded."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.job.indexes import formatted, parsed
from fakeapi.machinery.golang.times import now_text
from tests.controllers.workloads.objects import (
    Object,
    condition,
    get,
    messages,
    pods,
    set_phase,
    status,
)

INDEX = "batch.kubernetes.io/job-completion-index"
TRACKING = "batch.kubernetes.io/job-tracking"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers=("job", "ttl-after-finished", "garbagecollector")) as server:
        server.clock.freeze()
        yield server


def job(name: str = "web", restart: str = "Never", **spec: Any) -> Object:
    containers = [{"name": "main", "image": "image"}]
    template = {"spec": {"containers": containers, "restartPolicy": restart}}
    metadata = {"name": name, "namespace": "default"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {"template": template, **spec},
    }


def waiting(api: FakeAPI) -> list[Object]:
    """Returns the pods that have not ended."""
    return [pod for pod in pods(api) if pod["status"]["phase"] in {"Pending", "Running"}]


def end(api: FakeAPI, phase: str = "Succeeded", code: int = 0) -> None:
    """Ends the oldest pod that has not ended."""
    fail(api, waiting(api)[0], phase, code)


def fail(api: FakeAPI, pod: Object, phase: str = "Failed", code: int = 1) -> None:
    name = {"name": "main", "image": "image", "imageID": "", "ready": False, "restartCount": 0}
    terminated = {"exitCode": code, "finishedAt": now(api), "startedAt": now(api)}
    set_phase(api, pod, phase, containerStatuses=[{**name, "state": {"terminated": terminated}}])


def now(api: FakeAPI) -> str:
    return now_text(api.clock.now())


def index_of(pod: Object) -> int:
    return int(pod["metadata"]["annotations"][INDEX])


def test_a_job_is_complete_when_its_pods_have_succeeded(api: FakeAPI) -> None:
    api.create(job(completions=3, parallelism=2))
    first = waiting(api)
    assert len(first) == 2
    assert TRACKING in first[0]["metadata"]["finalizers"]
    assert status(api, "Job")["active"] == 2
    end(api)
    assert len(waiting(api)) == 2
    end(api)
    end(api)
    done = status(api, "Job")
    assert (done["succeeded"], done.get("active", 0)) == (3, 0)
    assert [each["type"] for each in done["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    assert done["completionTime"] == done["startTime"]
    assert messages(api, "Completed") == ["Job completed"]
    assert all(TRACKING not in (pod["metadata"].get("finalizers") or ()) for pod in pods(api))


def test_failed_pods_are_replaced_after_growing_delays(api: FakeAPI) -> None:
    api.create(job(backoffLimit=2))
    end(api, "Failed")
    assert waiting(api) == []
    api.clock.advance(10.5)
    end(api, "Failed")
    api.clock.advance(10.5)
    assert waiting(api) == []
    api.clock.advance(10)
    end(api, "Failed")
    done = status(api, "Job")
    failure = condition(done, "Failed")
    assert failure is not None
    assert (failure["reason"], failure["message"]) == (
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
    )
    assert done["failed"] == 3
    assert messages(api, "BackoffLimitExceeded") == [failure["message"]]


def test_the_active_deadline_fails_the_job_and_deletes_its_pods(api: FakeAPI) -> None:
    api.create(job(activeDeadlineSeconds=60))
    assert len(waiting(api)) == 1
    api.clock.advance(61)
    done = status(api, "Job")
    failure = condition(done, "Failed")
    assert failure is not None
    assert failure["reason"] == "DeadlineExceeded"
    assert waiting(api) == []


def test_indexed_pods_have_their_index_as_name_label_and_variable(api: FakeAPI) -> None:
    api.create(job(completions=3, parallelism=3, completionMode="Indexed"))
    created = sorted(waiting(api), key=index_of)
    assert [index_of(pod) for pod in created] == [0, 1, 2]
    assert created[1]["metadata"]["generateName"] == "web-1-"
    assert created[1]["spec"]["hostname"] == "web-1"
    (variable,) = created[1]["spec"]["containers"][0]["env"]
    assert variable["name"] == "JOB_COMPLETION_INDEX"
    for pod in (created[2], created[0]):
        set_phase(api, pod, "Succeeded")
    assert status(api, "Job")["completedIndexes"] == "0,2"
    set_phase(api, created[1], "Succeeded")
    done = status(api, "Job")
    assert (done["completedIndexes"], done["succeeded"]) == ("0-2", 3)
    assert condition(done, "Complete") is not None


def test_with_a_limit_per_index_other_indexes_go_on(api: FakeAPI) -> None:
    api.create(job(completions=2, parallelism=2, completionMode="Indexed", backoffLimitPerIndex=1))
    for _ in range(2):
        (failing,) = [pod for pod in waiting(api) if index_of(pod) == 0]
        fail(api, failing)
        api.settle()
        api.clock.advance(21)
    assert status(api, "Job")["failedIndexes"] == "0"
    end(api)
    done = status(api, "Job")
    failure = condition(done, "Failed")
    assert failure is not None
    assert failure["reason"] == "FailedIndexes"
    assert done["completedIndexes"] == "1"


def test_a_suspended_job_has_no_pods_until_it_is_resumed(api: FakeAPI) -> None:
    api.create(job(suspend=True))
    assert waiting(api) == []
    held = status(api, "Job")
    suspended = condition(held, "Suspended")
    assert suspended is not None
    assert suspended["status"] == "True"
    assert "startTime" not in held
    api.patch("Job", "web", {"spec": {"suspend": False}}, namespace="default")
    assert len(waiting(api)) == 1
    resumed = condition(status(api, "Job"), "Suspended")
    assert resumed is not None
    assert (resumed["status"], resumed["reason"]) == ("False", "JobResumed")
    api.patch("Job", "web", {"spec": {"suspend": True}}, namespace="default")
    assert waiting(api) == []


@pytest.mark.parametrize(("action", "failed"), [("FailJob", 1), ("Ignore", 0), ("Count", 1)])
def test_the_pod_failure_policy_decides_by_exit_code(api: FakeAPI, action: str, failed: int) -> None:
    rule = {"action": action, "onExitCodes": {"operator": "In", "values": [42]}}
    api.create(job(podFailurePolicy={"rules": [rule]}))
    end(api, "Failed", code=42)
    done = status(api, "Job")
    failure = condition(done, "Failed")
    assert done.get("failed", 0) == failed
    if action == "FailJob":
        assert failure is not None
        assert failure["reason"] == "PodFailurePolicy"
        assert "failed with exit code 42 matching FailJob rule at index 0" in failure["message"]
    else:
        assert failure is None


def test_the_success_policy_completes_the_job_early(api: FakeAPI) -> None:
    policy = {"rules": [{"succeededIndexes": "0"}]}
    api.create(job(completions=3, parallelism=3, completionMode="Indexed", successPolicy=policy))
    (leader,) = [pod for pod in waiting(api) if index_of(pod) == 0]
    set_phase(api, leader, "Succeeded")
    done = status(api, "Job")
    complete = condition(done, "Complete")
    assert complete is not None
    assert (complete["reason"], complete["message"]) == ("SuccessPolicy", "Matched rules at index 0")
    assert waiting(api) == []


def test_a_job_without_completions_ends_with_its_first_success(api: FakeAPI) -> None:
    api.create(job(parallelism=2, completions=None))
    assert len(waiting(api)) == 2
    end(api)
    assert len(waiting(api)) == 1
    end(api)
    assert condition(status(api, "Job"), "Complete") is not None


def test_a_finished_job_is_deleted_after_its_time_to_live(api: FakeAPI) -> None:
    api.create(job(ttlSecondsAfterFinished=30))
    end(api)
    api.settle()
    api.clock.advance(29)
    api.settle()
    assert len(api.list("Job", namespace="default")) == 1
    api.clock.advance(2)
    api.settle()
    assert api.list("Job", namespace="default") == []
    assert pods(api) == []


def test_pods_of_a_deleted_job_lose_their_finalizer(api: FakeAPI) -> None:
    api.create(job())
    assert len(waiting(api)) == 1
    api.delete("Job", "web", namespace="default", options={"propagationPolicy": "Background"})
    api.settle()
    assert api.list("Pod", namespace="default") == []


def test_jobs_of_other_controllers_are_left_alone(api: FakeAPI) -> None:
    api.create(job(managedBy="example.com/other"))
    assert waiting(api) == []
    assert "startTime" not in status(api, "Job")


@pytest.mark.parametrize("release", ["1.28", "1.31", "1.34"])
def test_jobs_of_older_releases_complete(release: str) -> None:
    with FakeAPI(release=release, controllers="job") as api:
        api.create(job())
        end(api)
        done = status(api, "Job")
        assert condition(done, "Complete") is not None
        assert (condition(done, "SuccessCriteriaMet") is not None) == (release != "1.28")


def test_indexes_are_written_as_kubernetes_writes_them() -> None:
    assert formatted([5, 0, 1, 3, 4]) == "0,1,3-5"
    assert parsed("0,1,3-5,9", 5) == {0, 1, 3, 4}


def test_get_returns_the_job_with_its_generated_selector(api: FakeAPI) -> None:
    api.create(job())
    stored = get(api, "Job")
    assert stored["spec"]["selector"]["matchLabels"]
    assert waiting(api)[0]["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "web"
