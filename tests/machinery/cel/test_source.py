import pytest

from fakeapi.machinery.cel.source import (
    FAULTS_MAX,
    SNIPPET_MAX,
    Wording,
    beyond_limits,
    in_go_words,
    quoted_faults,
    shown,
)

NEW = Wording(empty_column=0, line_starts_before=False, lexes_quoted_fields=True)
OLD = Wording(empty_column=1, line_starts_before=True, lexes_quoted_fields=False)


def test_a_fault_is_shown_below_its_line_with_a_mark_at_its_column() -> None:
    assert shown([(5, "bad")], "a ||\nb", NEW) == "ERROR: <input>:2:1: bad\n | b\n | ^"


def test_older_releases_count_the_start_of_a_line_as_the_end_of_the_one_before() -> None:
    assert shown([(5, "bad")], "a ||\nb", OLD) == "ERROR: <input>:1:6: bad\n | a ||\n | ....^"


def test_faults_come_in_the_order_of_their_places_and_in_one_place_as_they_were_found() -> None:
    text = shown([(2, "third"), (0, "first"), (0, "second"), (None, "nowhere")], "a b", NEW)
    heads = [line for line in text.split("\n") if line.startswith("ERROR")]
    assert [head.rsplit(" ", 1)[1] for head in heads] == ["nowhere", "first", "second", "third"]


def test_a_fault_of_no_place_is_shown_without_a_line() -> None:
    assert shown([(None, "bad")], "a", NEW) == "ERROR: <input>:-1:0: bad"


def test_characters_beyond_ascii_are_pointed_past_with_wide_dots() -> None:
    dot, mark = "\uff0e", "\uff3e"
    text = shown([(5, "bad")], '"日本" x', NEW)
    assert text == f'ERROR: <input>:1:6: bad\n | "日本" x\n | .{dot}{dot}..^'
    assert shown([(1, "bad")], '"日', NEW).endswith(f"\n | .{mark}")


def test_tabs_are_shown_as_spaces() -> None:
    assert shown([(1, "bad")], "\tb", NEW) == "ERROR: <input>:1:2: bad\n |  b\n | .^"


def test_a_line_that_is_too_long_is_not_shown() -> None:
    assert shown([(0, "bad")], "a" * (SNIPPET_MAX + 1), NEW) == "ERROR: <input>:1:1: bad"


def test_of_many_faults_a_hundred_are_told_and_the_rest_is_counted() -> None:
    text = shown([(0, "bad")] * (FAULTS_MAX + 3), "a", NEW)
    assert text.count("ERROR") == FAULTS_MAX
    assert text.endswith("\n3 more errors were truncated")


@pytest.mark.parametrize(
    "text",
    ["(" * 251, "[{(" * 84, "'a' + " + "(" * 251, "// (\n" + "(" * 251],
    ids=["brackets", "mixed", "after a string", "after a comment"],
)
def test_more_than_250_brackets_in_brackets_are_too_many(text: str) -> None:
    assert beyond_limits(text) == "ERROR: <input>:-1:0: expression recursion limit exceeded: 250"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 250,
        "()" * 300,
        "'" + "(" * 300 + "'",
        "'''" + "(" * 300 + "'''",
        "//" + "(" * 300,
        '"\\"' + "(" * 300 + '"',
    ],
    ids=["250", "beside each other", "in a string", "in a long string", "in a comment", "after an escape"],
)
def test_brackets_that_do_not_nest_so_deep_are_let_pass(text: str) -> None:
    assert beyond_limits(text) == ""


def test_more_code_points_than_cel_reads_are_counted_in_the_refusal() -> None:
    assert beyond_limits("a" * 100_000) == ""
    assert beyond_limits("a" * 100_001).endswith("exceeds limit: size: 100001, limit 100000")


def test_a_name_in_backquotes_is_one_fault_where_it_is_read_and_two_where_it_is_not() -> None:
    assert quoted_faults("a.`b`", NEW).startswith("ERROR: <input>:1:3: unsupported syntax: '`'")
    assert quoted_faults("a.`b`", OLD).count("token recognition error") == 2


def test_backquotes_in_strings_and_comments_are_no_fault() -> None:
    assert quoted_faults("'`' == \"`\" // `", NEW) == ""


def test_a_fault_at_the_end_of_a_text_that_ends_its_line_is_shown_on_the_empty_line() -> None:
    first, last = "ERROR: <input>:1:1: a\n | x\n | ^", "ERROR: <input>:2:1: b"
    assert in_go_words(f"{first}\n{last}", "x\n", NEW) == f"{first}\n{last}\n | \n | ^"
    assert in_go_words(f"{first}\n{last}\n | y\n | ^", "x\ny", NEW) == f"{first}\n{last}\n | y\n | ^"
