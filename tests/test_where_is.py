"""The page docs/where-is.md names only modules and functions that exist."""

import ast
import re
from pathlib import Path

import pytest

from tests.installation import ROOT

PAGE = ROOT / "docs" / "where-is.md"
WHOLE_MODULE = "the whole module"
ROWS = re.findall(r"^\| (.+?) \| `([^`]+\.py)` \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
RULES_MIN = 40


def path_of(module: str) -> Path:
    return ROOT / module if module.startswith("storage/") else ROOT / "fakeapi" / module


def names_in(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """Returns the functions, classes and variables that statements define, by name.

    The value is the body of the function or class; it is empty for a variable.
    """
    names: dict[str, list[ast.stmt]] = {}
    for statement in body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names[statement.name] = statement.body
        elif isinstance(statement, ast.AnnAssign):
            names[ast.unparse(statement.target)] = []
        elif isinstance(statement, ast.Assign):
            names |= {ast.unparse(target): [] for target in statement.targets}
    return names


@pytest.mark.parametrize(("rule", "module", "name"), ROWS, ids=[f"{row[1]}:{row[2]}" for row in ROWS])
def test_the_named_module_has_the_named_function(rule: str, module: str, name: str) -> None:
    path = path_of(module)
    assert path.is_file(), f"{rule}: {module} is missing"
    if name == WHOLE_MODULE:
        return
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for part in name.strip("`").split("."):
        names = names_in(body)
        assert part in names, f"{rule}: {module} has no {name}"
        body = names[part]


def test_every_row_of_the_page_is_checked() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [
        line for line in lines if line.startswith("| ") and not re.match(r"\| Rule( of Kubernetes)? \|", line)
    ]
    assert len(rows) == len(ROWS) >= RULES_MIN


def test_the_page_is_linked_from_the_index_of_documents() -> None:
    assert "(where-is.md)" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
