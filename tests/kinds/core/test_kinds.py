"""Each resource in the core group's table of kinds has the definition of that resource."""

import pytest

from fakeapi.kinds import definition_of
from fakeapi.kinds.core import KINDS
from fakeapi.releases import load_release


@pytest.mark.parametrize("resource", KINDS)
def test_a_resource_has_the_definition_that_bears_its_name(resource: str) -> None:
    assert definition_of(load_release("1.33").kind("", "v1", resource)).resource == resource


def test_pods_are_among_them() -> None:
    assert {"bindings", "namespaces", "nodes", "pods", "secrets"} <= KINDS.keys()
