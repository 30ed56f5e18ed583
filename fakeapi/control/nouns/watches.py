"""Watches: those that are open, and how far behind each is."""

import msgspec

from fakeapi.control.nouns.requests import RequestView, view_of
from fakeapi.control.route import Call, Route


class WatchList(msgspec.Struct):
    """The requests of open watches, oldest first."""

    watches: list[RequestView]


async def read(call: Call) -> WatchList:
    return WatchList([view_of(each) for each in call.server.cluster.journal.open_watches()])


ROUTES = (Route("GET", "/watches", read, "The open watches, and how far behind each is.", answer=WatchList),)
