"""ServerRecording: records the traffic of a running server into a file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fakeapi.serving.start_error import StartError
from fakeapi.settings import Settings
from fakeapi.traces.recording.middleware import Recorder
from fakeapi.version import __version__ as VERSION  # noqa: N812 - it is a constant

if TYPE_CHECKING:
    from fakeapi.traces.recording.recording import Recording


class ServerRecording:
    """The recording of one server; at most one at a time. Call its methods in the server's event loop.

    `recorder`: the middleware that records requests and responses.
    """

    def __init__(self, recorder: Recorder, settings: Settings) -> None:
        self._recorder = recorder
        self._settings = settings

    @property
    def is_recording(self) -> bool:
        return self.active is not None

    @property
    def active(self) -> "Recording | None":
        """The recording that collects exchanges; None without a recording."""
        return self._recorder.recording

    def start(self, path: str | Path, redact: tuple[str, ...]) -> None:
        """Starts to record into a file, without the fields `redact`.

        Raises RuntimeError if the server is recording already, TraceError if the file cannot be created, and
        ValueError for an invalid field.
        """
        if self.is_recording:
            raise RuntimeError("the server is recording already")
        self._recorder.record(self._new_recording(path, redact))

    def take(self) -> "Recording | None":
        """Ends the recording and returns it without writing its file; None without a recording."""
        return self._recorder.record(None)

    def close(self) -> None:
        """Ends the recording and writes its file. Raises TraceError if that fails."""
        recording = self.take()
        if recording is not None:
            recording.close()

    def drop(self) -> None:
        """Ends the recording without writing a file. Does nothing without a recording."""
        recording = self.take()
        if recording is not None:
            recording.abort()

    def start_with_server(self, path: str | Path, stop: Callable[[], None]) -> None:
        """Starts the recording of the option `record`. Calls `stop` if that fails.

        Raises StartError if the file cannot be created, and ValueError for an invalid field in the option
        `redact`.
        """
        from fakeapi.traces.model import TraceError  # noqa: PLC0415 - loaded only for recordings

        try:
            self.start(path, tuple(self._settings.redact))
        except TraceError as error:
            stop()
            raise StartError(str(error)) from error
        except BaseException:
            stop()
            raise

    def _new_recording(self, path: str | Path, redact: tuple[str, ...]) -> "Recording":
        from fakeapi.traces import fieldpaths  # noqa: PLC0415 - loaded only for recordings
        from fakeapi.traces.recording.recording import Recording  # noqa: PLC0415 - loaded only for recordings
        from fakeapi.traces.recording.redaction import Redactor  # noqa: PLC0415 - loaded only for recordings

        redactor = Redactor(paths=tuple(map(fieldpaths.parse, redact)))
        release = self._settings.release or ""
        return Recording(
            path, source="fakeapi", server=f"fakeapi {VERSION}", release=release, redactor=redactor
        )
