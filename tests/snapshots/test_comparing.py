"""The server compares snapshots; the size of the comparison is limited."""

import json

from fakeapi.snapshots import comparing
from fakeapi.snapshots.model import Snapshot
from fakeapi_storage import Checkpoint, Entry


def made(content: object, key: str = "/core/configmaps/ns/a") -> Snapshot:
    entry = Entry(key, json.dumps(content).encode(), 2, 2)
    return Snapshot(Checkpoint((entry,), 2), "", "2026-01-31T12:00:00Z")


def test_managed_fields_are_not_told() -> None:
    old = made({"metadata": {"name": "a", "managedFields": [1]}})
    new = made({"metadata": {"name": "b", "managedFields": [2]}})
    (difference,) = old.diff(new)
    assert [each.path for each in difference.fields] == ["metadata.name"]


def test_items_of_lists_of_one_length_are_compared_one_by_one() -> None:
    (difference,) = made({"a": [1, {"b": 2}]}).diff(made({"a": [1, {"b": 3}]}))
    assert difference.fields == (comparing.FieldChange("a[1].b", 2, 3),)
    (difference,) = made({"a": [1]}).diff(made({"a": [1, 2]}))
    assert difference.fields == (comparing.FieldChange("a", [1], [1, 2]),)


def test_numbers_and_booleans_are_not_alike() -> None:
    (difference,) = made({"a": 1}).diff(made({"a": True}))
    assert difference.fields == (comparing.FieldChange("a", 1, True),)


def test_many_changed_fields_of_one_object_are_counted() -> None:
    fields = {str(n): n for n in range(comparing.FIELDS_MAX + 5)}
    (difference,) = made({}).diff(made(fields))
    assert (len(difference.fields), difference.more) == (comparing.FIELDS_MAX, 5)
    assert str(difference).endswith("and 5 more fields")


def test_long_values_are_cut_in_print() -> None:
    (difference,) = made({"a": ""}).diff(made({"a": "x" * 1000}))
    assert len(str(difference)) < comparing.VALUE_MAX + 100
    assert str(difference).endswith("…")


def test_objects_nested_too_deep_to_walk_are_changed_all_the_same() -> None:
    deep = "[" * 5_000 + "]" * 5_000
    entries = [Entry("/core/configmaps/ns/a", f'{{"a":{text}}}'.encode(), 2, 2) for text in (deep, "1")]
    old, new = (Snapshot(Checkpoint((entry,), 2), "", "") for entry in entries)
    assert [each.kind for each in old.diff(new)] == ["changed"]


def test_a_kept_key_of_v1alpha2_is_named_by_its_resource() -> None:
    old, new = (made({"a": n}, "/resource.k8s.io/classic/resourceclaims/ns/a") for n in (1, 2))
    (difference,) = old.diff(new)
    assert (difference.resource, difference.namespace, difference.name) == (
        "resourceclaims.resource.k8s.io",
        "ns",
        "a",
    )
