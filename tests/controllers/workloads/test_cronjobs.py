"""The controller of CronJobs creates Jobs at the times of their schedules."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.cronjob.schedule import parsed
from tests.controllers.workloads.objects import Object, get, messages, names, pods, set_phase, status


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    names = ("cronjob", "job", "garbagecollector")
    with FakeAPI(release="1.37", controllers=names, frozen_at="2026-01-31T12:00:30Z") as server:
        yield server


def cron_job(schedule: str = "*/5 * * * *", **spec: Any) -> Object:
    containers = [{"name": "main", "image": "image"}]
    job = {"spec": {"template": {"spec": {"containers": containers, "restartPolicy": "Never"}}}}
    metadata = {"name": "web", "namespace": "default"}
    body = {"schedule": schedule, "jobTemplate": job, **spec}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": body}


def jobs(api: FakeAPI) -> list[str]:
    api.settle()
    return names(api.list("Job", namespace="default"))


def finish(api: FakeAPI) -> None:
    for pod in pods(api):
        if pod["status"]["phase"] == "Pending":
            set_phase(api, pod, "Succeeded")
    api.settle()


def name_at(text: str) -> str:
    return f"web-{int(datetime.fromisoformat(text).timestamp()) // 60}"


def test_a_job_is_created_at_each_time_of_the_schedule(api: FakeAPI) -> None:
    api.create(cron_job())
    assert jobs(api) == []
    api.clock.advance(271)
    first = name_at("2026-01-31T12:05:00Z")
    assert jobs(api) == [first]
    job = get(api, "Job", first)
    timestamp = job["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"]
    assert timestamp == "2026-01-31T12:05:00Z"
    state = status(api, "CronJob")
    assert [each["name"] for each in state["active"]] == [first]
    assert state["lastScheduleTime"] == "2026-01-31T12:05:00Z"
    api.clock.advance(300)
    assert len(jobs(api)) == 2
    assert messages(api, "SuccessfulCreate")[0] == f"Created job {first}"


def test_a_finished_job_is_not_active_any_more(api: FakeAPI) -> None:
    api.create(cron_job())
    api.settle()
    api.clock.advance(271)
    api.settle()
    finish(api)
    state = status(api, "CronJob")
    assert not state.get("active")
    assert state["lastSuccessfulTime"] == "2026-01-31T12:05:01Z"


def test_forbid_waits_for_the_earlier_job(api: FakeAPI) -> None:
    api.create(cron_job(concurrencyPolicy="Forbid"))
    api.settle()
    for _ in range(2):
        api.clock.advance(300)
        assert len(jobs(api)) == 1
    assert len(messages(api, "JobAlreadyActive")) == 1


def test_replace_deletes_the_earlier_job(api: FakeAPI) -> None:
    api.create(cron_job(concurrencyPolicy="Replace"))
    api.settle()
    api.clock.advance(300)
    (first,) = jobs(api)
    api.clock.advance(300)
    (second,) = jobs(api)
    assert first != second


def test_a_suspended_cron_job_creates_nothing(api: FakeAPI) -> None:
    api.create(cron_job(suspend=True))
    api.settle()
    api.clock.advance(3600)
    assert jobs(api) == []


def test_finished_jobs_above_the_history_limit_are_deleted(api: FakeAPI) -> None:
    api.create(cron_job(successfulJobsHistoryLimit=1))
    api.settle()
    for _ in range(3):
        api.clock.advance(300)
        api.settle()
        finish(api)
    assert len(jobs(api)) == 1


def test_of_missed_times_only_the_latest_is_made_up_for(api: FakeAPI) -> None:
    api.create(cron_job())
    api.settle()
    api.clock.advance(3600)
    assert jobs(api) == [name_at("2026-01-31T13:00:00Z")]


def test_a_missed_time_past_the_deadline_is_left_out(api: FakeAPI) -> None:
    api.create(cron_job("0 * * * *", startingDeadlineSeconds=10))
    api.settle()
    api.clock.advance(3600)
    assert jobs(api) == []


@pytest.mark.parametrize(
    ("schedule", "zone", "after", "expected"),
    [
        ("*/15 * * * *", "", "2026-01-31T12:00:30Z", "2026-01-31T12:15:00Z"),
        ("0 9 * * mon-fri", "", "2026-01-31T12:00:00Z", "2026-02-02T09:00:00Z"),
        ("0 0 13 * fri", "", "2026-01-31T12:00:00Z", "2026-02-06T00:00:00Z"),
        ("0 0 29 2 *", "", "2026-01-31T12:00:00Z", "2028-02-29T00:00:00Z"),
        ("@hourly", "", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00Z"),
        ("@every 90s", "", "2026-01-31T12:00:00Z", "2026-01-31T12:01:30Z"),
        ("0 9 * * *", "Europe/Berlin", "2026-01-31T12:00:00Z", "2026-02-01T08:00:00Z"),
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"),
        ("CRON_TZ=Asia/Tokyo 0 0 * * *", "", "2026-01-31T12:00:00Z", "2026-01-31T15:00:00Z"),
    ],
)
def test_the_next_time_of_a_schedule(schedule: str, zone: str, after: str, expected: str) -> None:
    found = parsed(schedule, zone).after(datetime.fromisoformat(after).timestamp())
    assert found == datetime.fromisoformat(expected).timestamp()


def test_an_impossible_date_has_no_next_time() -> None:
    assert parsed("0 0 31 2 *").after(0.0) is None
