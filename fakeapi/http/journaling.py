"""Journaling: records every request with its response, including refused ones.

The application calls it around the filters: as a filter it would cost every request another coroutine, which
is more than the recording itself.
"""

from fakeapi.clock.clocks import Clock
from fakeapi.http.context import RequestContext
from fakeapi.http.response import AnyResponse, Response
from fakeapi.journal.journal import TEXT_MAX, Journal


class Journaling:
    """Records each request when its response is known, and a watch when it begins. `now` is its clock."""

    def __init__(self, journal: Journal, clock: Clock, *, keeps_answers: bool) -> None:
        """`keeps_answers`: also keep the bodies of successful responses; those of errors are always kept."""
        self._append = journal.append
        self.now = clock.monotonic
        self._keeps_answers = keeps_answers

    def note(self, ctx: RequestContext, started: float, response: AnyResponse | None) -> None:
        """Records a request that began at `started`; the response is None if the client has disconnected."""
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
