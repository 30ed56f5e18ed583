"""Validation of the standard device attribute that contains the type of a partition."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.partition_types import validate_partition_type
from tests.kinds.resource.builders import RULES, places

NAME = "d.example/type"
USED = "s.devices[0].attributes[d.example/type]"


def spec(attributes: dict[str, Any] | None, name: str | None = NAME) -> dict[str, Any]:
    device = {} if attributes is None else {"attributes": attributes, "consumesCounters": [{}]}
    named = {} if name is None else {"partitionTypeAttribute": name}
    return {"driver": "d.example", "devices": [device], **named}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (spec(None, None), []),
        (spec({NAME: {"string": "a"}}), []),
        (spec({"type": {"string": "a"}}), []),
        (spec({}, "no-domain"), []),
        (spec(None), ["s.partitionTypeAttribute"]),
        (spec({}), [USED]),
        (spec({"type": {"int": 1}}), [USED]),
        (spec({NAME: {"int": 1}, "type": {"string": "a"}}), [USED]),
    ],
)
def test_devices_that_consume_counters_have_it_as_a_string(
    value: dict[str, Any], expected: list[str]
) -> None:
    assert places(validate_partition_type(value, "s", RULES["1.37"])) == expected
