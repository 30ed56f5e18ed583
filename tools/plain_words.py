"""Finds sentences that are hard to understand: `python tools/plain_words.py [PATH …]`.

The check reads docstrings, comments and Markdown documents, including the cells of tables. For each sentence
that breaks a rule, it prints the place, the rule, the sentence and an example of a better one. The exit
status is 1 if any sentence breaks a rule. `plain: REASON` in a text exempts this text from the check.
"""

import ast
import enum
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("fakeapi", "storage", "tests", "tools", "benchmarks")
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs")
GENERATED = (
    "docs/e2e.md",
    "docs/fidelity.md",
    "docs/compatibility.md",
    *(
        f"docs/reference-{page}.md"
        for page in ("server", "requests", "faults", "objects", "errors", "pytest")
    ),
    "tests/kubernetes_e2e/results/specs.md",
)
EXEMPTION = "plain:"


class TextKind(enum.Enum):
    SUMMARY = "the first paragraph of a docstring"
    PROSE = "a comment, a paragraph of a document, or the rest of a docstring"
    CELL = "a cell of a table"


@dataclass(frozen=True)
class Rule:
    """A pattern that makes a sentence hard to understand.

    - `name`: describes the problem of the sentence.
    - `advice`: explains how to write the sentence, with an example.
    - `starts`: the kind of text in which only the first sentence is checked; None for all sentences of all
      texts.
    """

    name: str
    pattern: re.Pattern[str]
    advice: str
    starts: TextKind | None = None

    def is_broken_by(self, sentence: str, kind: TextKind, *, is_first: bool) -> bool:
        """Whether a sentence breaks the rule.

        `kind`: the kind of text that contains the sentence. `is_first`: whether the sentence is the first of
        the text.
        """
        applies = self.starts is None or (self.starts is kind and is_first)
        return applies and self.pattern.search(sentence) is not None


def phrases_to_avoid(*words: str) -> re.Pattern[str]:
    """Returns a regular expression that matches any of the phrases, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")


RULES = (
    Rule(
        "summary without a verb or a subject",
        re.compile(
            r"^(What|How|Who|Where|Of|So|Those|That which|The same|The other|Another|Errors of|Nothing|"
            r"Nobody|None of|Such|As|Whether it|It|One|Only)\b"
        ),
        'say what the thing is or does: "Returns the errors of a claim."',
        TextKind.SUMMARY,
    ),
    Rule(
        "table cell that refers to another cell",
        re.compile(
            r"^(it|its|they|their|them|these|those|this|the same|likewise|as above|ditto)\b", re.IGNORECASE
        ),
        'repeat the noun, so that the cell can be read alone: "The server closes the connection."',
        TextKind.CELL,
    ),
    Rule(
        '"is no" instead of "is not"',
        re.compile(r"\b(is|are|was|were) no (?!(longer|more|less|other|one)\b)[A-Za-z]"),
        'write "is not": "The text is not valid YAML."',
    ),
    Rule(
        "passive verb without an actor",
        re.compile(
            r"\b(is|are|was|were|be|been) (?:not |never |also |then |only )?"
            r"(told|asked|said|met|heard|taken for|found out)\b"
        ),
        'name the actor: "The kubelet receives the event."',
    ),
    Rule(
        '"told" without a sender',
        phrases_to_avoid("told as", "told of"),
        'say who reports it: "The command reports the list as left out."',
    ),
    Rule(
        "message described by its length",
        re.compile(r"\b(said|says so|say so|told|refused|reported|shown|answered) in (?:a|one) line\b"),
        'say which message: "Setting the clock fails with an error." or "The server logs one line."',
    ),
    Rule(
        '"what … comes to" instead of a noun',
        re.compile(r"\bwhat [^.;|]*?\b(comes?|came) to\b", re.IGNORECASE),
        'name the thing: "the result of a messageExpression"',
    ),
    Rule(
        'other words for "least recently used"',
        phrases_to_avoid(
            "longest ago",
            "unused for longest",
            "unused for the longest",
            "not used for longest",
            "not used for the longest",
        ),
        'use the usual term: "The cache drops the least recently used entry."',
    ),
    Rule(
        '"goes" instead of "is deleted"',
        re.compile(
            r"\b(oldest|newest|last|first|longest|others?|ones?|rest|those|all) (?:goes|go)"
            r"(?=[.,;:]|$| first\b)"
        ),
        'say what happens: "The journal drops the oldest requests."',
    ),
    Rule(
        '"but" instead of "except"',
        phrases_to_avoid("but for", "all but"),
        'write "except": "all kinds except ServiceAccount"',
    ),
    Rule(
        'two sentences joined by "of which"',
        phrases_to_avoid("of which", "of whom"),
        'write two sentences: "A list has pages. Each page has up to 500 objects."',
    ),
    Rule(
        "amount without a number",
        phrases_to_avoid("so many", "as many as are"),
        'give the number: "at most 100 errors"',
    ),
    Rule(
        '"alone" instead of "only"',
        re.compile(r"\bfor [a-z]+s? alone\b|\b(?:for|by|with) these alone\b"),
        'write "only": "only for webhooks"',
    ),
    Rule(
        '"one" instead of a noun',
        re.compile(r"\bthe (?:first|second|last|other|old|new) one\b|\b[a-z]+ ones\b"),
        'repeat the noun: "The new definition replaces the old definition."',
    ),
    Rule(
        '"do so" instead of the verb',
        re.compile(r"\b(?:do|does|did|doing) so\b"),
        'repeat the verb: "Only the allocator of 1.36 sorts pools."',
    ),
    Rule(
        '"take away" instead of "remove"',
        re.compile(r"\b(?:takes?|taken|taking|took) away\b"),
        'write "remove": "The server removes the finalizer."',
    ),
    Rule(
        'summary that "says" something',
        re.compile(r"^Says\b"),
        'say what is returned: "Returns a text about the nodes of a claim."',
        TextKind.SUMMARY,
    ),
    Rule(
        '"in words" instead of the form of a text',
        re.compile(r"\bin (?:few |a few )?words\b"),
        'give the form: "Returns the object as text, such as `claim a`."',
    ),
    Rule(
        '"else" instead of "otherwise"',
        re.compile(r"[;,] else\b"),
        'write "otherwise", or two sentences: "Returns True if the device fits; otherwise False."',
    ),
    Rule(
        '"to the word" instead of a measured figure',
        phrases_to_avoid("to the word"),
        'give a figure, or say what is equal: "The message equals that of kube-apiserver 1.34."',
    ),
)

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_FENCE = re.compile(r"^\s*```")
_CELL_END = re.compile(r"(?<!\\)\|")
_SEPARATOR_CELL = re.compile(r":?-+:?")
_BLOCK_START = re.compile(r"\s*([-*+]|[0-9]+\.|#+|>)\s")
"""Matches a line that starts a new text in a document: a list item, heading or quotation."""


@dataclass(frozen=True)
class Text:
    """A text to check, with its kind, and its place: the file and the number of the first line."""

    path: Path
    line: int
    text: str
    kind: TextKind


def texts_of_python(path: Path) -> Iterator[Text]:
    """Yields the docstrings, attribute docstrings and comments of a Python file as texts."""
    source = path.read_text(encoding="utf-8")
    for line, docstring in _docstrings(source):
        yield from _texts_of_docstring(path, line, docstring)
    for line, comment in _comments(source):
        yield Text(path, line, comment, TextKind.PROSE)


def _docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yields the line number and value of each string that is a statement, such as docstrings."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", ())
        for statement in body if isinstance(body, list) else ():
            if (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
                and isinstance(statement.value.value, str)
            ):
                yield statement.lineno, statement.value.value


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yields each comment with its line number, except comments for linters."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_for_linters = "noqa" in token.string or "type: ignore" in token.string
        if token.type == tokenize.COMMENT and not is_for_linters:
            yield token.start[0], token.string.lstrip("# ")


def _texts_of_docstring(path: Path, line: int, docstring: str) -> Iterator[Text]:
    summary, _, rest = docstring.strip().partition("\n\n")
    yield Text(path, line, " ".join(summary.split()), TextKind.SUMMARY)
    if rest:
        yield Text(path, line + summary.count("\n") + 2, " ".join(rest.split()), TextKind.PROSE)


def texts_of_document(path: Path) -> Iterator[Text]:
    """Yields the paragraphs, list items, headings and table cells of a Markdown document.

    Leaves out code blocks.
    """
    paragraph: list[str] = []
    start = 0
    for number, line in enumerate([*_lines_without_code(path), ""], 1):
        is_row = line.lstrip().startswith("|")
        if paragraph and (is_row or not line.strip() or _BLOCK_START.match(line)):
            yield Text(path, start, " ".join(paragraph), TextKind.PROSE)
            paragraph = []
        if is_row:
            yield from (Text(path, number, cell, TextKind.CELL) for cell in _cells(line))
        elif line.strip():
            start = start if paragraph else number
            paragraph.append(line.strip())


def _lines_without_code(path: Path) -> Iterator[str]:
    """Yields the lines of a Markdown document, with an empty line instead of each line of a code block."""
    is_code = False
    for line in path.read_text(encoding="utf-8").splitlines():
        is_fence = _FENCE.match(line) is not None
        is_code = is_code != is_fence
        yield "" if is_code or is_fence else line


def _cells(row: str) -> list[str]:
    """Returns the non-empty cells of a Markdown table row; [] for the separator row below the heading."""
    cells = [cell.strip() for cell in _CELL_END.split(row.strip().strip("|"))]
    return [cell for cell in cells if cell and not _SEPARATOR_CELL.fullmatch(cell)]


def problems(text: Text) -> Iterator[str]:
    """Yields a printable line for each rule that a sentence of the text breaks."""
    if EXEMPTION in text.text:
        return
    place = f"{text.path.relative_to(ROOT)}:{text.line}"
    for index, sentence in enumerate(_SENTENCE_END.split(text.text)):
        for rule in RULES:
            if rule.is_broken_by(sentence, text.kind, is_first=index == 0):
                yield f"{place}: {rule.name}: {sentence[:100]}  → {rule.advice}"


def files(paths: Sequence[str]) -> Iterator[Path]:
    """Yields the Python files and Markdown documents below these paths.

    Without paths, yields all files of the project. Leaves out generated documents.
    """
    for name in paths or (*FOLDERS, *DOCUMENTS):
        path = (ROOT / name).resolve()
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in (".py", ".md") and str(file.relative_to(ROOT)) not in GENERATED:
                yield file


def problems_of(path: Path) -> Iterator[str]:
    """Yields a printable line for each problem in a Python file or Markdown document."""
    texts = texts_of_python(path) if path.suffix == ".py" else texts_of_document(path)
    for text in texts:
        yield from problems(text)


def main(paths: Sequence[str]) -> int:
    """Prints the problems in these files; returns 1 if there are any, otherwise 0."""
    count = 0
    for path in files(paths):
        for problem in problems_of(path):
            count += 1
            print(problem)
    if count:
        print(f"{count} sentences break a rule: see CONTRIBUTING.md, section Words", file=sys.stderr)
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
