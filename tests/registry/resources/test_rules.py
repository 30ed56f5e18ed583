"""The rows of the table of rules."""

from fakeapi.registry.resources.rules import RULES


def test_every_release_has_its_rules() -> None:
    assert list(RULES) == ["1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.33"]


def test_a_claim_is_reserved_for_more_from_1_32() -> None:
    limits = [RULES[release].reserved_for_max for release in RULES]
    assert limits == [32, 32, 32, 32, 32, 256, 256]


def test_metadata_comes_through_status_up_to_1_29() -> None:
    assert [release for release in RULES if RULES[release].status_stores_metadata] == ["1.27", "1.28", "1.29"]
