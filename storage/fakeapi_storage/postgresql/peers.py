"""Lets a server join the other servers that use a database. All of them must have the same settings."""

from typing import NamedTuple

from fakeapi_storage.errors import DatabaseRefused
from fakeapi_storage.postgresql import schema
from fakeapi_storage.postgresql.link import Connection

APPLICATION = "fakeapi"
"""The name of sessions that have not joined yet, and the beginning of all other session names."""


class Peers(NamedTuple):
    """The servers that use a database. Each server marks its database sessions with a name.

    The name of a session contains the number of the PostgreSQL schema and the settings of the server.
    PostgreSQL truncates session names after 63 characters. The number is short, so settings of up to 44
    characters always fit.
    """

    location: str
    schema_number: int
    settings: str

    async def join(self, connection: Connection) -> None:
        """Sets the name of the session, unless a session belongs to a server with other settings.

        One statement reads the names of other sessions and sets the name of this session, under a lock.
        Therefore servers that start at the same time see each other.

        Raises `DatabaseRefused` if a server with other settings has a session.
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
