import pytest

from fakeapi.machinery.cel.declarations import LIBRARIES, functions_of

STANDARD = frozenset({"standard"})


def test_a_library_adds_its_functions_to_those_of_the_standard() -> None:
    standard, all_of_them = functions_of(STANDARD), functions_of(LIBRARIES)
    assert "size" in standard
    assert "quantity" not in standard
    assert "quantity" in all_of_them


def test_overloads_of_one_function_have_ids_of_their_own() -> None:
    for name, overloads in functions_of(LIBRARIES).items():
        ids = [overload.id for overload in overloads]
        assert len(ids) == len(set(ids)), name


def test_an_unknown_library_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        functions_of(frozenset({"astrology"}))
