"""Objects without graceful deletion are deleted at once, or when their last finalizer is removed."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.deletion_policies import (
    FOREGROUND,
    ORPHAN,
    DeletionRequest,
    check_preconditions,
    delete_after_finalizers,
    wanted_finalizers,
    without_garbage_collectors,
)
from fakeapi.registry.requests.options import DeleteOptions
from fakeapi.releases.quirks import quirks_of

NOW = "2030-01-01T00:00:00Z"
EARLIER = "2029-01-01T00:00:00Z"
HOLD = "example.com/hold"
QUIRKS = quirks_of(33)
RECREATED = "The object might have been deleted and then recreated"
MODIFIED = "record (7). The object might have been modified"
RESOURCE, KIND = Qualified("example.com", "widgets"), Qualified("example.com", "Widget")


def stored(*finalizers: str, **metadata: Any) -> Object:
    held_metadata = {"finalizers": list(finalizers)} if finalizers else {}
    return {"metadata": {"name": "a", "uid": "u-1", "resourceVersion": "7", **metadata, **held_metadata}}


def deleted(obj: Object, now: str = NOW, **options: Any) -> Object | None:
    return delete_after_finalizers(
        obj, DeletionRequest(DeleteOptions(**options), now, RESOURCE, KIND, QUIRKS)
    )


def test_what_nothing_holds_goes_at_once() -> None:
    assert deleted(stored()) is None
    assert deleted(stored(finalizers=[])) is None


def test_what_a_finalizer_holds_is_marked_and_counts_as_a_new_generation() -> None:
    assert deleted(stored(HOLD, generation=3)) == stored(
        HOLD, generation=4, deletionTimestamp=NOW, deletionGracePeriodSeconds=0
    )


def test_an_object_without_a_generation_is_given_none() -> None:
    assert deleted(stored(HOLD)) == stored(HOLD, deletionTimestamp=NOW, deletionGracePeriodSeconds=0)


def test_a_second_deletion_changes_nothing() -> None:
    once = deleted(stored(HOLD, generation=3), EARLIER)
    assert once is not None
    assert deleted(copy.deepcopy(once)) == once


def test_a_second_deletion_whose_finalizers_are_gone_ends_the_object() -> None:
    assert deleted(stored(deletionTimestamp=EARLIER, deletionGracePeriodSeconds=0)) is None


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, None),
        ({"propagation": "Orphan"}, [ORPHAN]),
        ({"propagation": "Foreground"}, [FOREGROUND]),
        ({"propagation": "Background"}, []),
        ({"orphan": True}, [ORPHAN]),
        ({"orphan": False}, []),
        ({"orphan": False, "propagation": "Foreground"}, []),
    ],
)
def test_options_ask_for_a_finalizer_of_the_garbage_collector_or_for_none(
    options: dict[str, Any], wanted: list[str] | None
) -> None:
    assert wanted_finalizers(DeleteOptions(**options)) == wanted


@pytest.mark.parametrize(
    ("present", "options", "left"),
    [
        ([HOLD], {"propagation": "Foreground"}, [HOLD, FOREGROUND]),
        ([], {"propagation": "Orphan"}, [ORPHAN]),
        ([FOREGROUND, HOLD], {"propagation": "Orphan"}, [HOLD, ORPHAN]),
        ([FOREGROUND, HOLD], {"propagation": "Background"}, [HOLD]),
        ([FOREGROUND, HOLD], {}, [FOREGROUND, HOLD]),
        ([ORPHAN], {}, [ORPHAN]),
        ([FOREGROUND, HOLD], {"propagation": "Foreground"}, [FOREGROUND, HOLD]),
        ([FOREGROUND, ORPHAN, HOLD], {}, [HOLD, FOREGROUND]),
    ],
)
def test_the_finalizer_of_the_garbage_collector_follows_the_options_and_others_stay(
    present: list[str], options: dict[str, Any], left: list[str]
) -> None:
    marked = deleted(stored(*present), **options)
    assert marked is not None
    assert marked["metadata"]["finalizers"] == left


def test_a_background_deletion_ends_what_only_the_garbage_collector_held() -> None:
    assert deleted(stored(FOREGROUND), propagation="Background") is None
    assert deleted(stored(ORPHAN), orphan=False) is None


def test_finalizers_that_are_not_the_garbage_collector_s_are_left() -> None:
    assert without_garbage_collectors([FOREGROUND, HOLD, ORPHAN]) == [HOLD]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"uid": "other"},
            f"the UID in the precondition (other) does not match the UID in record (u-1). {RECREATED}",
        ),
        (
            {"resource_version": "6"},
            f"the ResourceVersion in the precondition (6) does not match the ResourceVersion in {MODIFIED}",
        ),
        (
            {"uid": "", "resource_version": "6"},
            f"the UID in the precondition () does not match the UID in record (u-1). {RECREATED}",
        ),
    ],
)
def test_a_precondition_that_does_not_hold_is_a_conflict_and_nothing_is_changed(
    options: dict[str, Any], why: str
) -> None:
    obj = stored(HOLD, generation=3)
    with pytest.raises(ApiError) as refused:
        deleted(obj, **options)
    assert (refused.value.code, refused.value.reason) == (409, "Conflict")
    assert refused.value.message == f'Operation cannot be fulfilled on Widget.example.com "a": {why}'
    assert obj == stored(HOLD, generation=3)


def test_preconditions_that_hold_let_the_deletion_pass() -> None:
    check_preconditions(stored()["metadata"], DeleteOptions(uid="u-1", resource_version="7"), KIND)
    assert deleted(stored(), uid="u-1", resource_version="7") is None


FINALIZERS = st.lists(st.sampled_from([HOLD, "example.com/other", FOREGROUND, ORPHAN]), unique=True)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "propagation": st.sampled_from(["Orphan", "Foreground", "Background"]),
        "orphan": st.booleans(),
    },
)


@given(FINALIZERS, OPTIONS)
def test_no_deletion_takes_away_a_finalizer_that_is_not_the_garbage_collector_s(
    finalizers: list[str], options: dict[str, Any]
) -> None:
    marked = deleted(stored(*finalizers), **options)
    left = [] if marked is None else marked["metadata"]["finalizers"]
    assert without_garbage_collectors(left) == without_garbage_collectors(finalizers)
    assert len(left) - len(without_garbage_collectors(left)) <= 1
    assert (marked is None) is (left == [])


@given(FINALIZERS, OPTIONS)
def test_the_same_deletion_twice_is_that_deletion_once(
    finalizers: list[str], options: dict[str, Any]
) -> None:
    once = deleted(stored(*finalizers, generation=1), **options)
    if once is not None:
        assert deleted(copy.deepcopy(once), "2031-01-01T00:00:00Z", **options) == once
