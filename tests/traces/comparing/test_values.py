"""Two objects are compared, except for values that every server generates itself, such as uids."""

from typing import Any

import pytest

from fakeapi.traces import fieldpaths
from fakeapi.traces.analysis.identity_map import IdentityMap
from fakeapi.traces.comparing.differences import DIFFERENCES_MAX
from fakeapi.traces.comparing.responses import compare_answers
from fakeapi.traces.comparing.values import CompareOptions, covers
from tests.traces.comparing.answers import claim, compared, response


def owned(manager: str, time: str) -> dict[str, Any]:
    return {"manager": manager, "operation": "Update", "time": time, "fieldsV1": {"f:spec": {}}}


def test_an_object_of_its_own_uid_version_and_time_is_the_same() -> None:
    now = claim()
    now["metadata"].update(uid="u2", resourceVersion="9", creationTimestamp="2026-01-01T00:00:00Z")
    recorded = claim()
    recorded["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z"
    assert compared(recorded, now) == []


def test_the_order_of_managers_follows_their_times_and_does_not_count() -> None:
    recorded, now = claim(), claim()
    recorded["metadata"]["managedFields"] = [
        owned("b", "2020-01-01T00:00:01Z"),
        owned("a", "2020-01-01T00:00:02Z"),
    ]
    now["metadata"]["managedFields"] = [
        owned("a", "2026-01-01T00:00:01Z"),
        owned("b", "2026-01-01T00:00:01Z"),
    ]
    assert compared(recorded, now) == []
    del now["metadata"]["managedFields"][0]
    assert [each.kind for each in compared(recorded, now)] == ["item missing"]
    assert compared(recorded, now, managed_fields=False) == []


def test_a_time_that_is_there_on_one_side_only_is_a_difference() -> None:
    now = claim()
    now["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert [(each.kind, each.path) for each in compared(claim(), now)] == [
        ("field added", "metadata.deletionTimestamp")
    ]


@pytest.mark.parametrize(
    ("change", "kind", "path"),
    [
        ({"spec": {"devices": {"requests": [{"name": "cpu"}]}}}, "value", "spec.devices.requests[0].name"),
        ({"spec": {"devices": {"requests": []}}}, "value", "spec.devices.requests"),
        ({"spec": {"devices": {}}}, "field missing", "spec.devices.requests"),
        ({"status": {"a.b/c": 1}}, "field added", "status"),
        ({"spec": None}, "value", "spec"),
    ],
)
def test_each_difference_has_its_kind_and_its_path(change: dict[str, Any], kind: str, path: str) -> None:
    assert [(each.kind, each.path) for each in compared(claim(), claim(**change))] == [(kind, path)]


def lists(*names: str, version: str = "1") -> dict[str, Any]:
    items = [{"metadata": {"name": name, "namespace": "ns"}} for name in names]
    return {"kind": "ResourceClaimList", "metadata": {"resourceVersion": version}, "items": items}


def test_the_version_of_a_list_does_not_count_but_its_objects_do() -> None:
    assert compared(lists("a", version="1"), lists("a", version="7")) == []
    differences = compared(lists("a", "b"), lists("b", "c", "d"))
    assert [(each.kind, each.recorded or each.now) for each in differences] == [
        ("item missing", "ns/a"),
        ("item added", "ns/c"),
        ("item added", "ns/d"),
    ]


def test_the_order_of_a_list_counts_unless_names_were_generated() -> None:
    assert compared(lists("a", "b"), lists("b", "a"))
    identities = IdentityMap()
    generated = [
        {"kind": "C", "metadata": {"name": name, "generateName": "b-", "uid": name}} for name in ("b", "c")
    ]
    identities.learn(*generated)
    now = response(lists("a", "c", "d"))
    assert compare_answers(response(lists("b", "a", "d")), now, identities, CompareOptions()) == []


def test_of_a_page_the_objects_on_both_are_compared() -> None:
    recorded, now = lists("a", "b"), lists("b", "c", "d")
    assert compared(recorded, now, page=True) == []
    now["items"][0]["metadata"]["labels"] = {"x": "y"}
    assert [each.path for each in compared(recorded, now, page=True)] == ["items[1].metadata.labels"]


def test_ages_in_tables_do_not_count() -> None:
    columns = [{"name": "Name"}, {"name": "Age"}]
    tables = [
        {
            "kind": "Table",
            "metadata": {"resourceVersion": "1"},
            "columnDefinitions": columns,
            "rows": [{"cells": ["a", age], "object": {"metadata": {"name": "a"}}}],
        }
        for age in ("3s", "5d")
    ]
    assert compared(*tables) == []
    for table in tables:
        # Later events of a watch have no columns.
        del table["columnDefinitions"]
    assert compared(*tables) == []


@pytest.mark.parametrize(
    ("ignored", "path", "covered"),
    [
        ("metadata.labels", ("metadata", "labels", "a"), True),
        ("metadata.labels", ("metadata", "labels"), True),
        ("metadata.labels", ("metadata",), False),
        ("metadata.labels", ("items", 3, "metadata", "labels"), True),
        ("metadata.labels", ("object", "metadata", "labels"), True),
        ("status.devices.driver", ("status", "devices", 0, "driver"), True),
        ("metadata.*.x", ("metadata", "annotations", "x"), True),
        ("items", ("items", 0), True),
        ("metadata.annotations[a.b/c]", ("metadata", "annotations", "a.b/c"), True),
    ],
)
def test_an_ignored_field_covers_all_below_it(
    ignored: str, path: tuple[str | int, ...], *, covered: bool
) -> None:
    assert covers(fieldpaths.parse(ignored), path) is covered


def test_no_more_differences_are_collected_than_are_shown() -> None:
    recorded = {"a": dict.fromkeys(map(str, range(200)), 1)}
    now = {"a": dict.fromkeys(map(str, range(200)), 2)}
    assert len(compared(recorded, now)) == DIFFERENCES_MAX
