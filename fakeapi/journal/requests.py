"""Requests: filters, counts and verifies the requests in a journal, for tests."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, Self, Unpack, overload

from fakeapi.journal.entry import Entry
from fakeapi.journal.pattern import PatternFields, RequestPattern
from fakeapi.journal.report import listing
from fakeapi.machinery.base_error import FakeAPIError

NEAREST_MAX = 10
"""Maximum number of matching requests, and of similar requests, in the message of a failed verification."""

Source = Callable[[], list[Entry]]


class VerificationFailed(FakeAPIError, AssertionError):
    """Raised if the requests differ from the expected requests.

    The message lists the most similar requests.
    """


class Arrivals(Protocol):
    """Wakes a waiting thread when the journal gets a new request."""

    def wait(self, seconds: float) -> bool:
        """Waits until a request has arrived since the last call.

        Returns whether a request has arrived. Gives up after `seconds`.
        """
        ...


class JournalServer(Protocol):
    """The methods of a server that Requests needs in addition to the entries of the journal."""

    def check_pattern(self, pattern: RequestPattern) -> None:
        """Raises PatternError if a pattern cannot match a request for a served resource."""
        ...

    def arrivals(self) -> AbstractContextManager[Arrivals]:
        """Returns a context manager whose value waits for new requests."""
        ...

    def clear_journal(self) -> None:
        """Deletes all entries."""
        ...


class Requests:
    """The requests of a server that match a filter, oldest first.

    The sequence is live: each access includes new requests. A pattern that matches no request raises
    PatternError if it names a resource, subresource or verb that the server does not serve.
    """

    def __init__(
        self,
        source: Source,
        patterns: tuple[RequestPattern, ...] = (),
        code: int = 0,
        *,
        server: JournalServer | None = None,
    ) -> None:
        self._source = source
        self._patterns = patterns
        self._code = code
        self._server = server

    def __repr__(self) -> str:
        return f"<Requests: {len(self)}{''.join(f', {pattern}' for pattern in self._patterns)}>"

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._of(self._source()))

    def __len__(self) -> int:
        return len(self._of(self._source()))

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        return self._of(self._source())[index]

    def filter(self, pattern: str = "", *, code: int = 0, **members: Unpack[PatternFields]) -> Self:
        """Returns only the requests that match a pattern, such as `filter("update pods/status", code=409)`.

        - `pattern`: text such as `update resourceclaims/status default/gpu`; "" matches all requests.
        - `code`: the status code of the response; 0 for all.
        - `members`: fields of RequestPattern, such as `verb="write"`.

        Raises PatternError for an invalid pattern, and TypeError for an unknown field.
        """
        chosen = RequestPattern.of(pattern, members)
        self._check(chosen, self._source())
        return type(self)(self._source, (*self._patterns, chosen), code or self._code, server=self._server)

    def verify(
        self,
        *patterns: str,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        code: int = 0,
        within: float = 0.0,
        **members: Unpack[PatternFields],
    ) -> list[Entry]:
        """Asserts that clients have sent matching requests, and returns these requests.

        - `patterns`: texts such as `update resourceclaims/status default/gpu`. With several patterns, one
          request must match each pattern, in this order. Other requests can be between them.
        - `times`, `at_least` and `at_most`: the number of matching requests, for one pattern. The default is
          at least one request.
        - `code` and `members`: a status code and fields of RequestPattern, for all patterns.
        - `within`: the seconds, by the machine's clock, to wait until enough requests have come. 0 does not
          wait. Does not wait for further requests after the number is right.

        Raises VerificationFailed if the requests differ, and PatternError for an invalid pattern. Raises
        ValueError for a number together with several patterns, and TypeError for an unknown field.
        """
        chosen = [RequestPattern.of(text, members) for text in patterns or ("",)]
        if len(chosen) > 1 and (times, at_least, at_most) != (None, None, None):
            raise ValueError("times, at_least and at_most count the requests of one pattern")
        low = times if times is not None else 1 if at_least is None and at_most is None else at_least or 0
        high = times if times is not None else at_most
        if within <= 0 or self._server is None:
            return self._verified(chosen, low, high, code)
        return self._within(within, lambda: self._verified(chosen, low, high, code))

    def none(self, *patterns: str, code: int = 0, **members: Unpack[PatternFields]) -> None:
        """Asserts that no client has sent a matching request.

        The arguments `patterns`, `code` and `members` have the same meaning as in `verify`. Raises
        VerificationFailed if there is a matching request, and PatternError for an invalid pattern.
        """
        for pattern in patterns or ("",):
            self.verify(pattern, times=0, code=code, **members)

    def clear(self) -> None:
        """Deletes all requests of the server's journal, so that later assertions start from here."""
        if self._server is not None:
            self._server.clear_journal()

    def text(self, last: int = 20) -> str:
        """Returns one line of text for each of the last requests. `last`: the maximum number of requests."""
        return listing(self._of(self._source()), last)

    def _within(self, seconds: float, verified: Callable[[], list[Entry]]) -> list[Entry]:
        """Calls a verification again after each new request, until it succeeds or the time is over.

        Raises VerificationFailed of the last try. More requests than allowed fail at once.
        """
        assert self._server is not None
        deadline = time.monotonic() + seconds
        with self._server.arrivals() as arrivals:
            while True:
                try:
                    return verified()
                except _TooMany:
                    raise
                except VerificationFailed as failure:
                    if not arrivals.wait(deadline - time.monotonic()):
                        raise VerificationFailed(f"within {seconds:g} s: {failure}") from None

    def _verified(self, chosen: list[RequestPattern], low: int, high: int | None, code: int) -> list[Entry]:
        every = self._source()
        for pattern in chosen:
            self._check(pattern, every)
        entries = [entry for entry in self._of(every) if not code or entry.code == code]
        if len(chosen) > 1:
            return self._in_order(chosen, entries)
        matching = [entry for entry in entries if chosen[0].matches(entry)]
        is_over = high is not None and len(matching) > high
        if len(matching) < low or is_over:
            expectation = _counted(chosen[0], code, low, high)
            message = _message(expectation, matching, self._nearest(chosen[0], matching))
            raise _TooMany(message) if is_over else VerificationFailed(message)
        return matching

    def _check(self, pattern: RequestPattern, entries: Iterable[Entry]) -> None:
        """Raises PatternError for a pattern that matches no request and cannot match any request."""
        if self._server is not None and not any(map(pattern.matches, entries)):
            self._server.check_pattern(pattern)

    def _of(self, entries: Iterable[Entry]) -> list[Entry]:
        return [
            entry
            for entry in entries
            if (not self._code or entry.code == self._code) and all(p.matches(entry) for p in self._patterns)
        ]

    def _in_order(self, chosen: list[RequestPattern], entries: list[Entry]) -> list[Entry]:
        matching: list[Entry] = []
        rest = iter(entries)
        for pattern in chosen:
            entry = next((candidate for candidate in rest if pattern.matches(candidate)), None)
            if entry is None:
                expectation = f"in this order: {', '.join(map(str, chosen))}; missing: {pattern}"
                if matching:
                    expectation += f" after #{matching[-1].number}"
                raise VerificationFailed(_message(expectation, matching, self._nearest(pattern, matching)))
            matching.append(entry)
        return matching

    def _nearest(self, pattern: RequestPattern, matching: list[Entry]) -> list[Entry]:
        """Returns the requests outside of `matching` that are most similar to a pattern, oldest first.

        Among equally similar requests, prefers newer requests.
        """
        numbers = {entry.number for entry in matching}
        others = [entry for entry in self._source() if entry.number not in numbers]
        scored = sorted(others, key=lambda entry: (pattern.likeness(entry), entry.number))
        return sorted(scored[-NEAREST_MAX:], key=lambda entry: entry.number)


class _TooMany(VerificationFailed):
    """Raised if more requests match than allowed, so that waiting cannot help."""


def _counted(pattern: RequestPattern, code: int, low: int, high: int | None) -> str:
    if high is None:
        count = f"at least {low}"
    elif low == high:
        count = f"exactly {low}" if low else "none"
    else:
        count = f"{low} to {high}"
    return f"{count} of {pattern}" + (f" answered {code}" if code else "")


def _message(expectation: str, matching: list[Entry], nearest: list[Entry]) -> str:
    lines = [f"expected {expectation}; there were {len(matching)}"]
    lines += [f"    {entry}" for entry in matching[:NEAREST_MAX]]
    if nearest:
        lines.append("nearest of the other requests:")
        lines += [f"    {entry}" for entry in nearest]
    elif not matching:
        lines.append("the server was asked nothing")
    return "\n".join(lines)
