"""Strategies set and change fields of ObjectMeta on each write of an object."""

from typing import Any

from fakeapi.registry.model.object_meta import reset_for_status

OLD: dict[str, Any] = {
    "name": "a",
    "namespace": "n",
    "uid": "u",
    "resourceVersion": "1",
    "labels": {"keep": "1"},
    "finalizers": ["example.com/keep"],
    "managedFields": [{"manager": "old"}],
}


def test_a_write_to_status_keeps_what_clients_say_of_an_object() -> None:
    new = {
        "name": "a",
        "namespace": "n",
        "uid": "u",
        "resourceVersion": "2",
        "deletionTimestamp": "2001-01-01T00:00:00Z",
        "labels": {"new": "1"},
        "annotations": {"new": "1"},
        "ownerReferences": [{"name": "new"}],
        "managedFields": [{"manager": "new"}],
    }
    after = reset_for_status(new, OLD)
    assert after == OLD | {"resourceVersion": "2", "managedFields": [{"manager": "new"}]}


def test_metadata_that_differs_in_nothing_kept_is_left_as_it_is() -> None:
    new = {**OLD, "resourceVersion": "2"}
    assert reset_for_status(new, OLD) is new


def test_fields_stay_in_their_order_on_the_wire() -> None:
    new = {"name": "a", "namespace": "n", "managedFields": []}
    assert list(reset_for_status(new, OLD)) == ["name", "namespace", "labels", "finalizers", "managedFields"]
