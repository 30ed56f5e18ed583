"""Reads the recorded rows of the compatibility table, and writes docs/compatibility.md from them.

`make interop ARGS=--record` records a row in `results.jsonl` for each test that it runs, and writes the page.
`python -m tests.interop.results` only writes the page.
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
KINDS = {
    "component": "Components of Kubernetes",
    "driver": "Drivers",
    "client": "Clients",
    "suite": "Suites of public projects on an envtest folder",
    "example": "Example projects",
}
"""The heading for each kind of row, in the order of the page."""

_BEGIN, _END = "<!-- rows -->", "<!-- /rows -->"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the compatibility table.

    It has the result of one client or component version with one server release.
    """

    kind: str
    """The kind of client or component: a key of KINDS."""
    name: str
    version: str
    release: str
    did: str
    result: str
    """The value of PASSES, or a short description of the failure."""
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
    """Returns the numbers in a version as a sort key, so that 1.9 comes before 1.10."""
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
    """Merges the rows of a new test run (`fresh`) with recorded rows (`known`).

    Keeps a recorded row if its test was not part of the new run and still exists.
    """
    fresh = list(fresh)
    tests = {row.test for row in fresh}
    return [*fresh, *(row for row in known if row.test not in tests and has_test(row))]


def has_test(row: Row) -> bool:
    """Whether the row's test still exists in its file."""
    path, _, name = row.test.partition("::")
    file = ROOT / path
    return file.is_file() and f"def {name.partition('[')[0]}(" in file.read_text(encoding="utf-8")


def tables(rows: Iterable[Row]) -> str:
    """Renders the rows as Markdown, with a table for each kind of row."""
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
    """Replaces the tables between the markers of docs/compatibility.md; returns the new page.

    `text`: the current page.
    """
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{tables(rows)}\n{_END}{after}"


def write_page() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")


if __name__ == "__main__":
    write(merged(read(), []))
    write_page()
