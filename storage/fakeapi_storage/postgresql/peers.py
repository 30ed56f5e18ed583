"""Servers at work on one database at a time: all have the same settings."""

from typing import NamedTuple

from fakeapi_storage.errors import DatabaseRefused
from fakeapi_storage.postgresql import schema
from fakeapi_storage.postgresql.link import Connection

APPLICATION = "fakeapi"
"""The name of a session that has not joined yet, and with what the names of all begin."""


class Peers(NamedTuple):
    """One server among those on a database: their sessions bear the schema and the settings as their name.

    PostgreSQL cuts a name off after 63 characters; the schema is in it by its number, so that settings of up
    to 44 characters are always whole.
    """

    location: str
    schema_number: int
    settings: str

    async def join(self, connection: Connection) -> None:
        """Names the session, unless one of a server with other settings is there.

        One statement does both, and one session at a time, so that servers that start at the same moment do
        not miss each other. Raises `DatabaseRefused`.
        """
        beginning = f"{APPLICATION} {self.schema_number} "
        name = f"{beginning}{self.settings}"
        [record] = await connection.fetch(schema.JOIN, beginning, name)
        if record["others"]:
            other = str(record["others"][0]).removeprefix(beginning)
            raise DatabaseRefused(
                self.location,
                f"a server with other settings is at work on the database ({other}, and not "
                f"{self.settings}): give all servers of one database the same",
            )
