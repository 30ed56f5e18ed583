"""A generated name is the prefix of `generateName` and a suffix, and no longer than a label."""

import pytest

from fakeapi.machinery.meta.generated_names import generated_name


@pytest.mark.parametrize(
    ("prefix", "name"),
    [("claim-", "claim-x2z4v"), ("a" * 58, "a" * 58 + "x2z4v"), ("a" * 63, "a" * 58 + "x2z4v")],
)
def test_a_generated_name_is_never_longer_than_a_label(prefix: str, name: str) -> None:
    assert generated_name(prefix, "x2z4v") == name


def test_a_generated_name_is_cut_by_bytes() -> None:
    assert generated_name("é" * 40, "x2z4v") == "é" * 29 + "x2z4v"
