"""Requests: the entries of a journal as a test asks for them: filtered, counted and verified."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from fakeapi.journal.entry import Entry
from fakeapi.journal.pattern import RequestPattern
from fakeapi.journal.report import listing

NEAREST_MAX = 10
"""Requests that a failed verification shows."""

Source = Callable[[], list[Entry]]


class VerificationFailed(AssertionError):
    """The requests are not those that were expected; the message shows those that are nearest."""


class Requests:
    """Requests of a server, oldest first. Each look at them sees those that have come meanwhile."""

    def __init__(self, source: Source, patterns: tuple[RequestPattern, ...] = (), code: int = 0) -> None:
        self._source = source
        self._patterns = patterns
        self._code = code

    def __repr__(self) -> str:
        return f"<Requests: {len(self)}{''.join(f', {pattern}' for pattern in self._patterns)}>"

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._of(self._source()))

    def __len__(self) -> int:
        return len(self._of(self._source()))

    def __getitem__(self, index: int) -> Entry:
        return self._of(self._source())[index]

    def filter(self, pattern: str = "", *, code: int = 0, **members: Any) -> Self:
        """Those that match too: `filter("update resourceclaims/status")`, `filter(verb="write", code=409)`.

        The members are those of RequestPattern. Raises PatternError.
        """
        chosen = _pattern(pattern, members)
        return type(self)(self._source, (*self._patterns, chosen), code or self._code)

    def verify(
        self,
        *patterns: str,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        code: int = 0,
        **members: Any,
    ) -> list[Entry]:
        """Asserts that matching requests came; returns them.

        One pattern: as often as `times`, `at_least` and `at_most` say, by default at least once. Several: one
        request for each, in this order, whatever came between; they are returned. `code` and the members hold
        for all patterns. Raises VerificationFailed, PatternError; ValueError for counts of several patterns.
        """
        chosen = [_pattern(each, members) for each in patterns or ("",)]
        entries = [each for each in self._of(self._source()) if not code or each.code == code]
        if len(chosen) > 1:
            if (times, at_least, at_most) != (None, None, None):
                raise ValueError("times, at_least and at_most count the requests of one pattern")
            return self._in_order(chosen, entries)
        found = [each for each in entries if chosen[0].matches(each)]
        low = times if times is not None else 1 if at_least is None and at_most is None else at_least or 0
        high = times if times is not None else at_most
        if len(found) < low or (high is not None and len(found) > high):
            wanted = _counted(chosen[0], code, low, high)
            raise VerificationFailed(_message(wanted, found, self._nearest(chosen[0], found)))
        return found

    def none(self, *patterns: str, code: int = 0, **members: Any) -> None:
        """Asserts that no matching request came. Raises VerificationFailed, PatternError."""
        for each in patterns or ("",):
            self.verify(each, times=0, code=code, **members)

    def text(self, last: int = 20) -> str:
        """The last requests, a line each."""
        return listing(self._of(self._source()), last)

    def _of(self, entries: Iterable[Entry]) -> list[Entry]:
        return [
            each
            for each in entries
            if (not self._code or each.code == self._code) and all(p.matches(each) for p in self._patterns)
        ]

    def _in_order(self, chosen: list[RequestPattern], entries: list[Entry]) -> list[Entry]:
        found: list[Entry] = []
        rest = iter(entries)
        for pattern in chosen:
            entry = next((each for each in rest if pattern.matches(each)), None)
            if entry is None:
                wanted = f"in this order: {', '.join(map(str, chosen))}; missing: {pattern}"
                if found:
                    wanted += f" after #{found[-1].number}"
                raise VerificationFailed(_message(wanted, found, self._nearest(pattern, found)))
            found.append(entry)
        return found

    def _nearest(self, pattern: RequestPattern, found: list[Entry]) -> list[Entry]:
        """Requests that are most like a pattern, in their own order; of equals the last ones."""
        numbers = {each.number for each in found}
        others = [each for each in self._source() if each.number not in numbers]
        scored = sorted(others, key=lambda each: (pattern.likeness(each), each.number))
        return sorted(scored[-NEAREST_MAX:], key=lambda each: each.number)


def _pattern(text: str, members: dict[str, Any]) -> RequestPattern:
    return RequestPattern.parse(text, **members) if text else RequestPattern(**members)


def _counted(pattern: RequestPattern, code: int, low: int, high: int | None) -> str:
    if high is None:
        count = f"at least {low}"
    elif low == high:
        count = f"exactly {low}" if low else "none"
    else:
        count = f"{low} to {high}"
    return f"{count} of {pattern}" + (f" answered {code}" if code else "")


def _message(wanted: str, found: list[Entry], nearest: list[Entry]) -> str:
    lines = [f"expected {wanted}; there were {len(found)}"]
    lines += [f"    {each}" for each in found[:NEAREST_MAX]]
    if nearest:
        lines.append("nearest of the other requests:")
        lines += [f"    {each}" for each in nearest]
    elif not found:
        lines.append("the server was asked nothing")
    return "\n".join(lines)
