"""Journaling: notes every request with its answer, refusals included.

The application calls it around the filters: as a filter of its own it would cost every request another
coroutine, which is more than the note itself.
"""

from fakeapi.clock.clocks import Clock
from fakeapi.http.context import RequestContext
from fakeapi.http.response import AnyResponse, Response
from fakeapi.journal.journal import TEXT_MAX, Journal


class Journaling:
    """Notes each request when its response is known; a watch when it begins. `now` is its clock."""

    def __init__(self, journal: Journal, clock: Clock, *, keeps_answers: bool) -> None:
        """`keeps_answers`: also of successes; those of refusals are always kept."""
        self._append = journal.append
        self.now = clock.monotonic
        self._keeps_answers = keeps_answers

    def note(self, ctx: RequestContext, started: float, response: AnyResponse | None) -> None:
        """Notes a request that began at `started`; without a response, its client has left."""
        request = ctx.request
        sent, path, query = request.content, request.raw_path, request.query_string
        if len(path) + len(query) > TEXT_MAX:
            path, query = path[:TEXT_MAX], query[:TEXT_MAX]
        code = 0 if response is None else response.status
        answer = b""
        if (code >= 400 or self._keeps_answers) and isinstance(response, Response):
            answer = response.body
        self._append(
            (
                ctx.received,
                self.now() - started,
                request.method,
                path,
                query,
                ctx.verb,
                ctx.user.name,
                request.headers.get(b"user-agent", b"")[:TEXT_MAX],
                code,
                len(sent),
                ctx.written,
                ctx.faults,
                ctx.watch,
            ),
            sent,
            answer,
        )
