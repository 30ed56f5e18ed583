"""The type of a patch is inferred from what there is, in the order of how sure it makes."""

from typing import Any

import pytest

from fakeapi.traces.formats.patch_types import APPLY, JSON_PATCH, MERGE, STRATEGIC, infer

WHOLE = {"apiVersion": "v1", "kind": "Pod", "status": {}}
UPDATED = {"metadata": {"managedFields": [{"manager": "me", "operation": "Update"}]}}
APPLIED = {"metadata": {"managedFields": [{"manager": "me", "operation": "Apply"}]}}


@pytest.mark.parametrize(
    ("patch", "facts", "expected"),
    [
        ([{"op": "test"}], {}, JSON_PATCH),
        ([], {"query": "force=true"}, JSON_PATCH),
        ({}, {"query": "fieldManager=me&force=true"}, APPLY),
        (WHOLE, {"query": "fieldManager=me"}, APPLY),
        (WHOLE, {"query": "fieldManager=me", "answer": APPLIED}, APPLY),
        (WHOLE, {"query": "fieldManager=me", "answer": UPDATED}, STRATEGIC),
        (WHOLE, {}, STRATEGIC),
        ({"a": [{"$patch": "delete"}]}, {"group": "example.com"}, STRATEGIC),
        ({"$setElementOrder/a": []}, {}, STRATEGIC),
        ({"a": 1}, {"group": "example.com"}, MERGE),
        ({"a": 1}, {"group": "resource.k8s.io"}, STRATEGIC),
        ({"a": [1]}, {"answer": {"a": [1, 2]}, "assume": MERGE}, STRATEGIC),
        ({"a": [1]}, {"answer": {"a": [1]}, "assume": MERGE}, MERGE),
        ({"a": 1}, {"agent": "kopf/1.37"}, MERGE),
        ({"a": 1}, {"agent": "kubectl/v1"}, STRATEGIC),
        (None, {"assume": MERGE}, MERGE),
    ],
)
def test_the_type_of_a_patch_is_inferred(patch: Any, facts: dict[str, Any], expected: str) -> None:
    found, reason = infer(patch, **{"query": "", "group": "", "agent": "", **facts})
    assert found == expected
    assert reason
