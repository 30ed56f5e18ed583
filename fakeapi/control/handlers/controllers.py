"""The handler that returns what each controller of the server does now."""

import msgspec

from fakeapi.control.route import Call, Route


class ControllerView(msgspec.Struct, rename="camel"):
    """Describes the work of a controller at one moment, as in ControllerReport."""

    name: str
    waiting: int
    delayed: int
    busy_with: str
    reconciled: int
    failed: int
    last_error: str


class ControllerList(msgspec.Struct):
    """The controllers that the server runs, in the order in which they started."""

    controllers: list[ControllerView]


async def read(call: Call) -> ControllerList:
    runner = call.server.controllers()
    manager = None if runner is None else runner.running_manager
    reports = [] if manager is None else manager.reports()
    return ControllerList([ControllerView(*report) for report in reports])


ROUTES = (
    Route(
        "GET",
        "/controllers",
        read,
        "The controllers of the server: their queues, and their last errors.",
        answer=ControllerList,
    ),
)
