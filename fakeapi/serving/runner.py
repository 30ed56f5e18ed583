"""Runs an application over HTTP/1.1 and HTTP/2, in this thread or in one of its own.

Built on hypercorn's protocol classes, not on its `serve()`: that one hangs at the end while watches are open
(Python 3.12 and later), and makes its socket only when its loop runs.
"""

import asyncio
import contextlib
import logging
import signal
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine
from importlib import import_module
from typing import Any, Protocol, TypeVar

from fakeapi.serving.listener import Site, listen
from fakeapi.serving.tasks import Message, Receive, Send

__all__ = ["Application", "Runner", "StartError"]

logger = logging.getLogger("fakeapi.serving")
logger.addHandler(logging.NullHandler())

GRACE_SECONDS = 0.3
"""For running requests to end when the server stops; they are cancelled then."""

STOP_SECONDS = 10.0
"""For the thread to end after it was told to; longer than any of its own limits."""

T = TypeVar("T")


class Application(Protocol):
    """What the runner asks of an application, beside being called as ASGI says."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None: ...

    async def startup(self) -> None: ...

    async def shutdown(self) -> None:
        """Called once, at the end; also where `startup` failed half-way."""
        ...

    async def reset(self) -> None: ...

    def end_watches(self) -> None: ...


class StartError(Exception):
    """The server cannot start; the message is one line for the person who started it."""


class Runner:
    """An application at an address.

    The socket listens from construction on, so the port is known and early clients queue. Then either
    `start` … `stop` (a daemon thread, for tests) or `run` (this thread, until a signal).
    """

    def __init__(
        self,
        app: Application,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        grace: float = GRACE_SECONDS,
    ) -> None:
        self._app = app
        self._host = host
        self._tls = tls
        self._grace = grace
        self._listener = self._listen(port)
        self._site: Site | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._closed = False

    def _listen(self, port: int) -> Any:
        try:
            return listen(self._host, port)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StartError(f"cannot listen on {self._host} port {port}: {reason}") from error

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def start(self) -> None:
        """Returns when the application is ready to answer; raises what kept it from that."""
        ready = threading.Event()
        failure: list[BaseException] = []

        def serve() -> None:
            try:
                with asyncio.Runner(loop_factory=_loop_factory()) as loop_runner:
                    loop_runner.run(self._serve(ready.set))
            except BaseException as error:  # handed to the thread that waits for it
                failure.append(error)
                if ready.is_set():
                    logger.exception("The server failed")
            finally:
                ready.set()

        self._thread = threading.Thread(target=serve, name="fakeapi", daemon=True)
        self._thread.start()
        ready.wait()
        if failure:
            self._thread.join()
            self.stop()
            raise failure[0]

    def stop(self) -> None:
        """Ends watches and connections and the thread, within the grace period; again is no error."""
        if self._closed:
            return
        self._closed = True
        thread, loop, stopping = self._thread, self._loop, self._stopping
        if thread is not None and thread.is_alive() and loop is not None and stopping is not None:
            with contextlib.suppress(RuntimeError):  # the loop ended by itself meanwhile
                loop.call_soon_threadsafe(stopping.set)
            thread.join(STOP_SECONDS + self._grace)
            if thread.is_alive():
                logger.error("The server's thread did not end within %s seconds", STOP_SECONDS)
        self._listener.close()

    def run(self, on_ready: Callable[[], None] = lambda: None) -> None:
        """Serves in this thread, which is the main one, until SIGINT or SIGTERM; then returns."""
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as loop_runner:
                loop_runner.run(self._serve(on_ready, signals=(signal.SIGINT, signal.SIGTERM)))
        finally:
            self._closed = True
            self._listener.close()

    async def _serve(self, on_ready: Callable[[], None], signals: tuple[signal.Signals, ...] = ()) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_handle_loop_error)
        self._stopping = asyncio.Event()
        for number in signals:
            self._loop.add_signal_handler(number, self._stopping.set)
        try:
            await self._start_app()
            self._open()
            on_ready()
            await self._stopping.wait()
        finally:
            try:
                await self._close()
            finally:
                await self._app.shutdown()

    async def _start_app(self) -> None:
        try:
            await self._app.startup()
        except Exception as error:
            raise StartError(f"cannot start: {_first_line(error)}") from error

    def _open(self) -> None:
        self._site = Site(self._app, self._listener, self._tls)
        self._site.start()

    async def _close(self) -> None:
        self._app.end_watches()
        if self._site is not None:
            await self._site.close(self._grace)

    def reset(self) -> None:
        """Empties the application; connections stay, watches end."""
        self.call(self._app.reset)

    def renew(self) -> None:
        """Closes every connection, empties the application and listens on another port.

        A client that was left over cannot reach what comes after.
        """

        async def renew() -> None:
            await self._close()
            await self._app.reset()
            self._listener = self._listen(0)
            self._open()

        self.call(renew)

    def call(self, function: Callable[[], Coroutine[Any, Any, T] | Awaitable[T]]) -> T:
        """Runs a coroutine function in the server's thread and returns what it returns."""
        if self._loop is None or self._closed:
            raise RuntimeError("the server is not running")

        async def work() -> T:
            return await function()

        return asyncio.run_coroutine_threadsafe(work(), self._loop).result()


def _first_line(error: Exception) -> str:
    """What went wrong, without the advice that some libraries add in further lines."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """That of uvloop where the extra `fast` is installed."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory


def _handle_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What no coroutine took, into the log; a client's broken TLS is not worth a line."""
    error = context.get("exception")
    if isinstance(error, ssl.SSLError | ConnectionError | TimeoutError):
        return
    logger.error("%s", context.get("message"), exc_info=error)
