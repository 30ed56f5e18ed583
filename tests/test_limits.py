"""docs/limits.md agrees with the code."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `([\w.]+)` \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs/limits.md").read_text())


def test_every_line_of_the_tables_is_a_row() -> None:
    lines = [line for line in (ROOT / "docs/limits.md").read_text().splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS) > 20


@pytest.mark.parametrize(("name", "value"), [row[:2] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_bound_has_the_value_that_the_page_gives(name: str, value: str) -> None:
    module, _, constant = name.rpartition(".")
    first = re.match(r"[\d,.]+", value)
    assert first is not None, "a row's value begins with a number"
    assert float(first[0].replace(",", "")) == getattr(importlib.import_module(module), constant)


@pytest.mark.parametrize("shown", [row[3] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_bound_is_shown_by_a_test_that_exists(shown: str) -> None:
    if not shown.startswith("`"):
        return  # a rule of the system's
    path, _, function = shown.strip("`").partition("::")
    assert re.search(rf"^(async )?def {function}\(", (ROOT / path).read_text(), re.MULTILINE)
