"""The type of a patch in an audit log is inferred from the most reliable fact in the log."""

from typing import Any

import pytest

from fakeapi.machinery.patch.media_types import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from fakeapi.traces.formats.patch_types import infer

WHOLE = {"apiVersion": "v1", "kind": "Pod", "status": {}}
UPDATED = {"metadata": {"managedFields": [{"manager": "me", "operation": "Update"}]}}
APPLIED = {"metadata": {"managedFields": [{"manager": "me", "operation": "Apply"}]}}


@pytest.mark.parametrize(
    ("patch", "facts", "expected"),
    [
        ([{"op": "test"}], {}, JSON_PATCH),
        ([], {"query": "force=true"}, JSON_PATCH),
        ({}, {"query": "fieldManager=me&force=true"}, APPLY_PATCH),
        (WHOLE, {"query": "fieldManager=me"}, APPLY_PATCH),
        (WHOLE, {"query": "fieldManager=me", "answer": APPLIED}, APPLY_PATCH),
        (WHOLE, {"query": "fieldManager=me", "answer": UPDATED}, STRATEGIC_MERGE_PATCH),
        (WHOLE, {}, STRATEGIC_MERGE_PATCH),
        ({"a": [{"$patch": "delete"}]}, {"group": "example.com"}, STRATEGIC_MERGE_PATCH),
        ({"$setElementOrder/a": []}, {}, STRATEGIC_MERGE_PATCH),
        ({"a": 1}, {"group": "example.com"}, MERGE_PATCH),
        ({"a": 1}, {"group": "resource.k8s.io"}, STRATEGIC_MERGE_PATCH),
        ({"a": [1]}, {"answer": {"a": [1, 2]}, "assume": MERGE_PATCH}, STRATEGIC_MERGE_PATCH),
        ({"a": [1]}, {"answer": {"a": [1]}, "assume": MERGE_PATCH}, MERGE_PATCH),
        ({"a": 1}, {"agent": "kopf/1.37"}, MERGE_PATCH),
        ({"a": 1}, {"agent": "kubectl/v1"}, STRATEGIC_MERGE_PATCH),
        (None, {"assume": MERGE_PATCH}, MERGE_PATCH),
    ],
)
def test_the_type_of_a_patch_is_inferred(patch: Any, facts: dict[str, Any], expected: str) -> None:
    found, reason = infer(patch, **{"query": "", "group": "", "agent": "", **facts})
    assert found == expected
    assert reason
