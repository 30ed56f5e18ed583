"""RecordingMethods: the methods of FakeAPI that record traffic and replay it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from fakeapi.testing.server_methods import ServerMethods

if TYPE_CHECKING:
    from fakeapi.testing.replaying import ReplayOptions
    from fakeapi.traces.recording.recording import Recording
    from fakeapi.traces.reporting.report import Report


class RecordingMethods(ServerMethods, ABC):
    """Records the traffic of a running server, and replays recorded traffic."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The URL of the server for clients on this machine."""

    @property
    @abstractmethod
    def ca_file(self) -> Path | None:
        """The path of a file with the CA certificate in PEM; None without TLS."""

    @property
    @abstractmethod
    def token(self) -> str | None:
        """The bearer token that clients must send; None if the server requires no token."""

    @property
    @abstractmethod
    def release(self) -> str | None:
        """The Kubernetes release that the server imitates."""

    def start_recording(self, path: str | Path, *, redact: Iterable[str] = ()) -> None:
        """Starts to record the traffic. The recording contains no credentials.

        - `path`: the file that `stop_recording` and `stop` write. Its name must end with .jsonl, .jsonl.gz or
          .jsonl.zst. An existing file is replaced, so that a test can run again.
        - `redact`: fields to leave out of the recording, such as "spec.controller".

        Raises RuntimeError if the server is recording already, TraceError if the file cannot be created, and
        ValueError for an invalid field.
        """
        server = self._running()

        async def begin() -> None:
            server.recording.start(path, tuple(redact))

        server.call(begin)

    def stop_recording(self) -> Path:
        """Ends the recording and writes its file, including open watches; returns the path.

        Raises TraceError if the file cannot be written, and RuntimeError if the server is not recording.
        """
        recording = self._taken_recording()
        if recording is None:
            raise RuntimeError("the server is not recording")
        recording.close()
        return recording.path

    @property
    def recording(self) -> bool:
        """Whether the server is recording its traffic."""
        return self._server is not None and self._server.recording.is_recording

    @property
    def active_recording(self) -> "Recording | None":
        """The recording of the running server; None if the server is not recording.

        Its `path` and length are also valid after the server has written the file.
        """
        return None if self._server is None else self._server.recording.active

    def discard_recording(self) -> None:
        """Ends the recording without writing a file. Does nothing without a recording."""
        recording = self._taken_recording()
        if recording is not None:
            recording.abort()

    def _taken_recording(self) -> "Recording | None":
        """Ends the recording and returns it without writing its file; None without a recording."""
        server = self._running()

        async def take() -> "Recording | None":
            return server.recording.take()

        return server.call(take)

    def replay(self, trace: str | Path, **how: "Unpack[ReplayOptions]") -> "Report":
        """Sends the requests of a recorded trace to this server, and reports where the responses differ.

        Does not delete the existing objects of the server first.

        - `trace`: a file in fakeapi's own format, a Kubernetes audit log, or HAR.
        - `how`: the options of `fakeapi.testing.replaying.options`, such as `order` and `ignore`.

        Raises TraceError for a trace that cannot be read, and ValueError for invalid options.
        """
        from fakeapi.testing import replaying  # noqa: PLC0415 - loaded only when used
        from fakeapi.traces.formats.open import open_trace  # noqa: PLC0415 - loaded only when used

        with open_trace(trace) as reader:
            return replaying.replay_on(self, reader, replaying.options(**how))
