"""Journal: notes every request with its answer, refusals included."""

from fakeapi.http.context import RequestContext
from fakeapi.http.pipeline import Handler
from fakeapi.http.request import ClientGone
from fakeapi.http.response import AnyResponse, Response
from fakeapi.journal.journal import TEXT_MAX, Journal
from fakeapi.registry.clock import Clock


class Journaling:
    """Notes each request when its response is known; a watch when it begins."""

    def __init__(self, journal: Journal, clock: Clock, *, keeps_answers: bool) -> None:
        """`keeps_answers`: also of successes; those of refusals are always kept."""
        self._append = journal.append
        self._now = clock.monotonic
        self._keeps_answers = keeps_answers

    async def __call__(self, ctx: RequestContext, proceed: Handler) -> AnyResponse:
        started = self._now()
        try:
            response = await proceed(ctx)
        except ClientGone:
            self._note(ctx, started, 0, b"")
            raise
        code = response.status
        keeps = (code >= 400 or self._keeps_answers) and isinstance(response, Response)
        self._note(ctx, started, code, response.body if keeps else b"")  # type: ignore[union-attr] # just asked
        return response

    def _note(self, ctx: RequestContext, started: float, code: int, answer: bytes) -> None:
        request = ctx.request
        sent = request.content
        self._append(
            (
                ctx.received,
                self._now() - started,
                request.method,
                request.raw_path[:TEXT_MAX],
                request.query_string[:TEXT_MAX],
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
