"""tools/plain_words.py checks the wording of docstrings, comments and documents."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tools import plain_words
from tools.plain_words import RULES, Text, TextKind


@dataclass(frozen=True)
class Case:
    """Two similar sentences: `unclear` breaks the rule named `rule`, and `clear` breaks no rule."""

    rule: str
    unclear: str
    clear: str


CASES = (
    Case(
        rule="summary without a verb or a subject",
        unclear="What a ResourceClaim requests.",
        clear="Returns the requests of a ResourceClaim.",
    ),
    Case(
        rule="summary without a verb or a subject",
        unclear="Errors of a ResourceClaim.",
        clear="Returns the errors of a ResourceClaim.",
    ),
    Case(
        rule="table cell that refers to another cell",
        unclear="the same as for HTTP/1.1",
        clear="The server closes the connection.",
    ),
    Case(
        rule="table cell that refers to another cell",
        unclear="It is cut off.",
        clear="The server cuts off the message. It logs a warning.",
    ),
    Case(
        rule='"is no" instead of "is not"',
        unclear="The body is no JSON object.",
        clear="The body is not a JSON object, and the pod is no longer pending.",
    ),
    Case(
        rule="passive verb without an actor",
        unclear="The kubelet is told about the pod.",
        clear="The kubelet receives the pod.",
    ),
    Case(
        rule="passive verb without an actor",
        unclear="Webhooks are not asked in a dry run.",
        clear="The server calls no webhooks in a dry run.",
    ),
    Case(
        rule='"told" without a sender',
        unclear="The list is left out, and told as missing.",
        clear="The command reports the list as missing.",
    ),
    Case(
        rule="message described by its length",
        unclear="The clock stops, which is said in a line.",
        clear="The clock stops, and the server logs one line.",
    ),
    Case(
        rule='"what … comes to" instead of a noun',
        unclear="The limit is for what an expression comes to.",
        clear="The limit is for the result of an expression. What comes next is not limited.",
    ),
    Case(
        rule='other words for "least recently used"',
        unclear="The cache drops the entry used longest ago.",
        clear="The cache drops the least recently used entry.",
    ),
    Case(
        rule='other words for "least recently used"',
        unclear="The cache drops the entry unused for longest.",
        clear="The cache drops entries that were unused for a day.",
    ),
    Case(
        rule='"goes" instead of "is deleted"',
        unclear="Over the limit, the oldest goes.",
        clear="Over the limit, the rest goes to disk.",
    ),
    Case(
        rule='"but" instead of "except"',
        unclear="The server lists all kinds but for Events.",
        clear="The server lists all kinds except Events.",
    ),
    Case(
        rule='two sentences joined by "of which"',
        unclear="A list has pages, of which each has 500 objects.",
        clear="A list has pages. Each page has 500 objects.",
    ),
    Case(
        rule="amount without a number",
        unclear="The server prints so many errors.",
        clear="The server prints at most 100 errors.",
    ),
    Case(
        rule='"alone" instead of "only"',
        unclear="The cache is for webhooks alone.",
        clear="The cache is only for webhooks.",
    ),
    Case(
        rule='"one" instead of a noun',
        unclear="The new definition replaces the old one.",
        clear="The new definition replaces the old definition, which is one of two.",
    ),
    Case(
        rule='"do so" instead of the verb',
        unclear="Only the allocator of 1.36 does so.",
        clear="Only the allocator of 1.36 sorts pools. So do not call it twice.",
    ),
    Case(
        rule='"take away" instead of "remove"',
        unclear="A patch can take away the finalizer.",
        clear="A patch can remove the finalizer. Calls take a second.",
    ),
    Case(
        rule='summary that "says" something',
        unclear="Says who removes a finalizer.",
        clear="Returns a text with the component that removes a finalizer.",
    ),
    Case(
        rule='"in words" instead of the form of a text',
        unclear="Returns the state of an object in words.",
        clear="Returns the state of an object as text.",
    ),
    Case(
        rule='"else" instead of "otherwise"',
        unclear="Returns the port if it is open, else 0.",
        clear="Returns the port if it is open; otherwise 0, so that nothing else is called.",
    ),
    Case(
        rule='"to the word" instead of a measured figure',
        unclear="The messages are equal to the word.",
        clear="All 1,802 messages equal those of kube-apiserver 1.37.",
    ),
)

REPORTED = "The body is no JSON object."
"""A sentence that the check of tools/plain_words.py reports."""

REPORT = f'"is no" instead of "is not": {REPORTED}'
"""The report of tools/plain_words.py about REPORTED, without the file, the line and the advice."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes tools/plain_words.py check an empty temporary project; returns the project's folder.

    The project has the folders `fakeapi` and `docs`.
    """
    (tmp_path / "fakeapi").mkdir()
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(plain_words, "ROOT", tmp_path)
    monkeypatch.setattr(plain_words, "FOLDERS", ("fakeapi",))
    monkeypatch.setattr(plain_words, "DOCUMENTS", ("docs",))
    return tmp_path


def kind_of(rule: str) -> TextKind:
    """Returns the kind of text to which the wording rule of this name applies."""
    return next(each.starts for each in RULES if each.name == rule) or TextKind.PROSE


def broken_rules(sentence: str, kind: TextKind) -> list[str]:
    """Returns the names of the wording rules that a sentence breaks in a text of this kind."""
    text = Text(plain_words.ROOT / "a.md", 1, sentence, kind)
    return [
        rule.name for rule in RULES for problem in plain_words.problems(text) if f": {rule.name}: " in problem
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.unclear)
def test_a_rule_reports_its_sentence_and_accepts_the_better_one(case: Case) -> None:
    kind = kind_of(case.rule)
    assert broken_rules(case.unclear, kind).count(case.rule) == 1
    assert broken_rules(case.clear, kind) == []


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == {rule.name for rule in RULES}


def test_the_example_in_an_advice_breaks_no_rule() -> None:
    examples = [(rule.advice.split('"')[1::2], rule.starts or TextKind.PROSE) for rule in RULES]
    sentences = [(sentence, kind) for parts, kind in examples for sentence in parts if " " in sentence]
    assert len(sentences) >= len(RULES) - 1
    assert [sentence for sentence, kind in sentences if broken_rules(sentence, kind)] == []


def test_a_docstring_is_checked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "fakeapi" / "a.py").write_text(f'"""Returns a body.\n\n{REPORTED}\n"""\n')
    assert plain_words.main([]) == 1
    assert f"fakeapi/a.py:3: {REPORT}" in capsys.readouterr().out


def test_the_summary_of_a_docstring_has_a_rule_of_its_own(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "fakeapi" / "a.py").write_text('"""Errors of a ResourceClaim."""\n')
    assert plain_words.main([]) == 1
    assert "fakeapi/a.py:1: summary without a verb or a subject" in capsys.readouterr().out


def test_a_comment_is_checked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "fakeapi" / "a.py").write_text(f"A = 1\n# {REPORTED}\n")
    assert plain_words.main([]) == 1
    assert f"fakeapi/a.py:2: {REPORT}" in capsys.readouterr().out


def test_a_comment_with_a_reason_is_exempt(project: Path) -> None:
    (project / "fakeapi" / "a.py").write_text(f"# {REPORTED} plain: a quotation\n")
    assert plain_words.main([]) == 0


def test_a_sentence_in_a_document_is_checked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "docs" / "a.md").write_text(f"{REPORTED}\n")
    assert plain_words.main([]) == 1
    assert f"docs/a.md:1: {REPORT}" in capsys.readouterr().out


def test_a_phrase_across_two_lines_of_a_paragraph_is_found(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paragraph = REPORTED.replace(" no ", "\nno ")
    (project / "docs" / "a.md").write_text(f"# Requests\n\nA request has a body. {paragraph}\n")
    assert plain_words.main([]) == 1
    assert f"docs/a.md:3: {REPORT}" in capsys.readouterr().out


def test_each_cell_of_a_table_is_a_text_of_its_own(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        "| limit | at the limit |",
        "|---|:-:|",
        "| 5 bytes | the same |",
        r"| value \| the same | this is |",
    ]
    (project / "docs" / "a.md").write_text("\n".join(rows))
    assert plain_words.main([]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in printed] == [
        "docs/a.md:3: table cell that refers to another cell: the same",
        "docs/a.md:4: table cell that refers to another cell: this is",
    ]


def test_the_separator_of_a_table_is_not_a_text(project: Path) -> None:
    (project / "docs" / "a.md").write_text("| limit | value |\n|---|:-:|\n| `A` | 5 |\n")
    texts = plain_words.texts_of_document(project / "docs" / "a.md")
    assert [(text.line, text.text) for text in texts] == [(1, "limit"), (1, "value"), (3, "`A`"), (3, "5")]


def test_a_code_block_is_not_a_text(project: Path) -> None:
    (project / "docs" / "a.md").write_text(f"A claim:\n```\n{REPORTED}\n| the same |\n```\nIt is valid.\n")
    texts = plain_words.texts_of_document(project / "docs" / "a.md")
    assert [(text.line, text.text) for text in texts] == [(1, "A claim:"), (6, "It is valid.")]


def test_plain_sentences_pass_the_check(project: Path) -> None:
    (project / "docs" / "a.md").write_text("A claim requests devices.\n")
    assert plain_words.main([]) == 0
