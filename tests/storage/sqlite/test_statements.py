"""The compiled statements of a SQLite database."""

from tools import sqlite_statements


def test_the_statements_of_sqlite_are_those_that_the_tables_compile_to() -> None:
    assert sqlite_statements.FILE.read_text(encoding="utf-8") == sqlite_statements.text()
