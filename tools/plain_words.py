"""Finds sentences that a reader has to read twice: `python tools/plain_words.py [PATH …]`.

Searches docstrings, comments and documents for openings and phrases that are hard to read. Prints a line for
each sentence with the rule that it breaks. The exit status is 1 if there is such a sentence. To keep a text
as it is, add `plain: REASON` to it.
"""

import ast
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
GENERATED = ("docs/e2e.md", "docs/fidelity.md", "docs/compatibility.md")
PERMITTED = "plain:"


@dataclass(frozen=True)
class Rule:
    """A forbidden pattern and the advice that the check prints, for all sentences or only for first lines."""

    name: str
    pattern: re.Pattern[str]
    advice: str
    first_line_only: bool = False


RULES = (
    Rule(
        "opening",
        re.compile(
            r"^(What|How|Who|Where|Of|So|Those|That which|The same|The other|Another|Errors of|Nothing|"
            r"Nobody|None of|Such|As|Whether it|It|One|Only)\b"
        ),
        "start with the subject, or with a verb: say what the thing is or does",
        first_line_only=True,
    ),
    Rule(
        "is no",
        re.compile(r"\b(is|are|was|were) no (?!(longer|more|less|other|one)\b)[a-z]+"),
        'write "is not a …"',
    ),
    Rule(
        "passive",
        re.compile(r"\b(is|are|was|were|be) (told|asked|said|met|heard|taken for|found out)\b"),
        "name the actor: who receives, calls, sends or reports?",
    ),
    Rule("but for", re.compile(r"\bbut for\b|\ball but\b"), 'write "except"'),
    Rule("of which", re.compile(r"\bof which\b|\bof whom\b"), "make two sentences"),
    Rule("so many", re.compile(r"\bso many\b|\bas many as are\b"), "name the number"),
    Rule(
        "for alone",
        re.compile(r"\bfor [a-z]+s? alone\b|\b(?:for|by|with) these alone\b"),
        'write "only for …"',
    ),
    Rule("to the word", re.compile(r"\bto the word\b"), "give the figure, or say what is equal"),
)

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_FENCE = re.compile(r"^```")


@dataclass(frozen=True)
class Text:
    """A docstring, a comment or a paragraph, with the number of its first line."""

    path: Path
    line: int
    text: str
    is_first_line: bool


def texts_of_python(path: Path) -> Iterator[Text]:
    """Yields the docstrings, attribute docstrings and comments of a module."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        for statement in getattr(node, "body", ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            if (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
                and isinstance(statement.value.value, str)
            ):
                yield from _lines(path, statement.lineno, statement.value.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if (
            token.type == tokenize.COMMENT
            and "noqa" not in token.string
            and "type: ignore" not in token.string
        ):
            yield Text(path, token.start[0], token.string.lstrip("# "), is_first_line=False)


def _lines(path: Path, line: int, docstring: str) -> Iterator[Text]:
    first, _, rest = docstring.strip().partition("\n\n")
    yield Text(path, line, " ".join(first.split()), is_first_line=True)
    if rest:
        yield Text(path, line + first.count("\n") + 2, " ".join(rest.split()), is_first_line=False)


def texts_of_document(path: Path) -> Iterator[Text]:
    """Yields the lines of a document, without code blocks and tables."""
    is_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and not line.startswith("|"):
            yield Text(path, number, line, is_first_line=False)


def problems(text: Text) -> Iterator[str]:
    """Yields a line for each rule that a text breaks."""
    if PERMITTED in text.text:
        return
    for index, sentence in enumerate(_SENTENCE_END.split(text.text)):
        for rule in RULES:
            if rule.first_line_only and not (text.is_first_line and index == 0):
                continue
            if rule.pattern.search(sentence):
                place = f"{text.path.relative_to(ROOT)}:{text.line}"
                yield f"{place}: {rule.name}: {sentence[:100]}  → {rule.advice}"


def files(paths: Sequence[str]) -> Iterator[Path]:
    """Yields the Python files and documents below the paths; without a path, all of the project."""
    for name in paths or (*FOLDERS, *DOCUMENTS):
        path = (ROOT / name).resolve()
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.suffix in (".py", ".md") and str(each.relative_to(ROOT)) not in GENERATED:
                yield each


def problems_of(path: Path) -> Iterator[str]:
    """Yields the problems of a Python file or a document, a line each."""
    texts = texts_of_python(path) if path.suffix == ".py" else texts_of_document(path)
    for text in texts:
        yield from problems(text)


def main(paths: Sequence[str]) -> int:
    """Prints the problems; returns the exit status."""
    count = 0
    for path in files(paths):
        for problem in problems_of(path):
            count += 1
            print(problem)
    if count:
        print(f"{count} sentences to say more plainly; CONTRIBUTING.md, section Words", file=sys.stderr)
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
