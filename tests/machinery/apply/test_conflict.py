"""Conflicts of server-side apply name the managers and fields as Kubernetes does."""

import pytest

from fakeapi.machinery.apply.conflict import Conflicts
from fakeapi.machinery.apply.fieldset import FieldSet
from fakeapi.machinery.apply.managedfields import applier, updater
from fakeapi.machinery.errors import Cause

KUBECTL = applier("kubectl", "")
DRIVER = updater("driver", "resource.k8s.io/v1beta1", "status")


def test_one_conflict_is_one_line() -> None:
    error = Conflicts({KUBECTL: {"f:spec": {"f:size": {}}}}).as_api_error()
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message == 'Apply failed with 1 conflict: conflict with "kubectl": .spec.size'
    assert error.details is not None
    assert error.details.causes == (Cause("FieldManagerConflict", 'conflict with "kubectl"', ".spec.size"),)


def test_several_conflicts_are_listed_by_manager() -> None:
    conflicts = Conflicts({DRIVER: {"f:a": {}, "f:b": {}}, KUBECTL: {'k:{"name":"x"}': {}}})
    assert conflicts.as_api_error().message == (
        "Apply failed with 3 conflicts: "
        'conflicts with "driver" with subresource "status" using resource.k8s.io/v1beta1:\n- .a\n- .b\n'
        'conflicts with "kubectl":\n- [name="x"]'
    )


def test_what_is_allowed_is_no_conflict() -> None:
    conflicts = Conflicts({KUBECTL: {"f:a": {}, "f:b": {}}, DRIVER: {"f:a": {}}})
    assert conflicts.without({"f:a": {}}).fields == {KUBECTL: {"f:b": {}}}


@pytest.mark.parametrize("allowed", [{"f:a": {".": {}, "f:c": {}}}, {"f:a": {}}])
def test_only_members_are_allowed(allowed: FieldSet) -> None:
    assert Conflicts({KUBECTL: {"f:a": {}}}).without(allowed).fields == {}
    assert Conflicts({KUBECTL: {"f:a": {}}}).without({"f:a": {"f:c": {}}}).fields != {}
