"""Limits, such as the length of reservedFor, are the same as in the last patch release of each release."""

import pytest

from fakeapi.releases import COMPILED_RELEASES, load_release


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_a_claim_takes_32_reservations_and_256_from_1_32_on(name: str) -> None:
    assert load_release(name).limits.reserved_for == (256 if name >= "1.32" else 32)


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_expressions_and_parameters_have_a_limit_from_1_32_on(name: str) -> None:
    limits = load_release(name).limits
    found = (limits.cel_expression, limits.opaque_parameters, limits.cel_cost)
    assert found == ((10240, 10240, 1_000_000) if name >= "1.32" else (None, None, None))


@pytest.mark.parametrize("name", COMPILED_RELEASES)
def test_a_device_takes_4_taints_and_16_from_1_35_on(name: str) -> None:
    assert load_release(name).limits.taints == (16 if name >= "1.35" else 4)


def test_an_allocation_has_room_for_the_configuration_of_class_and_claim() -> None:
    limits = load_release("1.33").limits
    assert limits.allocation_configs == 2 * limits.configs == 64
