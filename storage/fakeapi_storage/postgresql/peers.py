"""The servers that use one database at a time: all must have the same settings."""

from typing import NamedTuple

from fakeapi_storage.errors import DatabaseRefused
from fakeapi_storage.postgresql import schema
from fakeapi_storage.postgresql.link import Connection

APPLICATION = "fakeapi"
"""The name of a session that has not joined yet, and the beginning of the names of all sessions."""


class Peers(NamedTuple):
    """A server among those that use a database; each session's name has the schema and the settings.

    PostgreSQL cuts a name off after 63 characters. The schema is in the name as a number, so that settings of
    up to 44 characters are always complete.
    """

    location: str
    schema_number: int
    settings: str

    async def join(self, connection: Connection) -> None:
        """Names the session, unless a server with other settings has a session.

        One statement does both, and only one session at a time, so that servers that start at the same moment
        see each other. Raises `DatabaseRefused`.
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
