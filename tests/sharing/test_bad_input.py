"""If `fakeapi serve` cannot use a database, it prints one line and exits with an error."""

from collections.abc import Callable

import pytest
from click.testing import CliRunner

from fakeapi.cli.main import main
from fakeapi.testing.server import FakeAPI
from tests.postgresql_server import PostgreSQL, free_port

Place = Callable[[PostgreSQL], str]


def foreign(server: PostgreSQL) -> str:
    url = server.database()
    server.sql("CREATE TABLE orders (id int)", url=url)
    return url


def forbidden(server: PostgreSQL) -> str:
    url = server.database()
    server.sql("CREATE ROLE reader LOGIN PASSWORD 'x'")
    server.sql("REVOKE CREATE ON SCHEMA public FROM public", url=url)
    return url.replace("fakeapi:opensesame@", "reader:x@")


def of_another_format(server: PostgreSQL) -> str:
    url = server.database()
    with FakeAPI(database=url):
        pass
    server.sql("UPDATE fakeapi_state SET format = 99", url=url)
    return url


def started(url: str, *options: str) -> tuple[int, str]:
    """Runs `fakeapi serve` with options that must fail; returns its exit status and its output."""
    done = CliRunner().invoke(main, ["serve", "--port", "0", "--db", url, *options])
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (lambda server: server.url(password="opensesami"), "refuses the user or the password"),
        (of_another_format, "its objects are in format 99, newer than format "),
        (foreign, "tables of another program (orders); name an empty one"),
        (forbidden, "the role may not make the tables: permission denied"),
        (lambda _: f"postgresql://x@127.0.0.1:{free_port()}/x", "the database server is not reached"),
        (lambda server: server.url("nowhere"), 'database "nowhere" does not exist'),
        (lambda _: "postgresql://127.0.0.1:port/x", "127.0.0.1:port/x"),
        (lambda _: "mysql://x@127.0.0.1/x", "mysql"),
    ],
    ids=["password", "format", "foreign", "role", "no server", "no database", "bad URL", "other engine"],
)
def test_a_database_that_cannot_be_served_is_refused_in_one_line(
    place: Place, words: str, guarded: PostgreSQL
) -> None:
    code, output = started(place(guarded))
    assert code in {1, 2}
    *_, last = output.splitlines()
    assert last.startswith("Error: ")
    assert words in last
    assert "Traceback" not in output
    assert "opensesam" not in output


def test_a_directory_of_a_ca_without_tls_is_refused() -> None:
    code, output = started("postgresql://x@127.0.0.1/x", "--tls-directory", "ca")
    assert (code, output.splitlines()[-1]) == (2, "Error: --tls-directory needs --tls.")
