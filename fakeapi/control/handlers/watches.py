"""The handler that lists open watches, with the number of unsent events for each watch."""

import msgspec

from fakeapi.control.handlers.requests import RequestView, view_of
from fakeapi.control.route import Call, Route


class WatchList(msgspec.Struct):
    """The requests of all open watches, oldest first."""

    watches: list[RequestView]


async def read(call: Call) -> WatchList:
    return WatchList([view_of(entry) for entry in call.server.cluster.journal.open_watches()])


ROUTES = (Route("GET", "/watches", read, "The open watches, and how far behind each is.", answer=WatchList),)
