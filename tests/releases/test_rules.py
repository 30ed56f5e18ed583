"""The validation rules of a release include its feature gates, which decide whether fields are dropped."""

import pytest

from fakeapi.releases import load_release
from fakeapi.releases.rules import rules_of


@pytest.mark.parametrize(
    ("release", "gates", "drops"),
    [
        ("1.31", "", False),
        ("1.32", "", True),
        ("1.32", "DRAAdminAccess=true", False),
        ("1.33", "", True),
    ],
)
def test_a_field_is_dropped_where_its_gate_exists_and_is_off(
    release: str, gates: str, *, drops: bool
) -> None:
    assert rules_of(load_release(release, gates)).drops("DRAAdminAccess") is drops


def test_a_gate_that_is_on_by_default_drops_nothing() -> None:
    assert not rules_of(load_release("1.33")).drops("DRAResourceClaimDeviceStatus")
