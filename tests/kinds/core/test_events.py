"""Event in core/v1 and events.k8s.io/v1: fields and validation in both API groups."""

import pytest

from tests.kinds.judging import Body, canonical, refusals, refused_change, resource_of

OLD = resource_of("1.36", "", "v1", "events")
NEW = resource_of("1.36", "events.k8s.io", "v1", "events")
EVENT: Body = {
    "metadata": {"namespace": "default"},
    "eventTime": "2024-01-01T00:00:00.000000Z",
    "reportingController": "example.com/kubelet",
    "reportingInstance": "node-1",
    "action": "Start",
    "reason": "Started",
    "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
    "note": "n",
    "type": "Normal",
}


def test_both_groups_show_the_same_object() -> None:
    series = {"count": 2, "lastObservedTime": "2024-01-01T00:00:01.000000Z"}
    stored = canonical(NEW, {**EVENT, "series": series})
    assert NEW.prefix == OLD.prefix
    old = OLD.from_hub(stored)
    assert (old["involvedObject"]["name"], old["message"], old["reportingComponent"], old["source"]) == (
        "p",
        "n",
        "example.com/kubelet",
        {},
    )
    assert NEW.to_hub(NEW.from_hub(stored)) == stored
    assert NEW.from_hub(stored)["series"] == series


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, []),
        ({"eventTime": None}, ["eventTime"]),
        ({"type": "Odd"}, ["type"]),
        ({"deprecatedCount": 1}, ["count"]),
        ({"deprecatedSource": {"host": "h"}}, ["source"]),
        ({"series": {"count": 1}}, ["series.count", "series.lastObservedTime"]),
    ],
)
def test_events_of_the_new_group_are_checked_strictly(change: Body, fields: list[str]) -> None:
    assert [field for field, _ in refusals(NEW, {**EVENT, **change})] == fields


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"note": "other"}, ["message"]),
        ({"type": "Warning", "action": "Stop"}, ["type", "action"]),
        ({"series": {"count": 3, "lastObservedTime": "2024-01-01T00:00:01.000000Z"}}, []),
        ({"series": {"count": 1, "lastObservedTime": "2024-01-01T00:00:01.000000Z"}}, ["series.count"]),
        ({"reportingInstance": ""}, ["reportingInstance", "reportingInstance"]),
    ],
)
def test_only_the_series_of_an_event_changes(change: Body, fields: list[str]) -> None:
    assert [field for field, _ in refused_change(NEW, EVENT, {**EVENT, **change})] == fields


@pytest.mark.parametrize(
    ("namespace", "about", "fields"),
    [
        ("default", "", []),
        ("team", "", ["involvedObject.namespace"]),
        ("team", "team", []),
        ("team", "other", ["involvedObject.namespace"]),
    ],
)
def test_an_old_event_is_in_the_namespace_of_its_object(
    namespace: str, about: str, fields: list[str]
) -> None:
    body = {"metadata": {"namespace": namespace}, "involvedObject": {"namespace": about}}
    found = OLD.strategy_for("").authorize_create(canonical(OLD, body))
    assert [error.field for error in found] == fields
