"""The condition Dangling of FlowSchemas, as kube-apiserver 1.37 writes it (run beside it)."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI

NOW = "2026-01-02T03:04:05Z"
REFERS = 'This FlowSchema references the PriorityLevelConfiguration object named "mine"'
MISSING, EXISTS = f"{REFERS} but there is no such object", f"{REFERS} and it exists"
CONSUMER = "api-priority-and-fairness-config-consumer-v1"


@pytest.fixture(params=["1.28", "1.33", "1.37"])
def api(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    with FakeAPI(release=request.param, frozen_at=NOW, controllers="flowschema") as server:
        yield server


def version(api: FakeAPI) -> str:
    return "flowcontrol.apiserver.k8s.io/" + ("v1beta3" if api.release == "1.28" else "v1")


def create_schema(api: FakeAPI, level: str = "mine") -> dict[str, Any]:
    rule = {
        "subjects": [{"kind": "User", "user": {"name": "u"}}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }
    spec = {"matchingPrecedence": 9, "priorityLevelConfiguration": {"name": level}, "rules": [rule]}
    return api.create(
        {"apiVersion": version(api), "kind": "FlowSchema", "metadata": {"name": "f"}, "spec": spec}
    )


def create_level(api: FakeAPI) -> None:
    limited = {"nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}
    api.create(
        {
            "apiVersion": version(api),
            "kind": "PriorityLevelConfiguration",
            "metadata": {"name": "mine"},
            "spec": {"type": "Limited", "limited": limited},
        }
    )


def conditions(api: FakeAPI) -> list[tuple[str, str, str, str]]:
    api.settle()
    found = api.get("FlowSchema", "f")["status"].get("conditions") or ()
    return [(each["type"], each["status"], each["reason"], each["message"]) for each in found]


def test_a_new_flow_schema_without_its_level_is_dangling(api: FakeAPI) -> None:
    created = create_schema(api)
    assert created["status"] == {}
    assert conditions(api) == [("Dangling", "True", "NotFound", MISSING)]
    stored = api.get("FlowSchema", "f")
    assert stored["status"]["conditions"][0]["lastTransitionTime"] == NOW
    [entry] = [each for each in stored["metadata"]["managedFields"] if each["manager"] == CONSUMER]
    assert (entry["operation"], entry["subresource"]) == ("Apply", "status")
    assert entry["apiVersion"] == version(api)


def test_a_flow_schema_is_dangling_until_its_level_exists(api: FakeAPI) -> None:
    create_schema(api)
    create_level(api)
    assert conditions(api) == [("Dangling", "False", "Found", EXISTS)]
    api.delete("PriorityLevelConfiguration", "mine")
    assert conditions(api) == [("Dangling", "True", "NotFound", MISSING)]


def test_a_flow_schema_may_name_a_level_that_every_cluster_has(api: FakeAPI) -> None:
    create_schema(api, "workload-low")
    [(_, status, reason, _)] = conditions(api)
    assert (status, reason) == ("False", "Found")


def test_a_removed_condition_comes_back_beside_the_conditions_of_others(api: FakeAPI) -> None:
    create_schema(api)
    api.settle()
    schema = api.get("FlowSchema", "f")
    other = {"type": "Other", "status": "True", "lastTransitionTime": NOW, "reason": "R", "message": "m"}
    api.update({**schema, "status": {"conditions": [other]}}, subresource="status")
    assert sorted(conditions(api)) == [
        ("Dangling", "True", "NotFound", MISSING),
        ("Other", "True", "R", "m"),
    ]


def test_another_level_in_the_spec_changes_the_condition(api: FakeAPI) -> None:
    create_schema(api)
    api.settle()
    schema = api.get("FlowSchema", "f")
    schema["spec"]["priorityLevelConfiguration"] = {"name": "exempt"}
    api.update(schema)
    [(_, status, reason, message)] = conditions(api)
    assert (status, reason, '"exempt"' in message) == ("False", "Found", True)


def test_a_write_that_leaves_the_condition_right_writes_no_more(api: FakeAPI) -> None:
    create_schema(api)
    api.settle()
    schema = api.get("FlowSchema", "f")
    schema["metadata"]["labels"] = {"a": "b"}
    updated = api.update(schema)
    api.settle()
    assert api.get("FlowSchema", "f") == updated
