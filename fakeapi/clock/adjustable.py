"""AdjustableClock: a server's clock that tests can freeze, resume and move forward."""

import asyncio
import threading
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import msgspec

from fakeapi.clock.clocks import SeededClockAndNames, SystemClockAndNames
from fakeapi.machinery.golang import times

Moment = float | str | datetime
"""A moment: seconds since the epoch, RFC 3339 text, or a datetime with a time zone."""

YEARS_MAX = 9999
"""The last year that RFC 3339 can express. The clock cannot move past it."""

_END_OF_TIME = datetime(YEARS_MAX, 12, 31, tzinfo=UTC).timestamp()


class ClockState(msgspec.Struct, frozen=True):
    """The saved time of an AdjustableClock.

    - `frozen_at`: the time of a frozen clock, in seconds since the epoch; None if the clock runs.
    - `ahead`: the seconds that a running clock is ahead of the machine's clock.
    """

    frozen_at: float | None
    ahead: float


class AdjustableClock:
    """A clock that tests can freeze, resume and move forward, together with the clock's timers.

    Any thread can change the clock. After a move forward, all timers with a past deadline expire at once, in
    the order of their deadlines. A running clock follows the machine's clock until a test changes the clock.
    """

    def __init__(self, *, frozen_at: float | None = None) -> None:
        """Starts a running clock at the machine's time, or a frozen clock.

        `frozen_at`: the time of the frozen clock, in seconds since the epoch; None for a running clock.
        """
        self._lock = threading.Lock()
        self._timers: set[_Timeout] = set()
        self._begin(frozen_at)

    def _begin(self, frozen_at: float | None) -> None:
        self._passed = 0.0  # seconds of monotonic time ahead of the machine's
        self._ahead = 0.0  # seconds of the time of day ahead of the machine's
        self._frozen: tuple[float, float] | None = None  # monotonic time and time of day of a frozen clock
        if frozen_at is not None:
            self._frozen = time.monotonic(), frozen_at

    def now(self) -> float:
        """Returns the time of day in seconds since the epoch."""
        frozen = self._frozen
        return time.time() + self._ahead if frozen is None else frozen[1]

    def monotonic(self) -> float:
        """Returns monotonic time: seconds since an arbitrary moment.

        The value decreases only in `restart` and `put_back`, which also change the deadlines of timers.
        """
        frozen = self._frozen
        return time.monotonic() + self._passed if frozen is None else frozen[0]

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen, so that only `advance` and `jump` change its time."""
        return self._frozen is not None

    @property
    def adjusted(self) -> bool:
        """Whether the clock is frozen, or differs from the machine's clock."""
        return self.frozen or self._ahead != 0

    def freeze(self, at: Moment | None = None) -> None:
        """Freezes the clock until `resume` is called.

        `at`: the later time at which to freeze the clock; None freezes the clock at the present time. Raises
        ValueError if `at` is in the past.
        """
        seconds = 0.0 if at is None else self._until(at)
        with self._lock:
            self._frozen = self.monotonic() + seconds, self.now() + seconds
            self._rearm()

    def resume(self) -> None:
        """Lets a frozen clock run again, from its frozen time. Does nothing if the clock already runs."""
        with self._lock:
            if self._frozen is None:
                return
            monotonic, now = self._frozen
            self._passed, self._ahead = monotonic - time.monotonic(), now - time.time()
            self._frozen = None
            self._rearm()

    def advance(self, seconds: float) -> None:
        """Moves the clock forward by a number of seconds.

        Raises ValueError for negative or infinite seconds, and for a time after the year 9999. The clock
        cannot go backwards, because leases rely on time.
        """
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"a clock is moved forward by seconds of 0 or more, not {seconds}")
        if self.now() + seconds > _END_OF_TIME:
            raise ValueError(f"a clock goes no further than the year {YEARS_MAX}")
        with self._lock:
            if self._frozen is None:
                self._passed += seconds
                self._ahead += seconds
            else:
                self._frozen = self._frozen[0] + seconds, self._frozen[1] + seconds
            self._rearm()

    def jump(self, to: Moment) -> None:
        """Moves the clock forward to a time.

        Raises ValueError for an invalid time, for a time in the past, and for a time after the year 9999.
        """
        self.advance(self._until(to))

    def restart(self, frozen_at: float | None = None) -> None:
        """Resets the clock to the machine's time, or freezes it at `frozen_at` (seconds since the epoch).

        Pending timers keep their remaining time.
        """
        self.put_back(ClockState(frozen_at, 0.0))

    def state(self) -> ClockState:
        """Returns the clock's saved time, which `put_back` can restore."""
        with self._lock:
            return ClockState(None if self._frozen is None else self._frozen[1], self._ahead)

    def put_back(self, state: ClockState) -> None:
        """Restores the clock from a result of `state`. Pending timers keep their remaining time."""
        with self._lock:
            before = self.monotonic()
            self._begin(state.frozen_at)
            if state.frozen_at is None:
                self._ahead = state.ahead
            for timer in self._timers:
                timer.deadline += self.monotonic() - before
            self._rearm()

    def timeout(self, delay: float) -> "_Timeout":
        """Returns a context manager that raises TimeoutError if its block takes longer than `delay` seconds.

        Works like `asyncio.timeout`, but measures the time of this clock.
        """
        return _Timeout(self, delay)

    def _until(self, moment: Moment) -> float:
        target = seconds_of(moment)
        left = target - self.now()
        if left < 0:
            raise ValueError(
                f"the clock cannot go backwards: it is {times.now_text(self.now())} already, "
                f"after {times.now_text(target)}"
            )
        return left

    def add(self, timer: "_Timeout") -> None:
        with self._lock:
            self._timers.add(timer)

    def remove(self, timer: "_Timeout") -> None:
        with self._lock:
            self._timers.discard(timer)

    def _rearm(self) -> None:
        for timer in sorted(self._timers, key=lambda timer: timer.deadline):
            timer.loop.call_soon_threadsafe(timer.arm)


class _Timeout:
    """A context manager that raises TimeoutError when the clock's monotonic time reaches `deadline`."""

    __slots__ = ("_clock", "_inner", "_left", "deadline", "loop")

    def __init__(self, clock: AdjustableClock, delay: float) -> None:
        self._clock = clock
        self._inner = asyncio.timeout(None)
        self._left = False
        self.deadline = clock.monotonic() + delay
        self.loop = asyncio.get_running_loop()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        self._clock.add(self)
        self.arm()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left = True
        self._clock.remove(self)
        await self._inner.__aexit__(kind, error, trace)

    def arm(self) -> None:
        """Schedules the expiry of this timeout in the event loop.

        If the clock is frozen, schedules the expiry only if the deadline has passed. Must be called in the
        thread of the event loop.
        """
        if self._left or self._inner.expired():
            return
        left = self.deadline - self._clock.monotonic()
        if left <= 0:
            self._inner.reschedule(self.loop.time())
        else:
            self._inner.reschedule(None if self._clock.frozen else self.loop.time() + left)


class ClusterClock(AdjustableClock):
    """An AdjustableClock that also generates uids, name suffixes and random numbers.

    `seed`: makes these values repeatable; None makes them random.
    """

    def __init__(self, *, seed: int | None = None, frozen_at: float | None = None) -> None:
        super().__init__(frozen_at=frozen_at)
        self._seed, self._frozen_at = seed, frozen_at
        self._draw_anew()

    def begin_again(self) -> None:
        """Resets the clock, and restarts the seeded sequence of uids, name suffixes and random numbers."""
        self.restart(self._frozen_at)
        self._draw_anew()

    def _draw_anew(self) -> None:
        seeded = None if self._seed is None else SeededClockAndNames(self._seed)
        names = seeded or SystemClockAndNames()
        self.uid, self.suffix, self.fraction = names.uid, names.suffix, names.fraction


def seconds_of(moment: Moment) -> float:
    """Converts a moment to seconds since the epoch.

    Raises ValueError for text that is not a time, for a datetime without a time zone, and for a number of
    seconds before 1970 or after the year 9999.
    """
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise ValueError(f"{moment} has no time zone: give one, such as datetime.UTC")
        return moment.timestamp()
    if isinstance(moment, str):
        try:
            parsed = datetime.fromisoformat(moment)
        except ValueError:
            raise ValueError(f"{moment!r} is not a time such as 2026-01-31T12:00:00Z") from None
        return seconds_of(parsed)
    if not 0 <= moment <= _END_OF_TIME:
        raise ValueError(f"{moment} is not a time from 1970 to {YEARS_MAX}, in seconds since the epoch")
    return float(moment)
