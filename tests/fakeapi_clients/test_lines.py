"""A reader splits a byte stream into lines of limited length."""

import pytest

from fakeapi.clients.lines import LineSplitter, LineTooLong


def lines_of(*parts: bytes, limit: int = 100) -> tuple[list[bytes], bytes]:
    splitter = LineSplitter(limit)
    return [line for part in parts for line in splitter.feed(part)], splitter.rest()


def test_a_line_may_come_in_several_parts_and_a_part_may_have_several_lines() -> None:
    assert lines_of(b"a\nb", b"", b"c", b"d\n\ne") == ([b"a", b"bcd", b""], b"e")


@pytest.mark.parametrize("parts", [(b"12345",), (b"12", b"345"), (b"ok\n12345\n",), (b"12", b"345\n")])
def test_a_line_over_the_limit_raises_an_error(parts: tuple[bytes, ...]) -> None:
    with pytest.raises(LineTooLong, match="longer than 4 bytes"):
        lines_of(*parts, limit=4)


def test_a_line_of_the_limit_is_split() -> None:
    assert lines_of(b"1234\n5678", limit=4) == ([b"1234"], b"5678")
