from typing import Any

import pytest

from fakeapi.testing import manifests


def test_a_list_without_items_has_no_objects() -> None:
    assert manifests.load({"kind": "List", "apiVersion": "v1"}) == []


@pytest.mark.parametrize("items", [0, 10**30, True, "text", {"kind": "Pod"}])
def test_items_of_a_list_that_are_not_a_list_raise_a_value_error(items: Any) -> None:
    with pytest.raises(ValueError, match=r"the items of a List must be a list, not "):
        manifests.load({"kind": "List", "apiVersion": "v1", "items": items})
