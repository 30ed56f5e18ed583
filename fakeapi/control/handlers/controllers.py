"""Returns the state of each controller of the server."""

import msgspec

from fakeapi.control.route import Call, Route
from fakeapi.controllers.activity import ControllerReport


class ControllerList(msgspec.Struct):
    """The running controllers, in the order of their start."""

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
