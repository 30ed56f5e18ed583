"""Tests can wait for the work of other threads, without sleeping and without polling."""

from inspect import signature
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError, VerificationFailed, WaitTimeout
from fakeapi.testing.client import Client
from fakeapi.testing.insight import EVENTS_MAX, REQUESTS_MAX, VERSIONS_MAX
from fakeapi.testing.object_history import CHANGES_MAX
from fakeapi.testing.until import condition_of
from fakeapi.testing.watching import WITHIN_SECONDS
from tests.fakeapi_testing.code_under_test import code_under_test


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.mark.parametrize(
    ("until", "obj", "expected"),
    [
        (None, {}, True),
        ("Ready", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, True),
        ("condition=Ready", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, True),
        ("Ready", {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}, False),
        ("Ready=False", {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}, True),
        ("Ready", {}, False),
        (".status.phase=Running", {"status": {"phase": "Running"}}, True),
        ("{.status.phase}=Running", {"status": {"phase": "Pending"}}, False),
        (".spec.replicas=3", {"spec": {"replicas": 3}}, True),
        (".spec.paused=true", {"spec": {"paused": True}}, True),
        (".status.allocation", {"status": {"allocation": {"nodeSelector": {}}}}, True),
        (".status.allocation", {"status": {}}, False),
        (
            '.status.conditions[?(@.type=="A")].status=True',
            {"status": {"conditions": [{"type": "A", "status": "True"}]}},
            True,
        ),
        (lambda obj: obj["status"]["phase"] == "Running", {}, False),
        (lambda obj: obj["status"] == 1, {"status": 1}, True),
    ],
)
def test_a_condition_is_a_type_a_path_or_a_function(
    until: Any, obj: dict[str, Any], expected: object
) -> None:
    assert condition_of(until).is_true(obj) is expected


def test_wait_for_returns_the_object_as_soon_as_the_condition_is_true(fakeapi: FakeAPI) -> None:
    def work(client: Client) -> None:
        client.create(config_map("a"))
        client.update(config_map("a", step="1"))

    with code_under_test(fakeapi, work):
        assert fakeapi.wait_for("ConfigMap", "a", until=".data.step=1")["data"] == {"step": "1"}


def test_wait_for_gone_returns_when_the_object_does_not_exist(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("a", step="1"))
    with code_under_test(fakeapi, lambda client: client.delete("ConfigMap", "a")):
        fakeapi.wait_for("ConfigMap", "a", gone=True)
    assert fakeapi.list("ConfigMap", namespace="default") == []
    assert fakeapi.wait_for("ConfigMap", "a", gone=True) == {}


def test_waiting_is_not_in_the_journal_and_triggers_no_faults(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("a"))
    fault = fakeapi.faults.expire("configmaps")
    fakeapi.faults.unavailable()
    fakeapi.wait_for("ConfigMap", "a")
    assert fault.fired == 0
    assert len(fakeapi.requests) == 1


def test_waiting_does_not_depend_on_the_clock_of_the_server(fakeapi: FakeAPI) -> None:
    fakeapi.clock.freeze("2126-01-01T00:00:00Z")
    with code_under_test(fakeapi, lambda client: client.create(config_map("a"))):
        fakeapi.wait_for("ConfigMap", "a")
    with pytest.raises(WaitTimeout, match="frozen at 2126-01-01T00:00:00Z; advance it"):
        fakeapi.wait_for("ConfigMap", "b", within=0.05)


def test_a_time_out_shows_history_events_and_requests(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("a"))
    fakeapi.create(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "e", "namespace": "default"},
            "involvedObject": {"kind": "ConfigMap", "name": "a", "namespace": "default"},
            "type": "Warning",
            "reason": "Stuck",
            "message": "no luck",
        }
    )

    def work(client: Client) -> None:
        client.update(config_map("a", step="1"))
        with pytest.raises(StatusError):
            client.get("ConfigMap", "missing")

    with code_under_test(fakeapi, work), pytest.raises(WaitTimeout) as caught:
        fakeapi.wait_for("ConfigMap", "a", until=".data.step=2", within=0.5)
    message = str(caught.value)
    assert message.startswith(
        "ConfigMap default/a: waited 0.5 s for .data.step = 2\nnow: it exists in version "
    )
    assert "created " in message
    assert "by controller/v1 (kubernetes-admin): update configmaps" in message
    assert 'data: (none) -> {"step":"1"}' in message
    assert "Warning Stuck ConfigMap default/a: no luck" in message
    assert "get  configmaps default/missing  404 NotFound" in message


def test_a_time_out_suggests_the_name_of_an_object(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("config"))
    with pytest.raises(WaitTimeout, match=r"it does not exist; did you mean config\?"):
        fakeapi.wait_for("ConfigMap", "confg", within=0.05)


def test_a_watch_yields_existing_objects_and_then_changes(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("a"))
    with fakeapi.watch("ConfigMap", namespace="default", count=3) as watch:
        fakeapi.update(config_map("a", step="1"))
        fakeapi.delete("ConfigMap", "a")
        assert [(event.type, event.name) for event in watch] == [
            ("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a"),
        ]  # fmt: skip


def test_a_watch_without_further_events_times_out(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("a"))
    with pytest.raises(WaitTimeout, match="2 more of the events; it had these:\n    ADDED default/a"):
        list(fakeapi.watch("ConfigMap", name="a", count=3, within=0.1))


@pytest.mark.parametrize("fault", ["expire", "cut_watch", "end_watch"])
def test_a_watch_survives_faults_and_shows_no_change_twice(fakeapi: FakeAPI, fault: str) -> None:
    with fakeapi.watch("ConfigMap", namespace="default", count=3) as watch:
        armed = getattr(fakeapi.faults, fault)("configmaps", after=1)
        for name in "abc":
            fakeapi.create(config_map(name))
        assert [event.name for event in watch] == ["a", "b", "c"]
    assert armed.fired == 1


def test_a_watch_that_a_server_refuses_for_good_raises(fakeapi: FakeAPI) -> None:
    fakeapi.faults.forbidden("watch configmaps")
    with pytest.raises(StatusError, match="watch configmaps was refused: 403 Forbidden"):
        fakeapi.watch("ConfigMap")
    fakeapi.faults.disarm()
    fakeapi.faults.refuse_watch("configmaps", code=500, times=2)
    fakeapi.watch("ConfigMap").close()


def test_verify_waits_for_requests(fakeapi: FakeAPI) -> None:
    def work(client: Client) -> None:
        for name in "ab":
            client.create(config_map(name))

    with code_under_test(fakeapi, work):
        created = fakeapi.requests.verify("create configmaps", times=2, within=5)
        assert [entry.name for entry in created] == ["a", "b"]
    with pytest.raises(VerificationFailed, match=r"^within 0\.05 s: expected exactly 3 of create"):
        fakeapi.requests.verify("create configmaps", times=3, within=0.05)
    with pytest.raises(VerificationFailed, match=r"^expected exactly 1"):
        fakeapi.requests.verify("create configmaps", times=1, within=60)


def test_eventually_waits_for_a_true_value(fakeapi: FakeAPI) -> None:
    with code_under_test(fakeapi, lambda client: client.create(config_map("a"))):
        assert fakeapi.eventually(lambda: fakeapi.get("ConfigMap", "a"))["metadata"]["name"] == "a"
    with pytest.raises(
        WaitTimeout, match=r"^<lambda> returned \[\], for 0\.1 s\nrequests of the code under test:\n    #"
    ):
        fakeapi.eventually(lambda: fakeapi.list("Pod"), within=0.1)
    with pytest.raises(WaitTimeout, match="get pods default/p was refused: 404 NotFound"):
        fakeapi.eventually(lambda: fakeapi.get("Pod", "p"), within=0.1)
    with pytest.raises(WaitTimeout, match="a function with asserts must return True at its end"):
        fakeapi.eventually(lambda: None, within=0.1)


def test_requests_can_be_cleared(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("a"))
    fakeapi.requests.clear()
    fakeapi.requests.none("create")
    fakeapi.list("ConfigMap")
    assert [entry.number for entry in fakeapi.requests] == [1]


def test_waiting_gives_up_after_five_seconds_by_default() -> None:
    for method in (FakeAPI.wait_for, FakeAPI.watch, FakeAPI.eventually):
        assert signature(method).parameters["within"].default == WITHIN_SECONDS == 5


def test_the_message_of_a_time_out_is_bounded(fakeapi: FakeAPI) -> None:
    fakeapi.create(config_map("a"))
    for number in range(EVENTS_MAX + 1):
        involved = {"kind": "ConfigMap", "name": "a", "namespace": "default"}
        event = {"metadata": {"name": f"e{number}", "namespace": "default"}, "involvedObject": involved}
        fakeapi.create({"apiVersion": "v1", "kind": "Event", **event, "message": "no luck"})

    def work(client: Client) -> None:
        for number in range(REQUESTS_MAX + 1):
            client.update(config_map("a", **{f"x{number}-{each}": "1" for each in range(CHANGES_MAX + 1)}))

    with code_under_test(fakeapi, work), pytest.raises(WaitTimeout) as caught:
        fakeapi.wait_for("ConfigMap", "a", until=".data.done", within=1)
    message = str(caught.value)
    assert message.count("no luck") == EVENTS_MAX
    assert message.count("    version ") == VERSIONS_MAX
    assert "requests of the code under test (the last 10 of 11):" in message
    assert "more fields" in message


def test_a_time_out_for_a_missing_condition_names_the_conditions_of_the_object(fakeapi: FakeAPI) -> None:
    fakeapi.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})
    status = {
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "False"}]
    }
    fakeapi.patch("Node", "a", {"status": status}, subresource="status")
    with pytest.raises(WaitTimeout) as caught:
        fakeapi.wait_for("Node", "a", until="Redy", within=0.1)
    lines = str(caught.value).splitlines()
    assert lines[2] == "the object has no condition Redy; it has Ready, DiskPressure; did you mean Ready?"
    with pytest.raises(WaitTimeout) as caught:
        fakeapi.wait_for("Node", "a", until="DiskPressure", within=0.1)
    assert "has no condition" not in str(caught.value), "the object has the condition, with another status"
