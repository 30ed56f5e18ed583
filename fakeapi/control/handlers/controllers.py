"""The handler that returns what each controller of the server does now."""

import msgspec

from fakeapi.control.route import Call, Route
from fakeapi.controllers.activity import ControllerReport


class ControllerList(msgspec.Struct):
    """The controllers that the server runs, in the order in which they started."""

    controllers: list[ControllerReport]


async def read(call: Call) -> ControllerList:
    runner = call.server.controllers()
    manager = None if runner is None else runner.running_manager
    return ControllerList([] if manager is None else manager.reports())


ROUTES = (
    Route(
        "GET",
        "/controllers",
        read,
        "The controllers of the server: their queues, and their last errors.",
        answer=ControllerList,
    ),
)
