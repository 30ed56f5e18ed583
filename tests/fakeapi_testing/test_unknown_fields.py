"""A test that writes an unknown field learns its name, and the field that was probably meant."""

import warnings
from typing import Any

import pytest

from fakeapi import FakeAPI, StatusError, UnknownFieldWarning

pytestmark = pytest.mark.filterwarnings("error::fakeapi.UnknownFieldWarning")


def claim(exactly: dict[str, Any]) -> dict[str, Any]:
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu"},
        "spec": spec,
    }


def test_an_error_names_the_unknown_field_and_the_field_that_was_meant(fakeapi: FakeAPI) -> None:
    with pytest.raises(StatusError) as caught:
        fakeapi.create(claim({"deviceClassname": "gpu"}))
    first, hint = str(caught.value).splitlines()
    assert first.endswith("exactly.deviceClassName: Required value")
    path = "spec.devices.requests[0].exactly.deviceClassname"
    assert hint == f'    unknown field "{path}"; did you mean deviceClassName?'
    assert caught.value.message.endswith("exactly.deviceClassName: Required value"), "the server's own words"


def test_a_dropped_field_of_a_stored_object_is_a_warning(fakeapi: FakeAPI) -> None:
    with pytest.warns(UnknownFieldWarning) as caught:
        fakeapi.create(claim({"deviceClassName": "gpu", "allocationMod": "All"}))
    path = "spec.devices.requests[0].exactly.allocationMod"
    text = f'unknown field "{path}"; did you mean allocationMode?'
    assert str(caught[0].message) == f"create resourceclaims default: the server dropped the {text}"
    assert caught[0].filename == __file__, "the warning names the line of the test"


def test_the_keys_of_a_map_are_not_unknown_fields(fakeapi: FakeAPI) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fakeapi.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"anything": "b"}}
        )


def test_a_field_without_a_similar_name_has_no_suggestion(fakeapi: FakeAPI) -> None:
    with pytest.warns(UnknownFieldWarning, match=r'the server dropped the unknown field "metadata.zzz"$'):
        fakeapi.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "zzz": 1}, "data": {}}
        )


def test_the_field_validation_ignore_avoids_the_warning(fakeapi: FakeAPI) -> None:
    fakeapi.create(claim({"deviceClassName": "gpu", "zzz": 1}), fieldValidation="Ignore")


def test_a_misspelled_field_of_an_update_and_of_a_patch_is_a_warning(fakeapi: FakeAPI) -> None:
    created = fakeapi.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    with pytest.warns(UnknownFieldWarning, match=r'"dta"; did you mean data\?$'):
        fakeapi.update({**created, "dta": {}})
    with pytest.warns(UnknownFieldWarning, match=r'"dta"; did you mean data\?$'):
        fakeapi.patch("ConfigMap", "a", {"dta": {}})


def test_the_journal_has_no_request_for_the_suggestion(fakeapi: FakeAPI) -> None:
    with pytest.raises(StatusError):
        fakeapi.create(claim({"deviceClassname": "gpu"}))
    assert [one.verb for one in fakeapi.requests] == ["create"]
