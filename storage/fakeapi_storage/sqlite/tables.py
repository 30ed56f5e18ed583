"""The tables of a SQLite database, and the statements that use them, for SQLAlchemy.

`python -m tools.sqlite_statements` compiles the module `statements` from them. A server imports only
`statements`, because an import of SQLAlchemy would double the time until a server with a database is ready.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable
from sqlalchemy.sql import ClauseElement

_metadata = MetaData()
_log = Table(
    "log",
    _metadata,
    Column("revision", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("created", Integer, nullable=False),
    Column("previous", Integer, nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("value", LargeBinary),
    Column("checksum", Integer, nullable=False),
    UniqueConstraint("key", "previous"),
)
_meta = Table(
    "meta",
    _metadata,
    Column("compacted", Integer, nullable=False),
    Column("format", Integer, nullable=False),
)
_label = Table(
    "label", _metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False)
)

_STATEMENTS: dict[str, ClauseElement] = {
    "CREATE_LOG": CreateTable(_log),
    "CREATE_META": CreateTable(_meta),
    "CREATE_LABEL": CreateTable(_label),
    "APPEND": insert(_log),
    "READ": select(_log).where(_log.c.revision > bindparam("after")).order_by(_log.c.revision),
    "FORGET": delete(_log).where(_log.c.revision == bindparam("stale")),
    "WIPE": delete(_log),
    "INSERT_META": insert(_meta),
    "READ_META": select(_meta.c.compacted),
    "READ_FORMAT": select(_meta.c.format),
    "COMPACT": update(_meta).values(compacted=bindparam("revision")),
    "READ_LABELS": select(_label),
    "DELETE_LABELS": delete(_label),
    "INSERT_LABEL": insert(_label),
}


def statements() -> dict[str, str]:
    """Returns the SQL text of each statement, on one line, by the name of its constant."""
    dialect = sqlite.dialect()
    return {
        name: " ".join(str(clause.compile(dialect=dialect)).split()) for name, clause in _STATEMENTS.items()
    }
