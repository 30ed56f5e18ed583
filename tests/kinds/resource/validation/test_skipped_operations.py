"""Validation of the field `skipNodeOperations`, which lets drivers skip prepare or unprepare calls."""

import pytest

from fakeapi.kinds.resource.validation.skipped_operations import validate_skipped_operations
from tests.kinds.resource.builders import RULES, triples

PREPARE, UNPREPARE = "NodePrepareResources", "NodeUnprepareResources"


@pytest.mark.parametrize("skipped", [None, [], [UNPREPARE], [PREPARE, UNPREPARE], [PREPARE, "*"]])
def test_what_is_not_prepared_is_not_unprepared(skipped: list[str] | None) -> None:
    assert validate_skipped_operations(skipped, "s", RULES["1.37"]) == []


def test_what_is_not_prepared_cannot_be_unprepared() -> None:
    problem = f"{PREPARE} cannot be skipped unless {UNPREPARE} is also skipped"
    assert triples(validate_skipped_operations([PREPARE], "s", RULES["1.37"])) == [
        ("s", "Invalid", f'Invalid value: ["{PREPARE}"]: {problem}')
    ]
