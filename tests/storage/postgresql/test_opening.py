"""The first start creates the tables in PostgreSQL; an unsuitable database gives a one-line error."""

import asyncio
import re
import sys
from typing import Any

import pytest

from fakeapi_storage import (
    DatabaseRefused,
    ForeignDatabase,
    Format,
    NewerSchema,
    OpenFailed,
    Storage,
    UnknownFormat,
    Unreachable,
    UnsupportedLocation,
    open_storage,
)
from fakeapi_storage.postgresql import schema
from fakeapi_storage.postgresql.store import SharedStore
from tests.postgresql_server import PostgreSQL, free_port

WANTED = Format(version=2)


def opened(url: str, data_format: Format = WANTED, settings: str = "1.33") -> None:
    """Opens the storage in a PostgreSQL database and closes it again."""

    async def main() -> None:
        storage = await open_storage(url, data_format=data_format, settings=settings)
        await storage.close()

    asyncio.run(main())


def refusal(url: str, kind: type[OpenFailed], data_format: Format = WANTED) -> str:
    with pytest.raises(kind) as refused:
        opened(url, data_format)
    message = str(refused.value)
    assert "\n" not in message
    return message


def test_the_tables_are_made_once_and_their_format_is_recorded(postgresql: PostgreSQL) -> None:
    place = postgresql.place()
    opened(place)
    found = postgresql.sql("SELECT schema_version, format, revision FROM fakeapi_state", url=psql_url(place))
    assert found == f"{schema.SCHEMA_VERSION}|2|1"
    opened(place)


def psql_url(place: str) -> str:
    url, _, name = place.partition("?search_path=")
    return f"{url}?options=-csearch_path%3D{name}"


def test_servers_that_start_together_make_the_tables_once(postgresql: PostgreSQL) -> None:
    place = postgresql.place()

    async def main() -> None:
        stores = await asyncio.gather(*(open_storage(place, data_format=WANTED) for _ in range(4)))
        await asyncio.gather(*(each.close() for each in stores))

    asyncio.run(main())
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
    assert postgresql.sql(tables, url=psql_url(place)) == "2"
    assert postgresql.sql("SELECT revision FROM fakeapi_state", url=psql_url(place)) == "1"


def test_a_wrong_password_is_one_line_without_it(guarded: PostgreSQL) -> None:
    message = refusal(guarded.url(password="opensesami"), DatabaseRefused)
    assert "password authentication failed" in message
    assert "opensesami" not in message
    opened(guarded.database())


def test_a_password_in_the_query_is_in_no_message(guarded: PostgreSQL) -> None:
    message = refusal(f"{guarded.url(password='')}?password=opensesami", DatabaseRefused)
    assert "opensesami" not in message


def test_a_server_that_is_not_there_is_one_line() -> None:
    port = free_port()
    message = refusal(f"postgresql://fakeapi@127.0.0.1:{port}/db", DatabaseRefused)
    assert message.startswith(f"postgresql://***@127.0.0.1:{port}/db: the database server is not reached: ")


def test_a_host_without_an_address_is_one_line() -> None:
    refusal("postgresql://fakeapi@nowhere.invalid/db", DatabaseRefused)


def test_a_url_that_is_none_is_one_line() -> None:
    message = refusal("postgresql://127.0.0.1:port/db", UnsupportedLocation)
    assert "postgresql://user:password@host:port/database" in message


@pytest.mark.parametrize("password", ["se/cret", "se#cret", "se?cret", "se@cr/et"])
def test_a_password_that_is_not_percent_encoded_is_in_no_message(password: str) -> None:
    message = refusal(f"postgresql://user:{password}@127.0.0.1:{free_port()}/db", OpenFailed)
    assert "se" not in message.removeprefix("postgresql://").partition(": ")[0]
    assert not re.search(r"\b(se|cret|cr|et)\b", message)


def test_a_database_that_does_not_exist_is_one_line(postgresql: PostgreSQL) -> None:
    assert 'database "nowhere" does not exist' in refusal(postgresql.url("nowhere"), DatabaseRefused)


def test_a_database_of_someone_elses_tables_stays_as_it_is(postgresql: PostgreSQL) -> None:
    place = postgresql.place()
    postgresql.sql("CREATE TABLE orders (id int)", url=psql_url(place))
    assert "tables of another program (orders)" in refusal(place, ForeignDatabase)
    assert postgresql.sql(schema.RELATIONS, url=psql_url(place)) == "orders"


@pytest.mark.parametrize(
    ("found", "words"), [(3, "newer than format 2"), (1, "servers share is not migrated")]
)
def test_another_format_is_one_line(found: int, words: str, postgresql: PostgreSQL) -> None:
    place = postgresql.place()
    opened(place, Format(version=found))
    assert words in refusal(place, UnknownFormat)


def test_newer_tables_are_refused(postgresql: PostgreSQL) -> None:
    place = postgresql.place()
    opened(place)
    postgresql.sql("UPDATE fakeapi_state SET schema_version = 9", url=psql_url(place))
    assert "schema version 9" in refusal(place, NewerSchema)


def test_a_role_that_may_not_create_tables_is_one_line(postgresql: PostgreSQL) -> None:
    url = postgresql.database()
    postgresql.sql("CREATE ROLE reader LOGIN")
    postgresql.sql("REVOKE CREATE ON SCHEMA public FROM public", url=url)
    message = refusal(url.replace("fakeapi@", "reader@"), DatabaseRefused)
    assert "the role may not make the tables: permission denied for schema public" in message


def test_a_role_without_a_schema_is_one_line(postgresql: PostgreSQL) -> None:
    assert "names no schema" in refusal(f"{postgresql.url()}?search_path=nowhere", DatabaseRefused)


def test_a_server_with_other_settings_is_refused_while_the_first_is_at_work(postgresql: PostgreSQL) -> None:
    place = postgresql.place()

    async def main() -> None:
        first = await open_storage(place, settings="1.33")
        with pytest.raises(
            DatabaseRefused, match=r"with other settings is at work .*\(1\.33, and not 1\.31\)"
        ):
            await open_storage(place, settings="1.31")
        second = await open_storage(place, settings="1.33")
        await first.close()
        await second.close()

    asyncio.run(main())
    opened(place, Format(), settings="1.31")


def test_of_servers_that_start_at_the_same_moment_only_those_with_the_same_settings_serve(
    postgresql: PostgreSQL,
) -> None:
    """Uses a schema name that is as long as the longest possible session name in PostgreSQL."""
    place = postgresql.place()
    name = "a" * 60 + "_" + psql_url(place).rpartition("%3D")[2][-2:]
    postgresql.sql(f"CREATE SCHEMA {name}")
    place = f"{postgresql.url()}?search_path={name}"

    async def one(settings: str) -> tuple[str, Storage | OpenFailed]:
        try:
            return settings, await open_storage(place, settings=settings)
        except DatabaseRefused as refused:
            return settings, refused

    async def main() -> None:
        for _ in range(5):
            opened = await asyncio.gather(*(one(f"1.3{number % 3} 0123abcd") for number in range(6)))
            at_work = {settings for settings, each in opened if not isinstance(each, OpenFailed)}
            assert len(at_work) == 1, "servers with different settings serve one state"
            refused = [each for settings, each in opened if settings not in at_work]
            assert all("with other settings is at work" in str(each) for each in refused)
            for _, each in opened:
                if not isinstance(each, OpenFailed):
                    await each.close()

    asyncio.run(main())


def test_a_server_whose_place_was_taken_while_it_was_cut_off_serves_nothing_until_that_is_free(
    postgresql: PostgreSQL,
) -> None:
    place = postgresql.place()

    async def main() -> None:
        first = await open_storage(place, settings="1.33")
        assert isinstance(first, SharedStore)
        with pytest.MonkeyPatch.context() as patch:

            async def cut_off() -> Any:
                raise Unreachable("it is cut off")

            for each in (first._log._reading, first._log._writing):
                patch.setattr(each, "_connected", cut_off)
                each._drop()
            other = await open_storage(place, settings="1.31")
        with pytest.raises(DatabaseRefused, match="with other settings is at work"):
            await first.refresh()
        with pytest.raises(DatabaseRefused, match="with other settings is at work"):
            await first.create("/a", b"")
        await other.close()
        await first.refresh()
        await first.create("/a", b"")
        await first.close()

    asyncio.run(main())


def test_without_asyncpg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith(("asyncpg", "fakeapi_storage.postgresql"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    message = refusal("postgresql://fakeapi@127.0.0.1/db", UnsupportedLocation)
    assert "pip install 'fakeapi-k8s[postgresql]'" in message
