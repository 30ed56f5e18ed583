"""managedFields are encoded in Kubernetes' order and with its limit on entries, and decoded again."""

from typing import Any

import pytest

from fakeapi.machinery.apply.fieldset import FieldSet
from fakeapi.machinery.apply.managedfields import (
    Managed,
    ManagedFieldsError,
    Manager,
    Record,
    applier,
    cap_updaters,
    decode,
    decode_stored,
    encode,
    is_reset,
    updater,
)

VERSION = "resource.k8s.io/v1alpha3"


def entry(manager: str, operation: str = "Update", second: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": VERSION,
        "time": f"2026-01-01T00:00:{second:02}Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {}},
        **more,
    }


def test_entries_stand_by_operation_time_manager_version_and_subresource() -> None:
    ordered = [
        entry("z", "Apply", 1),
        entry("a", "Apply", 2),
        {name: value for name, value in entry("timeless").items() if name != "time"},
        entry("z", second=1),
        entry("a", second=2),
        entry("a", second=2, subresource="status"),
        entry("a", second=2, apiVersion="resource.k8s.io/v1beta1"),
    ]
    assert encode(decode(list(reversed(ordered)))) == ordered


def test_stored_entries_come_back_as_they_are() -> None:
    entries = [entry("a"), entry("b", subresource="status")]
    found = encode(decode_stored(entries))
    assert found == entries
    assert all(one is other for one, other in zip(found, entries, strict=True))


def test_an_applier_has_one_entry_in_all_versions_and_an_updater_one_in_each() -> None:
    other = "resource.k8s.io/v1beta1"
    appliers = [entry("a", "Apply"), entry("a", "Apply", apiVersion=other)]
    assert list(decode(appliers)) == [applier("a", "")]
    updaters = [entry("a"), entry("a", apiVersion=other)]
    assert list(decode(updaters)) == [updater("a", VERSION, ""), updater("a", other, "")]


def test_an_entry_leaves_out_what_is_empty() -> None:
    managed: Managed = {Manager("", "Update", VERSION, ""): Record({"f:a": {}}, VERSION, None)}
    assert encode(managed) == [
        {"operation": "Update", "apiVersion": VERSION, "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {}}}
    ]


def test_a_manager_without_a_name_is_unknown() -> None:
    assert updater("", VERSION, "").name == applier("", "").name == "unknown"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"operation": "Nonsense"}, "operation must be `Apply` or `Update`"),
        ({"operation": None}, "operation must be `Apply` or `Update`"),
        ({"apiVersion": ""}, "apiVersion must not be empty"),
        ({"fieldsType": ""}, "missing fieldsType in managed fields entry 1"),
        ({"fieldsType": "FieldsV2"}, 'invalid fieldsType "FieldsV2" in managed fields entry 1'),
        ({"fieldsV1": {"name": {}}}, "no path element: name"),
    ],
)
def test_entries_that_cannot_be_read_are_an_error(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ManagedFieldsError) as refused:
        decode([entry("good"), entry("bad", **change)])
    assert str(refused.value) == message


def test_an_entry_without_fields_owns_nothing() -> None:
    bare = {name: value for name, value in entry("a").items() if name != "fieldsV1"}
    assert [record.fields for record in decode([bare]).values()] == [{}]


@pytest.mark.parametrize(
    ("entries", "reset"), [(None, False), ([], True), ([{}], True), ([{}, {}], False), ([entry("a")], False)]
)
def test_an_empty_list_or_an_empty_entry_asks_for_a_reset(
    entries: list[dict[str, Any]] | None,
    reset: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert is_reset(entries) is reset


def updates(*seconds: int, version: str = VERSION) -> Managed:
    """Returns managedFields in which each field manager has updated one field.

    `seconds`: the time of each update, as a number of seconds in the same minute. The first manager and its
    field have 00 in their names, the second manager and its field 01, and so on.
    """
    return {
        updater(f"m{index:02}", version, ""): Record(
            {f"f:{index:02}": {}}, version, f"2026-01-01T00:00:{second:02}Z"
        )
        for index, second in enumerate(seconds)
    }


def test_the_oldest_updates_are_merged_where_there_are_more_than_ten() -> None:
    managed = updates(*range(12))
    cap_updaters(managed)
    ancient = managed[updater("ancient-changes", VERSION, "")]
    assert len(managed) == 10
    assert ancient == Record({"f:00": {}, "f:01": {}, "f:02": {}}, VERSION, "2026-01-01T00:00:02Z")
    assert {manager.name for manager in managed} == {
        "ancient-changes",
        *(f"m{index:02}" for index in range(3, 12)),
    }


def test_ten_updates_and_any_number_of_applies_are_kept_apart() -> None:
    managed = updates(*range(10))
    for index in range(20):
        managed[applier(f"a{index}", "")] = Record({"f:a": {}}, VERSION, None)
    before = dict(managed)
    cap_updaters(managed)
    assert managed == before


def test_what_is_ancient_already_takes_in_more() -> None:
    managed = updates(*range(11))
    cap_updaters(managed)
    managed[updater("late", VERSION, "")] = Record({"f:late": {}}, VERSION, "2026-01-01T00:00:30Z")
    cap_updaters(managed)
    fields: FieldSet = {"f:00": {}, "f:01": {}, "f:02": {}}
    assert managed[updater("ancient-changes", VERSION, "")].fields == fields
    assert len(managed) == 10


def test_each_version_has_its_own_ancient_changes() -> None:
    other = "resource.k8s.io/v1beta1"
    managed = {**updates(*range(0, 12, 2)), **updates(*range(1, 13, 2), version=other)}
    cap_updaters(managed)
    assert managed[updater("ancient-changes", VERSION, "")].fields == {"f:00": {}, "f:01": {}}
    assert managed[updater("ancient-changes", other, "")].fields == {"f:00": {}, "f:01": {}}
    assert len(managed) == 10
