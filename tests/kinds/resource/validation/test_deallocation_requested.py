"""Validation of the field `status.deallocationRequested` of claims."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.deallocation_requested import validate_deallocation
from tests.kinds.resource.builders import Triple, consumer, triples

ASKED: dict[str, Any] = {"allocation": {}, "deallocationRequested": True}


@pytest.mark.parametrize(
    ("status", "old"),
    [
        ({}, {}),
        (ASKED, {"allocation": {}}),
        (ASKED, ASKED),
        ({}, ASKED),
        ({**ASKED, "reservedFor": [consumer(1)]}, ASKED),
    ],
)
def test_deallocation_is_asked_for_and_done(status: dict[str, Any], old: dict[str, Any]) -> None:
    assert validate_deallocation(status, old, "status") == []


@pytest.mark.parametrize(
    ("status", "old", "expected"),
    [
        (
            {**ASKED, "reservedFor": [consumer(1)]},
            {"allocation": {}},
            (
                "status.deallocationRequested",
                "Forbidden",
                "Forbidden: deallocation cannot be requested while `reservedFor` is set",
            ),
        ),
        (
            {"deallocationRequested": True},
            {},
            (
                "status",
                "Forbidden",
                "Forbidden: `allocation` must be set when `deallocationRequested` is set",
            ),
        ),
        (
            {"allocation": {}},
            ASKED,
            (
                "status.deallocationRequested",
                "Forbidden",
                "Forbidden: may not be cleared when `allocation` is set",
            ),
        ),
    ],
)
def test_deallocation_has_its_time(status: dict[str, Any], old: dict[str, Any], expected: Triple) -> None:
    assert triples(validate_deallocation(status, old, "status")) == [expected]
