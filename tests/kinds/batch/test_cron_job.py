"""CronJob of batch/v1: the syntax of schedules, validation, and the table row."""

from typing import Any

import pytest

from fakeapi.kinds.batch.validation.schedules import InvalidSchedule, check_schedule
from tests.kinds.workloads import DELETED, POD, Kind

JOB = {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}}
SPEC = {"schedule": "*/5 * * * *", "jobTemplate": JOB}


def cron_jobs(release: str = "1.36") -> Kind:
    return Kind(release, "batch/v1", "cronjobs", SPEC)


@pytest.mark.parametrize(
    "text",
    [
        "* * * * *",
        "*/5 0-3 1,15 jan-MAR sun",
        "@hourly",
        "@every 1h30m",
        "? ? ? ? ?",
        "5/15 * * * *",
        "0 0 * * 0-6/2",
    ],
)
def test_schedules_are_read(text: str) -> None:
    check_schedule(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("often", "expected exactly 5 fields, found 1: [often]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@sometimes", "unrecognized descriptor: @sometimes"),
        ("@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'),
        ("TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"),
        ("TZ=0", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
    ],
)
def test_other_texts_are_no_schedules(text: str, problem: str) -> None:
    with pytest.raises(InvalidSchedule) as refused:
        check_schedule(text)
    assert str(refused.value) == problem


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("spec.schedule", DELETED, "spec.schedule: Required value"),
        (
            "spec.timeZone",
            "Nowhere/At_All",
            'spec.timeZone: Invalid value: "Nowhere/At_All": unknown time zone Nowhere/At_All',
        ),
        ("spec.timeZone", "", 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'),
        ("spec.timeZone", "../x", 'spec.timeZone: Invalid value: "../x": unknown time zone ../x'),
        (
            "spec.timeZone",
            "local",
            (
                'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as '
                "defined in "
                "https://www.iana.org/time-zones"
            ),
        ),
        (
            "spec.concurrencyPolicy",
            "Odd",
            (
                'spec.concurrencyPolicy: Unsupported value: "Odd": supported values: "Allow", "Forbid", '
                '"Replace"'
            ),
        ),
        (
            "metadata.name",
            "x" * 53,
            f'metadata.name: Invalid value: "{"x" * 53}": must be no more than 52 characters',
        ),
        (
            "spec.jobTemplate.spec.manualSelector",
            True,
            (
                'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", '
                '"false"'
            ),
        ),
        (
            "spec.jobTemplate.spec.template.spec.restartPolicy",
            "Always",
            (
                "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "
                '"OnFailure", "Never"'
            ),
        ),
    ],
)
def test_a_fault_is_said_at_its_field(path: str, value: Any, expected: str) -> None:
    assert expected in cron_jobs().refusals((path, value))


def test_a_new_schedule_names_no_zone_from_1_29_on() -> None:
    change = ("spec.schedule", "TZ=UTC * * * * *")
    assert cron_jobs("1.28").refusals(change) == []
    assert cron_jobs("1.29").refusals(change) == [
        (
            'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, '
            "use timeZone field instead"
        )
    ]
    assert cron_jobs("1.29").update_refusals(("spec.suspend", True), before=(change,)) == ["metadata: change"]


def test_that_there_is_no_schedule_is_said_last_from_1_37_on() -> None:
    changes = ("spec.schedule", DELETED), ("spec.startingDeadlineSeconds", -1)
    assert cron_jobs("1.36").refusals(*changes)[0] == "spec.schedule: Required value"
    assert cron_jobs("1.37").refusals(*changes)[-1] == "spec.schedule: Required value"


def test_a_row_shows_the_schedule() -> None:
    row = cron_jobs().row(cron_jobs().created(("spec.timeZone", "Etc/UTC")))
    assert (row["Schedule"], row["Timezone"], row["Suspend"]) == ("*/5 * * * *", "Etc/UTC", "False")
    assert (row["Active"], row["Last Schedule"], row["Containers"]) == (0, "<none>", "main")
