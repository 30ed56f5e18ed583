"""Lists open watches, each with the number of its unsent events."""

import msgspec

from fakeapi.control.handlers.requests import RequestView, view_of
from fakeapi.control.route import Call, Route


class WatchList(msgspec.Struct):
    """The open watches as requests, oldest first."""

    watches: list[RequestView]


async def read(call: Call) -> WatchList:
    return WatchList([view_of(entry) for entry in call.server.cluster.journal.open_watches()])


ROUTES = (Route("GET", "/watches", read, "The open watches, and how far behind each is.", answer=WatchList),)
