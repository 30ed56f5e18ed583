"""Opens a PostgreSQL database: checks its tables, or creates the tables of an empty database."""

import json
from collections.abc import Mapping
from typing import NamedTuple

import asyncpg
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from fakeapi_storage.errors import (
    DatabaseRefused,
    ForeignDatabase,
    NewerSchema,
    OpenFailed,
    UnknownFormat,
    UnsupportedLocation,
)
from fakeapi_storage.format import Format
from fakeapi_storage.interface import INITIAL_REVISION
from fakeapi_storage.location import Location
from fakeapi_storage.postgresql import schema
from fakeapi_storage.postgresql.link import LOST, connect, words_of
from fakeapi_storage.postgresql.peers import APPLICATION, Peers

OLDEST_SERVER = 120000
"""The oldest supported server, PostgreSQL 12, as `server_version_num`."""

MALFORMED = (
    "the URL is not understood; write postgresql://user:password@host:port/database, and special characters "
    "of the password as %2F for /, %40 for @ and so on"
)


class Ready(NamedTuple):
    """An opened database: the servers that use it, its labels, and the texts that all servers use."""

    peers: Peers
    labels: Mapping[str, str]
    agreed: Mapping[str, str]


async def make_ready(location: Location, wanted: Format, settings: str) -> Ready:
    """Creates the tables of an empty database, or checks existing tables.

    - `wanted`: the format of keys and values that the application uses.
    - `settings`: the settings that all servers of the database must share.

    Raises `OpenFailed` if this server cannot use the database.
    """

    async def make() -> "asyncpg.Connection[asyncpg.Record]":
        return await connect(location.url, APPLICATION)

    try:
        engine = create_async_engine("postgresql+asyncpg://", async_creator=make, poolclass=NullPool)
        try:
            async with engine.begin() as connection:
                return await _made_ready(connection, location, wanted, settings)
        finally:
            await engine.dispose()
    except OpenFailed:
        raise
    except DBAPIError as error:
        cause = error.orig.__cause__ if error.orig is not None else None
        raise _refusal(location, cause or error) from error
    except (*LOST, asyncpg.PostgresError, ValueError) as error:
        raise _refusal(location, error) from error


async def _made_ready(
    connection: AsyncConnection, location: Location, wanted: Format, settings: str
) -> Ready:
    version = (
        await connection.execute(text("SELECT current_setting('server_version_num')::int"))
    ).scalar_one()
    if version < OLDEST_SERVER:
        raise DatabaseRefused(location.text, "PostgreSQL 12 or newer is needed")
    place = (
        await connection.execute(text("SELECT current_schema()::regnamespace::oid::bigint"))
    ).scalar_one()
    if place is None:
        raise DatabaseRefused(location.text, "the role's search_path names no schema that exists")
    await connection.execute(text(f"SELECT pg_advisory_xact_lock({schema.OPENING_LOCK})"))
    tables = [str(row[0]) for row in await connection.execute(text(schema.RELATIONS))]
    if any(not table.startswith(schema.PREFIX) for table in tables):
        foreign = ", ".join(table for table in tables if not table.startswith(schema.PREFIX))
        raise ForeignDatabase(
            location.text,
            f"the database has tables of another program ({foreign}); "
            "name an empty one, or an empty schema of it by ?search_path=NAME",
        )
    if not tables:
        await _create(connection, wanted)
    row = (await connection.execute(text(schema.READ_STATE))).one_or_none()
    if row is None:
        raise ForeignDatabase(location.text, "the database is damaged: fakeapi_state is empty")
    found_schema, found_format, labels, agreed = row
    if found_schema > schema.SCHEMA_VERSION:
        raise NewerSchema(location.text, found_schema, schema.SCHEMA_VERSION)
    if found_format != wanted.version:  # other servers may use the database, so nothing is migrated
        raise UnknownFormat(location.text, found_format, wanted.version, is_shared=True)
    return Ready(Peers(location.text, place, settings), json.loads(labels), json.loads(agreed))


async def _create(connection: AsyncConnection, wanted: Format) -> None:
    await connection.run_sync(schema.TABLES.create_all, checkfirst=False)
    for statement in (schema.INDEX, *schema.FUNCTIONS):
        await connection.exec_driver_sql(statement)
    state = {
        "schema_version": schema.SCHEMA_VERSION,
        "format": wanted.version,
        "epoch": 1,
        "revision": INITIAL_REVISION,
    }
    await connection.execute(text(schema.INSERT_STATE), state)


def _refusal(location: Location, error: BaseException) -> OpenFailed:
    words = words_of(error)
    match error:
        case asyncpg.InvalidAuthorizationSpecificationError():
            return DatabaseRefused(
                location.text, f"the database server refuses the user or the password: {words}"
            )
        case asyncpg.InsufficientPrivilegeError():
            return DatabaseRefused(location.text, f"the role may not make the tables: {words}")
        case asyncpg.PostgresError():
            return DatabaseRefused(location.text, words)
        case asyncpg.ClientConfigurationError():
            return UnsupportedLocation(location.text, words)
        case ValueError():  # the message may contain a part of the password
            return UnsupportedLocation(location.text, MALFORMED)
        case _:
            return DatabaseRefused(location.text, f"the database server is not reached: {words}")
