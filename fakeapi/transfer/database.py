"""Serves a copy of a database on loopback, so that an export can read it over HTTP."""

import contextlib
import secrets
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fakeapi.clients.target import Target, target_of_url

BUSY_SECONDS = 1.0
"""Maximum seconds to wait for a locked database; after that, `copy_served` raises DatabaseUnreadable."""


class DatabaseUnreadable(Exception):
    """Raised if a database cannot be copied or served. The message is one line."""


@contextlib.contextmanager
def copy_served(path: Path, release: str | None) -> Iterator[Target]:
    """Serves a copy of a SQLite database during the block; yields the Target of its server.

    - `path`: the database file, which does not change.
    - `release`: the Kubernetes release to serve; None for the default of FakeAPI.

    Raises DatabaseUnreadable if the database is in use, cannot be read, or cannot be served.
    """
    from fakeapi.testing.server import FakeAPI, StartError  # noqa: PLC0415 - loaded only when used

    with tempfile.TemporaryDirectory(prefix="fakeapi-") as directory:
        copy = Path(directory) / "copy.db"
        try:
            _copy(path, copy)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise DatabaseUnreadable(f"cannot read {path}: {error}") from error
            words = "is in use: a server has opened it; export from that server"
            raise DatabaseUnreadable(f"{path} {words}") from error
        except sqlite3.Error as error:
            raise DatabaseUnreadable(f"cannot read {path}: {error}") from error
        token = secrets.token_hex(16)
        try:
            server = FakeAPI(database=copy, release=release, token=token).start()
        except (StartError, ValueError) as error:
            raise DatabaseUnreadable(str(error).replace(str(copy), str(path))) from error
        try:
            yield target_of_url(server.url, token=token)
        finally:
            server.stop()


def _copy(path: Path, copy: Path) -> None:
    source = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    with contextlib.closing(source), contextlib.closing(sqlite3.connect(copy)) as destination:
        source.execute(
            "SELECT 1 FROM sqlite_master"
        ).fetchone()  # a backup of a locked database would wait for ever
        source.backup(destination)
