"""Requests: filters, counts and verifies the requests in a journal, for tests."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from fakeapi.journal.entry import Entry
from fakeapi.journal.pattern import RequestPattern
from fakeapi.journal.report import listing

NEAREST_MAX = 10
"""Maximum number of matching requests, and of similar requests, in the message of a failed verification."""

Source = Callable[[], list[Entry]]


class VerificationFailed(AssertionError):
    """Raised if the requests differ from the expected requests.

    The message lists the most similar requests.
    """


class Requests:
    """The requests of a server that match a filter, oldest first.

    The sequence is live: each access includes new requests.
    """

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
        """Returns only the requests that match a pattern, such as `filter("update pods/status", code=409)`.

        - `pattern`: text such as `update resourceclaims/status default/gpu`; "" matches all requests.
        - `code`: the status code of the response; 0 for all.
        - `members`: fields of RequestPattern, such as `verb="write"`.

        Raises PatternError for an invalid pattern.
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
        """Asserts that clients have sent matching requests, and returns these requests.

        - `patterns`: texts such as `update resourceclaims/status default/gpu`. With several patterns, one
          request must match each pattern, in this order. Other requests can be between them.
        - `times`, `at_least` and `at_most`: the number of matching requests, for one pattern. The default is
          at least one request.
        - `code` and `members`: a status code and fields of RequestPattern, for all patterns.

        Raises VerificationFailed if the requests differ, and PatternError for an invalid pattern. Raises
        ValueError for a number together with several patterns.
        """
        chosen = [_pattern(text, members) for text in patterns or ("",)]
        entries = [entry for entry in self._of(self._source()) if not code or entry.code == code]
        if len(chosen) > 1:
            if (times, at_least, at_most) != (None, None, None):
                raise ValueError("times, at_least and at_most count the requests of one pattern")
            return self._in_order(chosen, entries)
        matching = [entry for entry in entries if chosen[0].matches(entry)]
        low = times if times is not None else 1 if at_least is None and at_most is None else at_least or 0
        high = times if times is not None else at_most
        if len(matching) < low or (high is not None and len(matching) > high):
            expectation = _counted(chosen[0], code, low, high)
            raise VerificationFailed(_message(expectation, matching, self._nearest(chosen[0], matching)))
        return matching

    def none(self, *patterns: str, code: int = 0, **members: Any) -> None:
        """Asserts that no client has sent a matching request.

        The arguments `patterns`, `code` and `members` have the same meaning as in `verify`. Raises
        VerificationFailed if there is a matching request, and PatternError for an invalid pattern.
        """
        for pattern in patterns or ("",):
            self.verify(pattern, times=0, code=code, **members)

    def text(self, last: int = 20) -> str:
        """Returns one line of text for each of the last requests. `last`: the maximum number of requests."""
        return listing(self._of(self._source()), last)

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


def _message(expectation: str, matching: list[Entry], nearest: list[Entry]) -> str:
    lines = [f"expected {expectation}; there were {len(matching)}"]
    lines += [f"    {entry}" for entry in matching[:NEAREST_MAX]]
    if nearest:
        lines.append("nearest of the other requests:")
        lines += [f"    {entry}" for entry in nearest]
    elif not matching:
        lines.append("the server was asked nothing")
    return "\n".join(lines)
