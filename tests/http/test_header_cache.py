"""The header cache keeps values that functions compute from the text of a header."""

from collections.abc import Callable

from fakeapi.http.header_cache import TEXT_LENGTH_MAX, TEXTS_MAX, cached_by_header


def cached_lengths() -> tuple[Callable[[str], int], list[str]]:
    """Returns a cached function that computes the length of a text, and a list.

    The function adds a text to the list when it computes the length, and not when the cache has it.
    """
    computed: list[str] = []

    def length(text: str) -> int:
        computed.append(text)
        return len(text)

    return cached_by_header(length), computed


def test_a_text_is_computed_once() -> None:
    lengths, computed = cached_lengths()
    assert [lengths("abc"), lengths("abc"), lengths("d")] == [3, 3, 1]
    assert computed == ["abc", "d"]


def test_the_texts_unused_for_longest_go() -> None:
    lengths, computed = cached_lengths()
    for number in range(TEXTS_MAX + 1):
        lengths(str(number))
    lengths(str(TEXTS_MAX))
    lengths("0")
    assert computed == [*map(str, range(TEXTS_MAX + 1)), "0"]


def test_a_long_text_is_never_cached() -> None:
    lengths, computed = cached_lengths()
    for length in (TEXT_LENGTH_MAX, TEXT_LENGTH_MAX + 1):
        assert [lengths("x" * length), lengths("x" * length)] == [length, length]
    assert [len(text) for text in computed] == [TEXT_LENGTH_MAX, *[TEXT_LENGTH_MAX + 1] * 2]
