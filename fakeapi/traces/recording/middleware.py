"""Recorder: ASGI middleware that records the traffic of an application."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from fakeapi.asgi import WRITE_NOW, Application, Receive, Scope, Send
from fakeapi.journal.observer import OBSERVER_BYTES

if TYPE_CHECKING:
    from fakeapi.traces.model import Ending
    from fakeapi.traces.recording.recording import ObservedExchange, Recording


CONTROL = "/_fakeapi"
"""The path prefix of the control API, whose requests are not recorded."""


class Recorder:
    """Wraps an ASGI application, and records its traffic. `record` starts and stops the recording."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._recording: Recording | None = None

    @property
    def recording(self) -> "Recording | None":
        return self._recording

    def record(self, recording: "Recording | None") -> "Recording | None":
        """Records later requests in `recording`; None stops recording. Returns the previous recording.

        Requests that are still running are added to the previous recording in their present state. The new
        recording does not contain them.
        """
        before, self._recording = self._recording, recording
        if before is not None:
            before.end_open()
        return before

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        if self._recording is None or not _is_recorded(scope):
            return self._app(scope, receive, send)
        return self._observe(self._recording, scope, receive, send)

    async def _observe(self, recording: "Recording", scope: Scope, receive: Receive, send: Send) -> None:
        observed = recording.begin(scope["method"], target_of(scope), scope["headers"])
        complete = False

        async def observed_receive() -> Any:
            message = await receive()
            if message["type"] == "http.request":
                observed.asked(message.get("body", b""))
            elif message["type"] == "http.disconnect":
                observed.left = not complete
            return message

        async def observed_send(message: Any) -> None:
            nonlocal complete
            if message["type"] == "http.response.start":
                observed.started(message["status"], message.get("headers", ()))
            elif message["type"] == "http.response.body":
                observed.answered(message.get("body", b""))
                complete = not message.get("more_body", False)
            await send(message)
            if complete:
                end(observed, complete=True)

        try:
            extensions = {name: own for name, own in scope.get("extensions", {}).items() if name != WRITE_NOW}
            await self._app({**scope, "extensions": extensions}, observed_receive, observed_send)
        finally:
            end(observed, complete=complete)

    async def startup(self) -> None:
        await self._app.startup()

    async def shutdown(self) -> None:
        await self._app.shutdown()

    async def reset(self) -> None:
        await self._app.reset()

    def end_watches(self) -> None:
        """Ends all watches of the application. The recording marks these watches as "open"."""
        if self._recording is not None:
            self._recording.end_open()
        self._app.end_watches()


def _is_recorded(scope: Scope) -> bool:
    """Whether a scope is an HTTP request to record.

    Requests of an observer, and requests for the control API, are not recorded.
    """
    if scope["type"] != "http" or target_of(scope).startswith(CONTROL):
        return False
    return (b"user-agent", OBSERVER_BYTES) not in scope["headers"]


def end(observed: "ObservedExchange", *, complete: bool) -> None:
    """Ends the recording of an exchange, and records the cause.

    The cause is "client" if the client disconnected, "server" if the response was sent completely, and "cut"
    otherwise. `complete`: whether the response was sent completely.
    """
    ended: Ending = "client" if observed.left else "server" if complete else "cut"
    observed.end(ended)


def target_of(scope: Scope) -> str:
    """Returns the path and query of an ASGI scope, as the client sent them."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope["query_string"]
    return (raw + b"?" + query if query else raw).decode("latin-1")
