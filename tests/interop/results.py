"""Rows of the compatibility table, and the page made of them.

`results.jsonl` has a row for each test that was run with `make interop ARGS=--record`. The page,
`docs/compatibility.md`, is made of it then, and by `python -m tests.interop.results`.
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
"""What a row is about, in the order of the page, with its heading."""

_BEGIN, _END = "<!-- rows -->", "<!-- /rows -->"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One client or component of one version: what it did with a server of a release, and how that ended."""

    kind: str
    """A key of KINDS."""
    name: str
    version: str
    release: str
    did: str
    result: str
    """PASSES, or what went wrong."""
    test: str
    """Its test, as pytest names it."""
    day: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is none of {', '.join(KINDS)}")

    @property
    def order(self) -> tuple[object, ...]:
        kind = list(KINDS).index(self.kind)
        return kind, self.name.lower(), numbers(self.version), numbers(self.release), self.did, self.test


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for sorting: 1.9 comes before 1.10."""
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
    """The rows of a run, and those of earlier runs of other tests that still exist."""
    fresh = list(fresh)
    tests = {row.test for row in fresh}
    return [*fresh, *(row for row in known if row.test not in tests and has_test(row))]


def has_test(row: Row) -> bool:
    """Whether the file of a row's test is there and defines the test."""
    path, _, name = row.test.partition("::")
    file = ROOT / path
    return file.is_file() and f"def {name.partition('[')[0]}(" in file.read_text(encoding="utf-8")


def tables(rows: Iterable[Row]) -> str:
    """The rows as Markdown, a table a kind."""
    made = []
    for kind, of_kind in groupby(sorted(rows, key=lambda row: row.order), key=lambda row: row.kind):
        made += [f"## {KINDS[kind]}", ""]
        made += ["| name | version | server | did | result | day |", "|---|---|---|---|---|---|"]
        for row in of_kind:
            cells = (row.name, row.version, row.release, row.did, row.result, row.day)
            made.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        made.append("")
    return "\n".join(made)


def page(text: str, rows: Iterable[Row]) -> str:
    """The page with its tables made again."""
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n\n{tables(rows)}\n{_END}{after}"


def write_page() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")


if __name__ == "__main__":
    write(merged(read(), []))
    write_page()
