"""Compiles the SQL statements of a SQLite database from its tables: `python -m tools.sqlite_statements`.

Writes `fakeapi_storage/sqlite/statements.py`. A test compares the file with the tables.
"""

from pathlib import Path

from fakeapi_storage.sqlite import tables

FILE = Path(tables.__file__).with_name("statements.py")

_HEAD = '''\
"""The SQL statements of a SQLite database, which `python -m tools.sqlite_statements` has compiled."""
# ruff: noqa: E501 - each statement is one line

'''


def text() -> str:
    """Returns the content of the file: a constant for each statement."""
    lines = [f"{name} = {_quoted(statement)}\n" for name, statement in tables.statements().items()]
    return _HEAD + "".join(lines)


def _quoted(statement: str) -> str:
    return f"'{statement}'" if '"' in statement else f'"{statement}"'


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
