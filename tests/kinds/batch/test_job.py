"""Job of batch/v1: generated selectors and labels, validation, and rules for the status."""

from typing import Any

import pytest

from fakeapi.registry.requests.options import DeleteOptions
from tests.kinds.workloads import POD, Kind

SPEC = {"template": {"spec": {**POD, "restartPolicy": "Never"}}}
GENERATED = {
    "batch.kubernetes.io/controller-uid": "u",
    "batch.kubernetes.io/job-name": "a",
    "controller-uid": "u",
    "job-name": "a",
}
INDEXED = ("spec.completionMode", "Indexed")
PER_INDEX = ("spec.backoffLimitPerIndex", 1)


def jobs(release: str = "1.36", **gates: bool) -> Kind:
    return Kind(release, "batch/v1", "jobs", SPEC, **gates)


def test_the_selector_and_the_labels_are_generated() -> None:
    job = jobs().created()
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}
    assert job["spec"]["template"]["metadata"]["labels"] == GENERATED
    assert job["metadata"]["labels"] == GENERATED
    assert jobs().refusals() == []


def test_a_manual_selector_stays_as_it_is() -> None:
    changes = (
        ("spec.manualSelector", True),
        ("spec.selector", {"matchLabels": {"a": "b"}}),
        ("spec.template.metadata", {"labels": {"a": "b"}}),
    )
    job = jobs().created(*changes)
    assert job["spec"]["selector"] == {"matchLabels": {"a": "b"}}
    assert jobs().refusals(*changes) == []


def test_a_selector_of_ones_own_is_refused_unless_it_is_manual() -> None:
    assert (
        jobs()
        .refusals(("spec.selector", {"matchLabels": {"a": "b"}}))[0]
        .endswith("`selector` not auto-generated")
    )


def test_a_label_of_another_job_is_refused() -> None:
    errors = jobs().refusals(("spec.template.metadata", {"labels": {"job-name": "z"}}))
    assert errors[0].startswith("spec.template.metadata.labels[job-name]: Invalid value")
    assert errors[0].endswith("must be 'a'")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            [("spec.template.spec.restartPolicy", "Always")],
            'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
        ),
        (
            [INDEXED, ("spec.parallelism", 2)],
            "spec.completions: Required value: when completion mode is Indexed",
        ),
        ([PER_INDEX], "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"),
        (
            [INDEXED, ("spec.completions", 2), ("spec.maxFailedIndexes", 1)],
            "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
        ),
        (
            [INDEXED, PER_INDEX, ("spec.completions", 2), ("spec.maxFailedIndexes", 3)],
            "spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions",
        ),
        (
            [INDEXED, PER_INDEX, ("spec.completions", 100_001)],
            "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
        ),
        (
            [INDEXED, ("spec.parallelism", 100_001), ("spec.completions", 1)],
            (
                "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when "
                "completion "
                "mode is Indexed"
            ),
        ),
        (
            [("spec.managedBy", "bad")],
            'spec.managedBy: Invalid value: "bad": must be a domain-prefixed path (such as "acme.io/foo")',
        ),
        (
            [("spec.managedBy", f"example.com/{'x' * 60}")],
            "spec.managedBy: Too long: may not be more than 63 bytes",
        ),
        (
            [INDEXED, ("spec.completions", 3), ("metadata.name", "x" * 62)],
            (
                f'metadata.name: Invalid value: "{"x" * 62}": will not able to create pod with '
                f"invalid DNS label: "
                f"{'x' * 62}-2"
            ),
        ),
        (
            [("spec.podReplacementPolicy", "Odd")],
            (
                'spec.podReplacementPolicy: Unsupported value: "Odd": supported values: "Failed", '
                '"TerminatingOrFailed"'
            ),
        ),
        (
            [("spec.successPolicy", {"rules": [{"succeededCount": 1}]})],
            (
                "spec.successPolicy: Invalid value: "
                '{"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: '
                "requires indexed completion mode"
            ),
        ),
    ],
)
def test_a_fault_is_said_at_its_field(changes: list[tuple[str, Any]], expected: str) -> None:
    assert expected in jobs().refusals(*changes)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            {"onExitCodes": {"operator": "In", "values": [1]}},
            '.action: Required value: valid values: ["Count"',
        ),
        ({"action": "FailIndex"}, '.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex'),
        (
            {"action": "Count"},
            ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [0]}},
            ".onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": []}},
            ".onExitCodes.values: Invalid value: []: at least one value is required",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In"}},
            ".onExitCodes.values: Invalid value: null: at least one value is required",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [2, 1]}},
            ".onExitCodes.values: Invalid value: [2,1]: must be ordered",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [1, 1]}},
            ".onExitCodes.values[1]: Duplicate value: 1",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [1], "containerName": "z"}},
            '.onExitCodes.containerName: Invalid value: "z": must be one of the container',
        ),
        (
            {"action": "Count", "onPodConditions": [{"type": "Bad Type", "status": "True"}]},
            '.onPodConditions[0].type: Invalid value: "Bad Type"',
        ),
    ],
)
def test_a_fault_of_the_failure_policy_is_said_at_its_rule(rule: Any, expected: str) -> None:
    errors = jobs().refusals(("spec.podFailurePolicy", {"rules": [rule]}))
    assert any(text.startswith(f"spec.podFailurePolicy.rules[0]{expected}") for text in errors), errors


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, ": Required value: at least one of succeededCount or succeededIndexes must be specified"),
        (
            {"succeededIndexes": "5"},
            '.succeededIndexes: Invalid value: "5": error parsing succeededIndexes: too large',
        ),
        (
            {"succeededIndexes": "1,1"},
            '.succeededIndexes: Invalid value: "1,1": error parsing succeededIndexes: non-',
        ),
        (
            {"succeededIndexes": "x"},
            '.succeededIndexes: Invalid value: "x": error parsing succeededIndexes: cannot',
        ),
        ({"succeededIndexes": "0-1-2"}, '.succeededIndexes: Invalid value: "0-1-2": error parsing'),
        (
            {"succeededCount": 9},
            ".succeededCount: Invalid value: 9: must be less than or equal to 5 (the number of spec",
        ),
        (
            {"succeededIndexes": "0-1", "succeededCount": 3},
            ".succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes",
        ),
    ],
)
def test_a_fault_of_the_success_policy_is_said_at_its_rule(rule: Any, expected: str) -> None:
    errors = jobs().refusals(INDEXED, ("spec.completions", 5), ("spec.successPolicy", {"rules": [rule]}))
    assert any(text.startswith(f"spec.successPolicy.rules[0]{expected}") for text in errors), errors


@pytest.mark.parametrize(
    ("release", "detail"),
    [("1.31", "may not be longer than 63"), ("1.32", "may not be more than 63 bytes")],
)
def test_the_error_for_a_long_manager_has_the_words_of_its_release(release: str, detail: str) -> None:
    manager = ("spec.managedBy", f"example.com/{'x' * 60}")
    assert jobs(release, JobManagedBy=True).refusals(manager) == [f"spec.managedBy: Too long: {detail}"]


def test_completions_of_an_indexed_job_change_with_its_parallelism() -> None:
    before = (INDEXED, ("spec.completions", 2), ("spec.parallelism", 2))
    alone = jobs("1.37").update_refusals(("spec.completions", 3), before=before)
    assert alone == [
        "metadata: change",
        "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism",
    ]
    both = ("spec.completions", 3), ("spec.parallelism", 3)
    assert jobs("1.37").update_refusals(*both, before=before) == ["metadata: change"]


def test_an_update_repeats_the_errors_of_the_whole_job_up_to_1_36() -> None:
    change = ("spec.backoffLimit", -1)
    negative = "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"
    assert jobs("1.36").update_refusals(change) == [
        "metadata: object",
        negative,
        "metadata: change",
        negative,
    ]
    assert jobs("1.37").update_refusals(change) == ["metadata: change", negative]


def is_refused(kind: Kind, change: tuple[str, Any], *before: tuple[str, Any]) -> bool:
    return any("field is immutable" in text for text in kind.update_refusals(change, before=before))


def test_the_template_changes_only_while_the_job_is_suspended() -> None:
    image = ("spec.template.spec.containers.0.image", "example.com/other")
    node = ("spec.template.spec.nodeSelector", {"a": "b"})
    suspended = ("spec.suspend", True)
    assert is_refused(jobs(), node)
    assert not is_refused(jobs(), node, suspended)
    assert is_refused(jobs(), image, suspended)
    assert is_refused(jobs("1.33"), node, suspended, ("status.startTime", "2030-01-01T00:00:00Z"))


@pytest.mark.parametrize(
    ("release", "host"),
    [
        ("1.33", "SecurityContext:(*core.PodSecurityContext)(0x"),
        ("1.36", '"SecurityContext":{"HostNetwork":true,'),
        ("1.37", '"HostNetwork":true,"HostPID":false'),
    ],
)
def test_another_template_is_shown_in_the_servers_own_form(release: str, host: str) -> None:
    changes = ("spec.template.spec.containers.0.image", "b"), ("spec.template.spec.hostNetwork", True)
    error = jobs(release).update_refusals(*changes)[-1]
    assert error.startswith("spec.template: Invalid value: ")
    assert error.endswith(": field is immutable")
    assert host in error
    assert ("DeprecatedServiceAccount" in error) == (release == "1.37")


def test_resources_change_while_a_job_without_pods_is_suspended() -> None:
    change = ("spec.template.spec.containers.0.resources", {"requests": {"cpu": "1"}})
    suspended = ("spec.suspend", True)
    assert not is_refused(jobs("1.36"), change, suspended)
    assert is_refused(jobs("1.36"), change, suspended, ("status.active", 1))
    assert is_refused(jobs("1.34"), change, suspended)


def status_refusals(release: str, after: Any, before: Any = None, *spec: tuple[str, Any]) -> list[str]:
    kind, old = jobs(release), (*spec, ("status", before or {}))
    return kind.update_refusals(("status", after), subresource="status", before=old)[1:]


def condition(*types: str) -> list[dict[str, str]]:
    return [{"type": each, "status": "True"} for each in types]


STARTED = "2030-01-01T00:00:00Z"
ENDED = "2030-01-01T00:01:00Z"


def test_older_releases_ask_little_of_a_status() -> None:
    assert status_refusals("1.29", {"conditions": condition("Complete", "Failed")}) == []
    assert status_refusals("1.29", {"active": -1}) == [
        "status.active: Invalid value: -1: must be greater than or equal to 0"
    ]


def test_a_job_completes_with_its_reason_its_times_and_no_pods() -> None:
    sound = {
        "conditions": condition("SuccessCriteriaMet", "Complete"),
        "startTime": STARTED,
        "completionTime": ENDED,
    }
    assert status_refusals("1.33", sound) == []
    assert status_refusals("1.33", {**sound, "active": 1}) == [
        "status.active: Invalid value: 1: active>0 is invalid for finished job"
    ]
    assert status_refusals("1.33", {"conditions": condition("Complete")}) == [
        "status.completionTime: Required value: completionTime is required for Complete jobs",
        (
            "status.conditions: Invalid value: cannot set Complete=True condition without the "
            "SuccessCriteriaMet=true condition"
        ),
        "status.startTime: Required value: startTime is required for finished job",
    ]
    early = {**sound, "completionTime": "2029-01-01T00:00:00Z"}
    assert status_refusals("1.36", early) == [
        (
            'status.completionTime: Invalid value: "2029-01-01T00:00:00Z": must be equal to or after '
            "`startTime`"
        )
    ]


def test_a_job_does_not_come_back_from_its_end() -> None:
    failed = {"conditions": condition("FailureTarget", "Failed"), "startTime": STARTED, "failed": 2}
    assert status_refusals("1.33", {"startTime": STARTED, "failed": 1}, failed) == [
        "status.conditions: Invalid value: cannot disable the terminal Failed=True condition",
        "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition",
        "status.failed: Invalid value: 1: cannot decrease the failed counter",
    ]


def test_lists_of_indexes_do_not_overlap() -> None:
    after = {"completedIndexes": "0,2-3", "failedIndexes": "1,3"}
    spec = (INDEXED, PER_INDEX, ("spec.completions", 5))
    assert status_refusals("1.33", after, None, *spec) == [
        'status.failedIndexes: Invalid value: "1,3": failedIndexes and completedIndexes overlap at index: 3'
    ]


def test_a_start_time_stays_while_the_job_runs() -> None:
    before = {"startTime": STARTED}
    assert status_refusals("1.35", {}, before) == [
        "status.startTime: Required value: startTime cannot be removed for unsuspended job"
    ]
    assert status_refusals("1.36", {"startTime": ENDED}, before) == [
        f'status.startTime: Invalid value: "{ENDED}": field is immutable for unsuspended job once set'
    ]


def test_fields_behind_gates_are_dropped() -> None:
    off = jobs("1.32", JobBackoffLimitPerIndex=False)
    rules = [{"action": "FailIndex"}, {"action": "Count"}]
    spec = off.created(INDEXED, PER_INDEX, ("spec.podFailurePolicy", {"rules": rules}))["spec"]
    assert "backoffLimitPerIndex" not in spec
    assert [rule["action"] for rule in spec["podFailurePolicy"]["rules"]] == ["Count"]


def test_the_policy_of_replacement_is_a_default_of_every_release_that_has_it() -> None:
    for release in ("1.29", "1.31", "1.33", "1.37"):
        assert jobs(release).created()["spec"]["podReplacementPolicy"] == "TerminatingOrFailed", release


def test_a_delete_that_says_nothing_of_pods_is_warned_of() -> None:
    warnings_of = jobs().resource.definition.deletion_warnings
    assert warnings_of is not None
    (warning,) = warnings_of(DeleteOptions())
    assert warning.startswith("child pods are preserved by default")
    assert warnings_of(DeleteOptions(propagation="Orphan")) == []


def test_a_row_tells_how_far_the_job_is() -> None:
    job = {**jobs().created(("spec.completions", 3)), "status": {"succeeded": 2, "startTime": STARTED}}
    row = jobs().row({**job, "status": {**job["status"], "completionTime": ENDED}})
    assert (row["Status"], row["Completions"], row["Duration"]) == ("Running", "2/3", "60s")
    suspended = {**job, "status": {"conditions": condition("Suspended")}}
    assert jobs().row(suspended)["Status"] == "Suspended"
    assert "Status" not in jobs("1.29").row(job)
