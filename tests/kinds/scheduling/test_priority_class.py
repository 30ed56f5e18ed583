"""PriorityClass: validation, immutable fields, and the built-in classes."""

import pytest

from fakeapi.machinery.errors import ApiError, Qualified
from fakeapi.registry.model.deletion_policies import DeletionRequest
from fakeapi.registry.requests.options import DeleteOptions
from tests.kinds.judging import Body, Found, created, refusals, refused_change, resource_of

CLASS = resource_of("1.33", "scheduling.k8s.io", "v1", "priorityclasses")
RESERVED = "Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"value": 1_000_000_000}, []),
        ({"value": -5}, []),
        (
            {"value": 1_000_000_001},
            [("value", "Forbidden: maximum allowed value of a user defined priority is 1000000000")],
        ),
        (
            {"preemptionPolicy": "Odd"},
            [
                (
                    "preemptionPolicy",
                    'Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"',
                )
            ],
        ),
        (
            {"metadata": {"name": "system-mine"}},
            [("metadata.name", f"{RESERVED}system-mine is not a known system priority class")],
        ),
        (
            {"metadata": {"name": "system-node-critical"}, "value": 1},
            [
                (
                    "metadata.name",
                    f"{RESERVED}value of system-node-critical PriorityClass must be 2000001000",
                )
            ],
        ),
        ({"metadata": {"name": "system-node-critical"}, "value": 2_000_001_000}, []),
    ],
)
def test_high_values_and_names_of_the_system_are_its_own(body: Body, expected: Found) -> None:
    assert refusals(CLASS, body) == expected


def test_the_value_and_the_policy_stay() -> None:
    assert refused_change(CLASS, {"value": 1}, {"value": 2, "preemptionPolicy": "Never"}) == [
        ("value", "Forbidden: may not be changed in an update."),
        ("preemptionPolicy", 'Invalid value: "Never": field is immutable'),
    ]
    assert refused_change(CLASS, {"value": 1}, {"value": 1, "description": "d"}) == []


def test_a_class_is_of_the_first_generation() -> None:
    assert created(CLASS, {"value": 1})["metadata"]["generation"] == 1


def test_classes_of_the_system_are_not_deleted() -> None:
    names = Qualified("scheduling.k8s.io", "priorityclasses")
    obj = {"metadata": {"name": "system-node-critical"}}
    with pytest.raises(ApiError, match="this is a system priority class and cannot be deleted"):
        CLASS.definition.deletion(
            obj, DeletionRequest(DeleteOptions(), "", names, names, CLASS.release.quirks)
        )
