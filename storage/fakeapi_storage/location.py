"""Parses the location of a database: a path, a URL, or None for entries that are only in memory."""

import re
from dataclasses import dataclass
from pathlib import Path

from fakeapi_storage.errors import UnsupportedLocation

ENGINES = ("sqlite", "postgresql")

_POSTGRESQL = ("postgresql", "postgres")
"""The two URL schemes that PostgreSQL accepts."""

MEMORY = "memory"
"""The name of the engine that keeps entries only in memory."""

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_MEMORY = ":memory:"


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a database.

    - `engine`: "memory", "sqlite" or "postgresql".
    - `path`: the SQLite file; None for a database in memory or on a server.
    - `text`: the location for messages, without the password.
    - `url`: the URL of a database server, with the password; "" for other engines.
    """

    engine: str
    path: Path | None
    text: str
    url: str = ""


def parse_location(location: str | Path | None) -> Location:
    """Parses the location of a database.

    A location is one of:

    - a path, `sqlite:///relative/path` or `sqlite:////absolute/path`; paths in URLs are not percent-decoded
    - None or ":memory:" for memory, or `sqlite://` for a SQLite database in memory
    - a URL of libpq for PostgreSQL, `postgresql://user:password@host:port/database`

    Raises `UnsupportedLocation` for any other location.
    """
    if location is None or location == _MEMORY:
        return Location(MEMORY, None, "memory")
    if isinstance(location, Path):
        return Location("sqlite", location, str(location))
    url = _URL.fullmatch(location)
    if url is None:
        if not location:
            raise UnsupportedLocation(location, "the location of the database is empty")
        scheme, colon, _ = location.partition(":")
        if colon and scheme in (*ENGINES, *_POSTGRESQL):  # a path would be printed with its password
            raise UnsupportedLocation(
                f"{scheme}:", f"a URL begins with {scheme}://; a file is named ./{scheme}:…"
            )
        return Location("sqlite", Path(location), location)
    if url[1] in _POSTGRESQL:
        return Location("postgresql", None, _without_secrets(*url.groups()), location)
    if url[1] not in ENGINES:
        raise UnsupportedLocation(
            _without_secrets(*url.groups()),
            f"no storage engine is called {url[1]!r}; give a path, sqlite:///path/to/file or postgresql://host/db",
        )
    return _sqlite(url[2], location)


def _without_secrets(scheme: str, rest: str) -> str:
    """Returns the URL without user, password and options. `rest`: the URL after `scheme` and `://`.

    The result has no password even if unescaped special characters make the end of the password ambiguous.
    """
    place, _, options = rest.partition("?")
    if "@" in options:
        return f"{scheme}://***"
    user, _, host = place.rpartition("@")
    return f"{scheme}://{'***@' if user else ''}{host}"


def _sqlite(rest: str, text: str) -> Location:
    if rest in ("", "/", "/" + _MEMORY):
        return Location("sqlite", None, text)
    if not rest.startswith("/"):
        raise UnsupportedLocation(text, "SQLite has no hosts; write sqlite:/// and then the path")
    if "?" in rest or "#" in rest:
        raise UnsupportedLocation(text, "options in the URL are not supported; give a path if it is a name")
    return Location("sqlite", Path(rest[1:]), text)
