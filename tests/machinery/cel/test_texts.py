"""CEL error messages print lists, maps and optionals as cel-go does."""

import pytest

from fakeapi.machinery.cel.runtime.json_values import from_json
from fakeapi.machinery.cel.runtime.memory import Memory, MemoryLimitError
from fakeapi.machinery.cel.runtime.texts import text_of
from fakeapi.machinery.cel.runtime.values import NONE, Entries, Items, Optional


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Items([1, "a", Items([])]), "[1, a, []]"),
        (Entries([("a", 1), (2, Items([None]))]), "{a: 1, 2: [null]}"),
        (from_json({"b": [True], "a": {}}), "{a: {}, b: [true]}"),
        (Optional(Items([1])), "optional([1])"),
        (NONE, "optional.none()"),
    ],
)
def test_members_are_printed(value: object, text: str) -> None:
    assert text_of(value) == text


def test_the_text_of_a_list_with_the_same_long_member_is_bounded() -> None:
    many = Items(["a" * 10_000] * 1_000)
    with Memory(1_000_000), pytest.raises(MemoryLimitError):
        text_of(many)
