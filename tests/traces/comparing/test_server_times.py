"""Values that depend on a server's clock or a client's timing do not count as differences."""

from typing import Any

import pytest

from fakeapi.traces.comparing.values import CompareOptions, scrub

BOUND = {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2030-01-01T00:00:00Z"}
READY = {"type": "Ready", "status": "True", "lastTransitionTime": "2030-01-01T00:00:00Z"}


def scrubbed(value: dict[str, Any]) -> dict[str, Any]:
    scrub(value, CompareOptions())
    return value


@pytest.mark.parametrize("kind", ["Pod", "PodList"])
def test_the_time_of_a_binding_is_the_servers_and_other_times_are_not(kind: str) -> None:
    pod: dict[str, Any] = {"status": {"conditions": [{**BOUND}, {**READY}]}}
    scrubbed_object = scrubbed({"kind": kind, "items": [pod]} if kind == "PodList" else {"kind": kind, **pod})
    conditions = (scrubbed_object["items"][0] if kind == "PodList" else scrubbed_object)["status"][
        "conditions"
    ]
    assert conditions == [{**BOUND, "lastTransitionTime": "<time>"}, READY]


def test_a_condition_of_another_kind_keeps_its_time() -> None:
    other = {"kind": "Node", "status": {"conditions": [{**BOUND}]}}
    assert scrubbed({**other}) == {"kind": "Node", "status": {"conditions": [BOUND]}}


@pytest.mark.parametrize("name", ["regarding", "involvedObject"])
def test_the_version_that_an_event_names_is_chance_and_the_rest_of_it_is_not(name: str) -> None:
    scrubbed_object = scrubbed({"kind": "Event", name: {"name": "a", "resourceVersion": "7"}})
    assert scrubbed_object[name] == {"name": "a", "resourceVersion": "<version>"}


@pytest.mark.parametrize(
    "value", [{"kind": "Pod", "status": None}, {"kind": "Pod", "status": {"conditions": {}}}]
)
def test_what_is_no_pod_stays_as_it_is(value: dict[str, Any]) -> None:
    assert scrubbed({**value}) == value
