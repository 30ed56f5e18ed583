"""Runs an ASGI application over HTTP/1.1 and HTTP/2, in the calling thread or in a new thread.

Does not use hypercorn's function `serve`. That function does not return while watches are open (Python 3.12
and later), and it opens the socket only when its event loop runs.
"""

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import signal
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from fakeapi.asgi import Application
from fakeapi.eventloop import loop_factory
from fakeapi.serving.listener import Listener, open_socket
from fakeapi.serving.start_error import StartError
from fakeapi.serving.tls_context import TLSSource

logger = logging.getLogger("fakeapi.serving")
logger.addHandler(logging.NullHandler())

GRACE_SECONDS = 0.3
"""Default seconds that a stopping server waits for running requests to end before it cancels them."""

STOP_SECONDS = 10.0
"""Seconds that `Runner.stop` waits for the server's thread to end, after the grace period."""

T = TypeVar("T")


class Runner:
    """Serves an application at a host and port.

    The constructor opens the listening socket, so the port is known and early clients can wait. The
    constructor raises StartError if the socket cannot be opened. After the constructor, call `start` and
    `stop` to serve in a daemon thread, or `run` to serve in the calling thread. `tls`: returns the TLS
    context for each new connection; None serves plain HTTP.
    """

    def __init__(
        self,
        app: Application,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: TLSSource | None = None,
        grace: float = GRACE_SECONDS,
    ) -> None:
        self._app = app
        self._host = host
        self._tls = tls
        self._grace = grace
        self._socket = self._listen(port)
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._closed = False
        self._process = os.getpid()
        self._calls: set[concurrent.futures.Future[Any]] = set()
        self._calls_lock = threading.Lock()

    def _listen(self, port: int) -> Any:
        try:
            return open_socket(self._host, port)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StartError(f"cannot listen on {self._host} port {port}: {reason}") from error

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Starts the server's thread, and returns when the application accepts requests.

        Raises StartError if the application cannot start, and any other exception that ends the thread.
        """
        ready = threading.Event()
        failure: list[BaseException] = []

        def serve() -> None:
            try:
                with asyncio.Runner(loop_factory=loop_factory()) as loop_runner:
                    loop_runner.run(self._serve(ready.set))
            except BaseException as error:  # `start` raises this error in the waiting thread
                failure.append(error)
                if ready.is_set():
                    logger.exception("The server failed")
            finally:
                self._cancel_calls()
                ready.set()

        self._thread = threading.Thread(target=serve, name="fakeapi", daemon=True)
        self._thread.start()
        ready.wait()
        if failure:
            self._thread.join()
            self.stop()
            raise failure[0]

    def stop(self) -> None:
        """Ends all watches, all connections and the server's thread. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        thread, loop, stopping = self._thread, self._loop, self._stopping
        if thread is not None and thread.is_alive() and loop is not None and stopping is not None:
            with contextlib.suppress(RuntimeError):  # the loop has already ended
                loop.call_soon_threadsafe(stopping.set)
            thread.join(STOP_SECONDS + self._grace)
            if thread.is_alive():
                logger.error("The server's thread did not end within %s seconds", STOP_SECONDS)
        self._socket.close()

    def run(self, on_ready: Callable[[], None] = lambda: None) -> None:
        """Serves in the calling thread, which must be the main thread, until SIGINT or SIGTERM.

        `on_ready`: called when the application accepts requests. Raises StartError if the application cannot
        start.
        """
        try:
            with asyncio.Runner(loop_factory=loop_factory()) as loop_runner:
                loop_runner.run(self._serve(on_ready, signals=(signal.SIGINT, signal.SIGTERM)))
        finally:
            self._closed = True
            self._socket.close()

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
        self._listener = Listener(self._app, self._socket, self._tls)
        self._listener.start()

    async def _close(self) -> None:
        self._app.end_watches()
        if self._listener is not None:
            await self._listener.close(self._grace)

    def reset(self) -> None:
        """Resets the application to a new cluster. Ends all watches, but keeps the connections open."""
        self.call(self._app.reset)

    def restart_empty_on_new_port(self) -> None:
        """Closes all connections, resets the application, and listens on a new port.

        Clients that use the old port get a refused connection.
        """

        async def restart() -> None:
            await self._close()
            await self._app.reset()
            self._socket = self._listen(0)
            self._open()

        self.call(restart)

    def call(self, function: Callable[[], Coroutine[Any, Any, T] | Awaitable[T]]) -> T:
        """Runs a coroutine function in the server's thread and returns its result.

        Exceptions of the function pass to the caller. Raises RuntimeError if the server does not run, or if
        the server stops before the function ends. Also raises RuntimeError in a forked child process, which
        does not have the server's thread.
        """
        if self._process != os.getpid():
            raise RuntimeError("the server runs in the parent process, not in this forked process")

        async def work() -> T:
            return await function()

        with self._calls_lock:
            if self._loop is None or self._closed:
                raise RuntimeError("the server is not running")
            coroutine = work()
            try:
                call = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
            except RuntimeError as error:  # the loop has already ended
                coroutine.close()
                raise RuntimeError("the server is not running") from error
            self._calls.add(call)
        try:
            return call.result()
        except concurrent.futures.CancelledError:
            raise RuntimeError("the server was stopped") from None
        finally:
            self._calls.discard(call)

    def _cancel_calls(self) -> None:
        """Cancels the calls for which threads still wait in `call`, because the event loop has ended."""
        with self._calls_lock:
            for call in [*self._calls]:
                call.cancel()


def _first_line(error: Exception) -> str:
    """Returns the first line of an error's message, or the name of its class if the message is empty."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__


def _handle_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs unhandled errors of the event loop, except errors of a client's connection, such as TLS errors."""
    error = context.get("exception")
    if isinstance(error, ssl.SSLError | ConnectionError | TimeoutError):
        return
    logger.error("%s", context.get("message"), exc_info=error)
