"""Filters that apply faults to watches: the filters delay, drop or cut events before the server sends the
events.
"""

import asyncio

from fakeapi.asgi import DropConnection
from fakeapi.clock.clocks import Clock
from fakeapi.faults.actions import (
    CutWatch,
    EndWatch,
    ExpireWatch,
    HoldEvents,
    Stale,
    WithholdBookmarks,
)
from fakeapi.faults.armed import ArmedFault
from fakeapi.http.faulting.pause import NEVER, pause
from fakeapi.http.watch import EventFilter, OpenWatch
from fakeapi.machinery import errors


def watch_fault_of(fault: ArmedFault, watch: OpenWatch, clock: Clock, *, opening: bool) -> EventFilter | None:
    """Returns the filter that applies a fault to a watch's events; None if the fault affects no watches.

    `opening`: whether the watch has just been opened, and its initial events are not sent yet.
    """
    match fault.rule.action:
        case EndWatch(after=after):
            return Ending(fault, watch, after)
        case ExpireWatch(after=after):
            return Ending(
                fault, watch, after, watch.events.encode_error(errors.expired(errors.WATCH_TOO_OLD))
            )
        case CutWatch(after=after):
            return Cutting(fault, watch, after)
        case HoldEvents(seconds=seconds):
            return Holding(fault, watch, clock, seconds or NEVER)
        case Stale(seconds=seconds):
            since = clock.now() - fault.armed_at
            left = NEVER if not seconds else max(0.0, seconds - since)
            return Holding(fault, watch, clock, left, since=clock.monotonic(), passes_first=opening)
        case WithholdBookmarks():
            return Withholding(fault, watch)
        case _:
            return None


class WatchFault:
    """Base class of the filters that apply faults to watches. Passes all events unchanged.

    A subclass calls `acts` to count the fault as fired, at most once for each watch.
    """

    def __init__(self, fault: ArmedFault, watch: OpenWatch) -> None:
        self._fault = fault
        self._watch = watch
        self._has_acted = False

    @property
    def passes_bookmarks(self) -> bool:
        return True

    @property
    def ends(self) -> bool:
        return False

    async def pass_on(self, frames: list[bytes]) -> list[bytes]:
        return frames

    def acts(self) -> None:
        if not self._has_acted:
            self._has_acted = True
            self._fault.fired += 1


class Ending(WatchFault):
    """Ends a watch after `after` events. `last`: frames to send at the end, such as an ERROR event."""

    def __init__(self, fault: ArmedFault, watch: OpenWatch, after: int, *last: bytes) -> None:
        super().__init__(fault, watch)
        self._left = after
        self._last = last

    @property
    def ends(self) -> bool:
        return self._left == 0 and self._fault.is_armed

    async def pass_on(self, frames: list[bytes]) -> list[bytes]:
        if not self._fault.is_armed or len(frames) < self._left:
            self._left -= len(frames)
            return frames
        passed, self._left = frames[: self._left], 0
        self.acts()
        return [*passed, *self._last]

    def end_now(self) -> None:
        """Ends the watch at once if no more events may be sent. Does not wait for the next event."""
        if self._left == 0:
            self.acts()
            self._watch.stream.end(*self._last)


class Cutting(WatchFault):
    """Closes the connection in the middle of an event, after `after` complete events."""

    def __init__(self, fault: ArmedFault, watch: OpenWatch, after: int) -> None:
        super().__init__(fault, watch)
        self._left = after
        self._is_cut = False

    @property
    def ends(self) -> bool:
        if self._is_cut:
            raise DropConnection
        return False

    async def pass_on(self, frames: list[bytes]) -> list[bytes]:
        if not self._fault.is_armed or len(frames) <= self._left:
            self._left -= len(frames)
            return frames
        torn = frames[self._left]
        self.acts()
        self._is_cut = True
        return [*frames[: self._left], torn[: max(1, len(torn) // 2)]]


class Holding(WatchFault):
    """Delays the events of a watch for `seconds`. Later events wait too, so the order stays the same.

    `since`: the monotonic time at which the delay starts; None starts the delay at the next event.
    """

    def __init__(
        self,
        fault: ArmedFault,
        watch: OpenWatch,
        clock: Clock,
        seconds: float,
        *,
        since: float | None = None,
        passes_first: bool = False,
    ) -> None:
        """Starts a delay for one watch.

        - `seconds`: the length of the delay; NEVER delays events until the fault is disarmed.
        - `since`: the monotonic time at which the delay starts; None starts the delay at the next event.
        - `passes_first`: whether to send the first batch of events, the initial events, without delay.
        """
        super().__init__(fault, watch)
        self._clock = clock
        self._seconds = seconds
        self._until = None if since is None else since + seconds
        self._passes_first = passes_first
        self._over = asyncio.Event()
        fault.on_disarm(self._over.set)

    async def pass_on(self, frames: list[bytes]) -> list[bytes]:
        passes, self._passes_first = self._passes_first, False
        if passes or not frames or not self._fault.is_armed:
            return frames
        now = self._clock.monotonic()
        if self._until is None:
            self._until = now + self._seconds
        if now < self._until:
            self.acts()
            await pause(self._clock, self._until, self._over)
        return frames


class Withholding(WatchFault):
    """Drops all bookmarks of a watch while the fault is armed."""

    @property
    def passes_bookmarks(self) -> bool:
        if self._fault.is_armed:
            self.acts()
        return not self._fault.is_armed
