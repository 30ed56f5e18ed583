"""Validation of the names of node resources and extended resources."""

import pytest

from fakeapi.kinds.common.resource_names import is_native
from fakeapi.kinds.resource.validation.resource_names import validate_extended_resource_name


@pytest.mark.parametrize(
    "name",
    ["example.com/gpu", "deviceclass.resource.example/x", "example.com/Bad_Name", "a.example/" + "x" * 63],
)
def test_an_extended_resource_has_a_domain_of_a_vendor(name: str) -> None:
    assert not is_native(name)
    assert validate_extended_resource_name(name, "n") == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "gpu",
        "cpu",
        "kubernetes.io/gpu",
        "sub.kubernetes.io/gpu",
        "requests.example.com/gpu",
        "example.com/",
        "/gpu",
        "example.com/a/b",
        "EXAMPLE.com/gpu",
        "example.com/" + "x" * 64,
    ],
)
def test_other_names_are_refused(name: str) -> None:
    [error] = validate_extended_resource_name(name, "n")
    assert error.body == f'Invalid value: "{name}": must be a valid extended resource name'
