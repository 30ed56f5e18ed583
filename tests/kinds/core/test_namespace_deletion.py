"""Deletion of a namespace: phase, finalizers, and the preconditions and options of the request."""

import copy
from typing import Any

import pytest

from fakeapi.kinds.core.namespace.definition import NAMESPACE
from fakeapi.kinds.core.namespace.deletion import TERMINATING, terminate
from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.deletion_policies import FOREGROUND, ORPHAN, AlreadyDeleting, DeletionRequest
from fakeapi.registry.requests.options import DeleteOptions
from fakeapi.releases.quirks import quirks_of

NOW, LATER = "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"
HOLD = "example.com/hold"
QUIRKS = quirks_of(33)
RESOURCE, KIND = Qualified("", "namespaces"), Qualified("", "Namespace")


def namespace(*finalizers: str, phase: str = "Active", **metadata: Any) -> Object:
    return {
        "metadata": {"name": "team", "uid": "u-1", "resourceVersion": "7", **metadata},
        "spec": {"finalizers": list(finalizers)} if finalizers else {},
        "status": {"phase": phase},
    }


def going(*finalizers: str, **metadata: Any) -> Object:
    return namespace(*finalizers, phase=TERMINATING, deletionTimestamp=NOW, **metadata)


def deleted(obj: Object, now: str = NOW, **options: Any) -> Object | AlreadyDeleting | None:
    return terminate(obj, DeletionRequest(DeleteOptions(**options), now, RESOURCE, KIND, QUIRKS))


def test_it_is_how_namespaces_are_deleted() -> None:
    assert NAMESPACE.deletion is terminate


@pytest.mark.parametrize("finalizers", [(), ("kubernetes",)])
def test_the_first_deletion_marks_a_namespace_whatever_holds_it(finalizers: tuple[str, ...]) -> None:
    assert deleted(namespace(*finalizers)) == going(*finalizers)


def test_a_namespace_that_is_going_stays_as_it_is_while_its_spec_has_finalizers() -> None:
    marked = going("kubernetes", finalizers=[HOLD])
    assert deleted(copy.deepcopy(marked), LATER, propagation="Orphan") == AlreadyDeleting(marked)


def test_a_namespace_whose_spec_has_no_finalizers_left_goes() -> None:
    assert deleted(going(), LATER) is None


def test_finalizers_of_its_metadata_hold_it_as_they_hold_any_object() -> None:
    marked = going(finalizers=[HOLD])
    assert deleted(copy.deepcopy(marked), LATER) == going(finalizers=[HOLD], deletionGracePeriodSeconds=0)


@pytest.mark.parametrize(
    ("present", "options", "left"),
    [
        (None, {}, None),
        (None, {"propagation": "Background"}, None),
        (None, {"propagation": "Foreground"}, [FOREGROUND]),
        (None, {"orphan": True}, [ORPHAN]),
        (None, {"orphan": False}, [FOREGROUND]),
        ([HOLD], {"propagation": "Orphan"}, [HOLD, ORPHAN]),
        ([ORPHAN, HOLD], {"propagation": "Foreground"}, [HOLD, FOREGROUND]),
        ([ORPHAN, HOLD], {"propagation": "Background"}, [HOLD]),
        ([ORPHAN, HOLD], {}, [ORPHAN, HOLD]),
        ([ORPHAN, HOLD], {"orphan": True}, [ORPHAN, HOLD]),
    ],
)
def test_the_options_set_the_finalizer_of_the_garbage_collector(
    present: list[str] | None, options: dict[str, Any], left: list[str] | None
) -> None:
    metadata: dict[str, Any] = {} if present is None else {"finalizers": present}
    marked = deleted(namespace("kubernetes", **metadata), **options)
    assert isinstance(marked, dict)
    assert marked["metadata"].get("finalizers") == left


@pytest.mark.parametrize("obj", [namespace("kubernetes"), going("kubernetes"), going()])
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"uid": "other"}, "UID in precondition: other, UID in object meta: u-1"),
        (
            {"resource_version": "6"},
            "ResourceVersion in precondition: 6, ResourceVersion in object meta: 7",
        ),
    ],
)
def test_a_precondition_that_does_not_hold_is_a_conflict_and_nothing_is_changed(
    obj: Object, options: dict[str, Any], why: str
) -> None:
    before = copy.deepcopy(obj)
    with pytest.raises(ApiError) as refused:
        deleted(obj, **options)
    assert refused.value.code == 409
    assert refused.value.message == (
        f'Operation cannot be fulfilled on namespaces "team": Precondition failed: {why}'
    )
    assert obj == before


def test_preconditions_that_hold_let_the_deletion_pass() -> None:
    assert deleted(namespace(), uid="u-1", resource_version="7") == going()
