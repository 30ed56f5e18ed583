"""Eviction and EvictionRequest of lifecycle.k8s.io: validation and status.

test_strategy_samples compares generated objects of these kinds with Kubernetes' own results.
"""

from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.machinery.golang.times import seconds_of
from fakeapi.registry.model.resource import Resource
from fakeapi.testing.server import FakeAPI
from tests.kinds.judging import NOW, Body, created, resource_of

GATE = "EvictionRequestAPI"
GROUP = "/apis/lifecycle.k8s.io/v1alpha1"
TARGET = {"pod": {"name": "p", "uid": "123e4567-e89b-12d3-a456-426614174000"}}
OWN = "imperative-eviction.k8s.io/evictor"


def evictions() -> Resource:
    return resource_of("1.37", "lifecycle.k8s.io", "v1alpha1", "evictions", GATE)


def status(*states: str, **first: Any) -> Body:
    """Returns an Eviction status with one responder for each state.

    `first`: fields of the first responder.
    """
    names = ["example.com/a", OWN][: len(states)]
    targets = [
        {"name": name, "priority": priority, "state": state}
        for name, priority, state in zip(names, (5000, 100), states, strict=False)
    ]
    return {"targetResponders": targets, "responders": [{"name": names[0], **first}, {"name": OWN}]}


def refused(old: Body, new: Body) -> list[tuple[str, str]]:
    obj = created(evictions(), {"spec": {"target": TARGET}})
    strategy = evictions().strategy_for("status")
    errors = strategy.validate_update({**obj, "status": new}, {**obj, "status": old})
    return [(error.field, error.body) for error in errors]


def test_the_first_responder_is_the_one_to_start() -> None:
    assert refused({}, status("Active", "Inactive", startTime=NOW)) == []
    ((field, text),) = refused({}, status("Inactive", "Inactive"))
    assert field == "status.targetResponders[0].state"
    assert text.endswith("must be one of: Active, because this responder is next in line")


def test_a_responder_that_was_heard_of_lately_stays_active() -> None:
    active = status("Active", "Inactive", startTime="2024-12-31T23:41:00Z")
    given_up = status("Interrupted", "Active", startTime="2024-12-31T23:41:00Z")
    given_up["responders"][1]["startTime"] = NOW
    ((field, text),) = refused(active, given_up)
    assert field == "status.targetResponders[0].state"
    assert text.startswith("Forbidden: must stay Active because the responder is in progress")
    for each in (active, given_up):
        each["responders"][0]["startTime"] = "2024-12-31T23:39:00Z"
    assert refused(active, given_up) == []


def test_a_final_condition_is_for_good() -> None:
    evicted = {
        "type": "TargetEvicted",
        "status": "True",
        "reason": "R",
        "message": "",
        "lastTransitionTime": NOW,
    }
    ((field, text),) = refused({"conditions": [evicted]}, {"conditions": [{**evicted, "reason": "S"}]})
    assert field == "status.conditions"
    assert text.endswith("TargetEvicted condition status cannot be reverted")


@pytest.mark.parametrize(
    ("status_of", "wide"),
    [
        (
            {},
            [
                "p",
                "Pod",
                "Pending",
                "<unset> (0/0)",
                "<unset>",
                "<unknown>",
                "<none>",
                "60s",
                "<unset>",
                "<unset>",
            ],
        ),
        (
            {
                **status(
                    "Active",
                    "Inactive",
                    startTime="2024-12-31T23:59:00Z",
                    heartbeatTime=NOW,
                    expectedCompletionTime="2025-01-01T01:00:00Z",
                    message=" soon ",
                ),
                "observedGeneration": 1,
                "requesters": [{"name": "b/x", "intent": "Eviction"}, {"name": "a/x", "intent": "Eviction"}],
            },
            [
                "p",
                "Pod",
                "Progressing",
                "example.com/a (1/2)",
                "Started (60s ago)",
                "in 60m",
                "a/x + 1 more...",
                "60s",
                "0s ago",
                "soon",
            ],
        ),
        (
            {
                **status("Completed", "Canceled", completionTime=NOW),
                "requesters": [{"name": "a/x", "intent": "Withdrawn"}],
            },
            [
                "p",
                "Pod",
                "Pending",
                f"{OWN} (2/2)",
                "Canceled",
                "-",
                "<withdrawn>",
                "60s",
                "<unset>",
                "<unset>",
            ],
        ),
    ],
)
def test_a_row_shows_the_responder_whose_turn_it_is(status_of: Body, wide: list[str]) -> None:
    metadata = {"name": "a", "creationTimestamp": "2024-12-31T23:59:00Z"}
    obj = {"metadata": metadata, "spec": {"target": TARGET}, "status": status_of}
    cells = [column.cell(obj, seconds_of(NOW)) for column in evictions().columns]
    assert cells == ["a", *wide]


def test_the_group_is_served_with_its_gate_and_when_asked_for() -> None:
    request: Body = {
        "metadata": {"name": "r"},
        "spec": {"target": TARGET, "requester": "example.com/me", "intent": "Eviction"},
        "status": {"observedGeneration": 7},
    }
    path = f"{GROUP}/namespaces/default/evictionrequests"
    with (
        FakeAPI(release="1.37", runtime_config="lifecycle.k8s.io/v1alpha1") as without,
        pytest.raises(StatusError),
    ):
        without.request("GET", GROUP)
    with FakeAPI(release="1.37", feature_gates=f"{GATE}=true", runtime_config="api/all=true") as api:
        created = api.request("POST", path, request)
        assert (created["metadata"]["generation"], created["status"]) == (1, {})
        created["spec"]["intent"] = "Withdrawn"
        assert api.request("PUT", f"{path}/r", created)["metadata"]["generation"] == 2
        created["spec"]["requester"] = "example.com/you"
        created["metadata"].pop("resourceVersion")
        with pytest.raises(StatusError, match="must be specified for an update"):
            api.request("PUT", f"{path}/r", created)
        with pytest.raises(StatusError, match="not found"):
            api.request("PUT", f"{path}/s", {**created, "metadata": {"name": "s"}})


@pytest.mark.parametrize(("new", "shown"), [({"conditions": []}, "[]"), ({}, "null")])
def test_an_error_about_missing_conditions_tells_an_empty_list_from_none(new: Body, shown: str) -> None:
    evicted = {
        "type": "TargetEvicted",
        "status": "True",
        "reason": "R",
        "message": "",
        "lastTransitionTime": NOW,
    }
    ((_, text),) = refused({"conditions": [evicted]}, new)
    assert text.startswith(f"Invalid value: {shown}: ")
