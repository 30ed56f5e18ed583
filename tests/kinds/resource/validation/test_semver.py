"""Validation of semantic versions in device attributes."""

import pytest

from fakeapi.kinds.resource.validation.semver import validate_version
from tests.kinds.resource.builders import triples


@pytest.mark.parametrize("text", ["0.0.0", "1.2.3", "1.2.3-rc.1", "1.2.3-0a.b+build.01", "10.20.30+a-b"])
def test_a_version_of_three_numbers_and_what_may_follow_is_one(text: str) -> None:
    assert validate_version(text, "v") == []


@pytest.mark.parametrize(
    "text",
    ["", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3+", "v1.2.3", "1.2.3\n", "1.2.٣"],
)
def test_anything_else_is_none(text: str) -> None:
    [(field, reason, message)] = triples(validate_version(text, "v"))
    assert (field, reason) == ("v", "Invalid")
    assert message.endswith("must be a string compatible with semver.org spec 2.0.0")
