"""Journaling: records requests with their responses, including rejected requests.

Journaling is not one of the request filters. A filter would cost every request another coroutine, which takes
more time than the recording itself. Instead, the application records each request after all filters have run.
"""

from fakeapi.clock.clocks import Clock
from fakeapi.http.context import RequestContext
from fakeapi.http.response import AnyResponse, Response
from fakeapi.journal.journal import TEXT_MAX, Journal


class Journaling:
    """Records each request when its response is ready, and each watch when the watch begins.

    `now`: returns the monotonic time in seconds, to measure durations.
    """

    def __init__(self, journal: Journal, clock: Clock, *, keeps_answers: bool) -> None:
        """Prepares to record requests.

        `keeps_answers`: whether to keep the bodies of all responses, not only of errors.
        """
        self._append = journal.append
        self.now = clock.monotonic
        self._keeps_answers = keeps_answers

    def note(self, ctx: RequestContext, started: float, response: AnyResponse | None) -> None:
        """Adds a request to the journal, unless an observer sent the request.

        - `started`: the monotonic time at which the request began, from the function `now`.
        - `response`: the response; None if the client disconnected before the response was ready.
        """
        request = ctx.request
        if request.is_from_observer:
            return
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
