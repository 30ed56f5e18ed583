"""Regular expressions give the results of Go's package regexp."""

import pytest

from fakeapi.machinery.golang.regexp.matching import STEPS_MAX, Regexp, compile_regexp
from fakeapi.machinery.golang.regexp.syntax import DEPTH_MAX, RegexpError


@pytest.mark.parametrize(
    ("expression", "matching", "others"),
    [
        ("abc", ["xabcx"], ["ab", ""]),
        ("^a$", ["a"], ["a\n", "ba"]),
        ("(?m)^a$", ["b\na\nc"], ["ba"]),
        ("a|b|", [""], []),
        ("^(a|bc)*d$", ["d", "abcad"], ["abd"]),
        ("^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
        ("^a{2}$", ["aa"], ["aaa"]),
        ("^a{2,}$", ["aaaa"], ["a"]),
        ("^a{0}$", [""], ["a"]),
        ("^a{,2}$", ["a{,2}"], ["a"]),
        ("^[a-c]+$", ["abc"], ["d", ""]),
        ("^[^a-c]$", ["d", "\n"], ["a"]),
        ("^.$", ["\u00e9", "\U0001f600"], ["\n", "ab"]),
        ("(?s)^.$", ["\n"], []),
        (r"^\d\D\w\W\s\S$", ["1a_- x"], ["aaaaaa", "\u0661a_- x"]),
        ("^[[:alpha:]][[:^digit:]]$", ["ab"], ["1b", "a1"]),
        (r"^[\d-]+$", ["1-2"], ["a"]),
        (r"^\pL\p{Lu}\P{L}$", ["aB1"], ["ab1", "1B1"]),
        (r"^\p{Greek}$", ["\u03b1"], ["a"]),
        ("(?i)^straSSe$", ["STRASSE", "\u017ftrasse"], ["stra\u00dfe"]),
        ("(?i)^k$", ["K", "\u212a"], ["x"]),
        ("(?i:a)b", ["Ab"], ["AB"]),
        ("(?i)a(?-i)b", ["Ab"], ["AB"]),
        (r"\bfoo\b", ["a foo b", "foo"], ["afoo"]),
        (r"\Bfoo", ["afoo"], ["foo"]),
        (r"\Aa\z", ["a"], ["a\n", "ba"]),
        (r"^\x41\x{1F600}\101\n$", ["A\U0001f600A\n"], ["A"]),
        (r"^\Qa*b\E+$", ["a*bb"], ["aab"]),
        ("^(?P<x>a)(?<y>b)(?:c)$", ["abc"], []),
        ("^a*?b+?c??$", ["aabbc", "b"], ["a"]),
        ("^[]a]+$", ["]a"], ["b"]),
        ("^[a\\]]$", ["]"], ["\\"]),
        ("x*", ["", "y"], []),
        ("(a*)*b", ["aab"], ["aac"]),
        ("^(|a)+$", ["", "aa"], ["b"]),
    ],
)
def test_texts_match_as_in_go(expression: str, matching: list[str], others: list[str]) -> None:
    compiled = compile_regexp(expression)
    assert [compiled.search(text) for text in matching] == [True] * len(matching)
    assert [compiled.search(text) for text in others] == [False] * len(others)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("[", "missing closing ]: `[`"),
        ("(a", "missing closing ): `(a`"),
        ("a)", "unexpected ): `a)`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("a|*", "missing argument to repetition operator: `*`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("(a{100}){11}", "invalid repeat count: `{11}`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\pX", r"invalid character class range: `\pX`"),
        (r"\q", r"invalid escape sequence: `\q`"),
        (r"\8", r"invalid escape sequence: `\8`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
    ],
)
def test_expressions_that_go_refuses_are_refused_in_its_words(expression: str, message: str) -> None:
    with pytest.raises(RegexpError) as caught:
        compile_regexp(expression)
    assert str(caught.value) == f"error parsing regexp: {message}"


def test_what_needs_too_many_steps_is_refused() -> None:
    with pytest.raises(RegexpError, match="too large"):
        compile_regexp("(abcdefghij){1000}" * (STEPS_MAX // 10_000 + 1))


def test_groups_within_groups_are_bounded() -> None:
    with pytest.raises(RegexpError, match="nests too deeply"):
        compile_regexp("(" * (DEPTH_MAX + 2))


def test_an_expression_that_backtracks_for_ever_elsewhere_answers_at_once() -> None:
    assert not compile_regexp("^(a+)+$").search("a" * 20_000 + "b")
    assert not compile_regexp("(x+x+)+y").search("x" * 20_000)


def test_an_automaton_keeps_a_number_of_transitions_and_answers_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [chr(letter) * 3 + "!" for letter in range(97, 123)]
    kept = Regexp("^[a-z]+!$")
    assert all(kept.search(text) for text in texts)
    monkeypatch.setattr("fakeapi.machinery.golang.regexp.matching.TRANSITIONS_MAX", 5)
    forgetful = Regexp("^[a-z]+!$")
    for text in texts:
        assert forgetful.search(text)
        assert forgetful._kept <= 5
