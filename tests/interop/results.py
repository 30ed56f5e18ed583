"""Reads and renders the rows of the compatibility table, docs/compatibility.md.

`results.jsonl` has a row for each test that ran with `make interop ARGS=--record`. That command and `python
-m tests.interop.results` render the page.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

RESULTS = Path(__file__).with_name("results.jsonl")
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compatibility.md"
PASSES = "passes"
KINDS = {"component": "Components of Kubernetes", "driver": "Drivers", "client": "Clients"}
"""The kinds of rows with their headings, in the order of the page."""

_BEGIN, _END = "<!-- rows -->", "<!-- /rows -->"


@dataclass(frozen=True, kw_only=True)
class Row:
    """The result of a test of one client or component, in one version, with a server of one release."""

    kind: str
    """The kind of the row: a key of KINDS."""
    name: str
    version: str
    release: str
    did: str
    result: str
    """PASSES, or a short text of the failure."""
    test: str
    """The test's node id in pytest."""
    day: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is none of {', '.join(KINDS)}")

    @property
    def order(self) -> tuple[object, ...]:
        kind = list(KINDS).index(self.kind)
        return kind, self.name.lower(), numbers(self.version), numbers(self.release), self.did, self.test


def numbers(version: str) -> tuple[int, ...]:
    """Returns the numbers in a version as a sort key: 1.9 comes before 1.10."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def read(path: Path = RESULTS) -> list[Row]:
    if not path.exists():
        return []
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write(rows: Iterable[Row], path: Path = RESULTS) -> None:
    lines = [json.dumps(asdict(row), ensure_ascii=False) for row in sorted(rows, key=lambda row: row.order)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def merged(known: Iterable[Row], fresh: Iterable[Row]) -> list[Row]:
    """Returns the rows of a new run, and rows of earlier runs for other tests that still exist."""
    fresh = list(fresh)
    tests = {row.test for row in fresh}
    return [*fresh, *(row for row in known if row.test not in tests and has_test(row))]


def has_test(row: Row) -> bool:
    """Whether the row's test still exists in its file."""
    path, _, name = row.test.partition("::")
    file = ROOT / path
    return file.is_file() and f"def {name.partition('[')[0]}(" in file.read_text(encoding="utf-8")


def tables(rows: Iterable[Row]) -> str:
    """Returns the rows as Markdown, with a table for each kind."""
    lines = []
    for kind, of_kind in groupby(sorted(rows, key=lambda row: row.order), key=lambda row: row.kind):
        lines += [f"## {KINDS[kind]}", ""]
        lines += ["| name | version | server | did | result | day |", "|---|---|---|---|---|---|"]
        for row in of_kind:
            cells = (row.name, row.version, row.release, row.did, row.result, row.day)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        lines.append("")
    return "\n".join(lines)


def page(text: str, rows: Iterable[Row]) -> str:
    """Returns the text of docs/compatibility.md with the tables between its markers replaced."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{tables(rows)}\n{_END}{after}"


def write_page() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")


if __name__ == "__main__":
    write(merged(read(), []))
    write_page()
