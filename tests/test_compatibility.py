"""The page docs/compatibility.md contains exactly the recorded results."""

from pathlib import Path

import pytest

from tests.interop import results
from tests.interop.results import PAGE, PASSES, Row, has_test, merged, numbers, read, write


def row(test: str = "tests/test_compatibility.py::row", **fields: str) -> Row:
    known = {
        "kind": "client", "name": "kubectl", "version": "1.9.0", "release": "1.33",
        "did": "walked", "result": PASSES, "day": "2025-01-01",
    }  # fmt: skip
    return Row(**(known | fields), test=test)


def test_the_page_is_what_the_recorded_runs_make() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert results.page(text, read()) == text, 'run make interop ARGS="--record"'


def test_each_row_has_a_test_that_was_run() -> None:
    rows = read()
    assert rows
    assert [each for each in rows if not has_test(each) or not each.day] == []
    assert all(each.test.startswith(("tests/interop/", "tests/drivers/")) for each in rows)


def test_a_row_whose_test_is_gone_leaves_the_table() -> None:
    gone = row("tests/test_compatibility.py::test_of_old")
    assert merged([gone, row()], []) == [row()]


def test_a_new_run_takes_the_place_of_an_older_one() -> None:
    assert merged([row()], [row(result="fails: no")]) == [row(result="fails: no")]


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    newer = row(version="1.10.0", did="a | b")
    write([newer, row()], tmp_path / "rows")
    assert read(tmp_path / "rows") == [row(), newer]
    assert r"a \| b" in results.tables([newer])


def test_a_row_of_no_known_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="'tool' is none of"):
        row(kind="tool")


def test_versions_are_sorted_by_their_numbers() -> None:
    assert sorted(["v1.10", "v1.9"], key=numbers) == ["v1.9", "v1.10"]
