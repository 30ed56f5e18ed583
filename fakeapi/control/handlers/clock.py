"""Handlers that read, freeze and move the server's clock."""

from collections.abc import Callable

import msgspec

from fakeapi.clock.adjustable import ClusterClock
from fakeapi.control.errors import refused
from fakeapi.control.route import Call, Route
from fakeapi.machinery.golang import times


class Clock(msgspec.Struct, rename="camel"):
    """The time of the server.

    - `now`: the time in RFC 3339.
    - `seconds`: the time in seconds since the epoch.
    - `frozen`: whether the clock is frozen.
    - `adjusted`: whether the server's time can differ from the machine's time.
    """

    now: str
    seconds: float
    frozen: bool
    adjusted: bool


class Freeze(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The request to freeze the clock.

    `at`: a later time to freeze the clock at, in RFC 3339; "" for the present time.
    """

    at: str = ""


class Advance(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    seconds: float


class Jump(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The request to move the clock. `to`: a later time, in RFC 3339."""

    to: str


async def read(call: Call) -> Clock:
    clock = call.server.cluster.clock
    adjustable = clock if isinstance(clock, ClusterClock) else None
    return Clock(
        now=times.now_text(clock.now()),
        seconds=clock.now(),
        frozen=adjustable is not None and adjustable.frozen,
        adjusted=adjustable is None or adjustable.adjusted,
    )


async def freeze(call: Call) -> Clock:
    return await _moved(call, lambda clock: clock.freeze(call.body.at or None))


async def resume(call: Call) -> Clock:
    return await _moved(call, ClusterClock.resume)


async def advance(call: Call) -> Clock:
    return await _moved(call, lambda clock: clock.advance(call.body.seconds))


async def jump(call: Call) -> Clock:
    return await _moved(call, lambda clock: clock.jump(call.body.to))


async def _moved(call: Call, move: Callable[[ClusterClock], None]) -> Clock:
    """Moves the clock with the function `move`, and returns the new time.

    Raises ApiError 400 for an invalid or past time, and 409 if the server's clock cannot be moved.
    """
    clock = _clock(call)
    try:
        move(clock)
    except ValueError as error:
        raise refused(400, str(error)) from None
    return await read(call)


def _clock(call: Call) -> ClusterClock:
    try:
        return call.server.cluster.adjustable_clock
    except RuntimeError as error:
        raise refused(409, str(error)) from None


ROUTES = (
    Route("GET", "/clock", read, "The server's time.", answer=Clock),
    Route(
        "POST",
        "/clock/freeze",
        freeze,
        "Freeze the clock, now or at a later time.",
        answer=Clock,
        body=Freeze,
        body_is_optional=True,
    ),
    Route(
        "POST", "/clock/resume", resume, "Let a frozen clock run again, from its frozen time.", answer=Clock
    ),
    Route("POST", "/clock/advance", advance, "Move the clock forward.", answer=Clock, body=Advance),
    Route("POST", "/clock/jump", jump, "Move the clock forward to a time.", answer=Clock, body=Jump),
)
