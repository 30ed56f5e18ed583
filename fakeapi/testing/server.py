"""A running server, for a test to start, to ask and to stop."""

import atexit
import copy
import os
import shutil
import socket
import ssl
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from fakeapi import __version__ as VERSION  # noqa: N812 - a constant in all but name
from fakeapi import kubeconfig as kubeconfigs
from fakeapi.cluster import HISTORY_MAX, Cluster, Settings
from fakeapi.http.app import Application
from fakeapi.registry.clock import ClockAndNames
from fakeapi.releases import gates
from fakeapi.serving.runner import GRACE_SECONDS, Runner, StartError
from fakeapi.testing.client import Client, StatusError
from fakeapi.traces import fieldpaths
from fakeapi.traces.model import TraceError
from fakeapi.traces.recording.middleware import Recorder
from fakeapi.traces.recording.recording import Recording
from fakeapi.traces.recording.redaction import Redactor

if TYPE_CHECKING:
    from fakeapi.traces.reporting.report import Report

__all__ = ["FakeAPI", "StartError", "StatusError"]

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - not bound, replaced


class FakeAPI(Client):
    """A Kubernetes API server in a thread of this process, and a client of it.

        with FakeAPI(release="1.31") as api:
            api.create(Path("claim.yaml"))

    `release`: "1.33"; without one, each API version is served as in the newest release that has it.
    `feature_gates`: as in Kubernetes, a mapping or text; raises GateError for what is neither. `database`: a
    file that keeps the state; without one it lives in memory until `stop`. `durability`: "normal" survives
    the process, "full" also the machine. `history`: how many changes are kept; versions before them are
    Expired, for lists and for watches. `token`: the bearer token
    that clients must send; without one everybody may. `tls`: HTTPS with a CA of its own, which is kept
    in `tls_directory` where one is named. `port` 0 takes a free one. `kubeconfig`: also write it there.
    `advertise_url`: what clients are told to connect to, if not to `host` and `port`. `grace`: seconds that
    running requests get when the server stops. `record`: a file for the traffic, see `start_recording`;
    `redact`: the fields that are kept out of it. `clock`: where time, uids and names come from.

    `start` raises ValueError for an unknown release or gate, and StartError for what else prevents it.
    """

    def __init__(
        self,
        *,
        release: str | None = None,
        feature_gates: Mapping[str, bool] | str | None = None,
        database: str | Path | None = None,
        durability: Literal["normal", "full"] = "normal",
        history: int = HISTORY_MAX,
        token: str | None = None,
        tls: bool = False,
        tls_directory: str | Path | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        kubeconfig: str | Path | None = None,
        advertise_url: str | None = None,
        grace: float = GRACE_SECONDS,
        record: str | Path | None = None,
        redact: Iterable[str] = (),
        clock: ClockAndNames | None = None,
    ) -> None:
        super().__init__("", token=token)
        self._clock = clock
        self._settings = Settings(
            release=release,
            feature_gates=gates.chosen(feature_gates),
            database=None if database is None else str(database),
            durability=durability,
            token=token,
            history=history,
        )
        self._token = token
        self._secure = tls
        self._tls_directory = None if tls_directory is None else Path(tls_directory)
        self._host = host
        self._wanted_port = port
        self._kubeconfig = None if kubeconfig is None else Path(kubeconfig)
        self._advertise_url = advertise_url
        self._grace = grace
        self._ca: bytes | None = None
        self._record = record
        self._redact = tuple(redact)
        self._recorder: Recorder | None = None
        self._runner: Runner | None = None
        self._process = os.getpid()
        self._directory: Path | None = None
        self._written: Path | None = None

    def start(self) -> Self:
        """Returns when the server answers."""
        runner = self._prepare()
        try:
            runner.start()
            self._announce()
        except BaseException:
            self._drop_recording()
            self.stop()
            raise
        atexit.register(self.stop)
        return self

    def run(self, on_ready: Callable[[Self], None]) -> None:
        """Serves in this thread, the main one, until SIGINT or SIGTERM."""
        runner = self._prepare()

        def ready() -> None:
            self._announce()
            on_ready(self)

        try:
            runner.run(ready)
        except BaseException:
            self._drop_recording()
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Ends open watches, connections and the thread; removes temporary files. Again is no error.

        A recording is written now; raises TraceError where it cannot be.
        """
        atexit.unregister(self.stop)
        self.close()
        if self._process != os.getpid():  # a fork's copy: server, files and recording are its parent's
            return
        if self._runner is not None:
            self._runner.stop()
            self._runner = None
        try:
            self._finish_recording()
        finally:
            self._remove_temporary()

    def _remove_temporary(self) -> None:
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
        self._directory = self._written = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start_recording(self, path: str | Path, *, redact: Iterable[str] = ()) -> None:
        """Records the traffic from now on, into a file that appears at `stop_recording`, or at `stop`.

        Credentials are taken out, and the fields named by `redact` ("spec.controller"). Raises TraceError.
        """
        if self.recording:
            raise RuntimeError("the server is recording already")
        recorder = self._active_recorder()
        recorder.record(self._new_recording(path, tuple(redact)))

    def stop_recording(self) -> Path:
        """Writes the recording, with open watches as they are; returns its path. Raises TraceError."""
        recorder = self._active_recorder()

        async def stop() -> Recording | None:
            return recorder.record(None)

        recording = self._running().call(stop)
        if recording is None:
            raise RuntimeError("the server is not recording")
        recording.close()
        return recording.path

    @property
    def recording(self) -> bool:
        return self._recorder is not None and self._recorder.recording is not None

    def discard_recording(self) -> None:
        """Ends a recording without a file; without a recording it does nothing."""
        recorder = self._active_recorder()

        async def stop() -> Recording | None:
            return recorder.record(None)

        recording = self._running().call(stop)
        if recording is not None:
            recording.abort()

    def replay(self, trace: str | Path, **how: Any) -> "Report":
        """Sends the requests of a recorded trace to this server, and says where the answers differ.

        What may be said about `how` is in `fakeapi.testing.replaying.options`. Objects that are there stay.
        Raises TraceError for a trace that cannot be read, ValueError for options without sense.
        """
        from fakeapi.testing import replaying  # noqa: PLC0415 - it builds on this module
        from fakeapi.traces.formats.open import open_trace  # noqa: PLC0415 - the same

        with open_trace(trace) as reader:
            return replaying.replay_on(self, reader, replaying.options(**how))

    @property
    def release(self) -> str | None:
        """The release that is served; None for the default, which is of several."""
        return self._settings.release

    @property
    def token(self) -> str | None:
        """What clients must send, if anything."""
        return self._settings.token

    def reset(self) -> None:
        """Makes it a new cluster: no objects but the first namespaces. Watches end, connections stay."""
        self._running().reset()

    def renewed(self) -> "FakeAPI":
        """The server as a new cluster at another port, in an object of its own.

        This one is stopped: whoever still has it, or knows its URL or its kubeconfig, is cut off. A recording
        ends here, and is written.
        """
        runner = self._running()
        if self.recording:
            self.stop_recording()
        runner.restart_empty_on_new_port()
        new = copy.copy(self)
        self._runner = self._recorder = None
        self.stop()
        new._take_over()  # noqa: SLF001 - another object of this class
        return new

    def _take_over(self) -> None:
        """Begins with the server of the object that this one is a copy of, and nothing else of it."""
        self._idle = []
        self._directory = None
        self._announce()
        atexit.register(self.stop)

    @property
    def running(self) -> bool:
        return self._runner is not None

    @property
    def port(self) -> int:
        return self._running().port

    @property
    def url(self) -> str:
        """Where clients on this machine connect to."""
        host = _ANY_ADDRESS.get(self._host, self._host)
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self._secure else 'http'}://{shown}:{self.port}"

    @property
    def ca_file(self) -> Path | None:
        """The PEM file that clients verify the server with; None without TLS. Gone after `stop`."""
        self._running()
        if self._ca is None:
            return None
        path = self._temporary() / "ca.pem"
        if not path.exists():
            path.write_bytes(self._ca)
        return path

    @property
    def kubeconfig(self) -> Path:
        """The path of a kubeconfig. Gone after `stop`, unless its place was chosen by the caller."""
        if self._kubeconfig is not None:
            return self._kubeconfig
        if self._written is None:
            path = self._temporary() / f"kubeconfig-{self.port}"
            self._write_kubeconfig(path)
            self._written = path
        return self._written

    def _prepare(self) -> Runner:
        if self._runner is not None:
            raise RuntimeError("the server is running already")
        self._process = os.getpid()
        app = Application(Cluster(self._settings, self._clock), token=self._settings.token)
        context = self._certificates() if self._secure else None
        self._recorder = Recorder(app)
        self._runner = Runner(
            self._recorder, host=self._host, port=self._wanted_port, tls=context, grace=self._grace
        )
        if self._record is not None:
            try:
                self._recorder.record(self._new_recording(self._record, self._redact))
            except TraceError as error:
                self.stop()
                raise StartError(str(error)) from error
            except BaseException:
                self.stop()
                raise
        return self._runner

    def _new_recording(self, path: str | Path, redact: tuple[str, ...]) -> Recording:
        redactor = Redactor(paths=tuple(map(fieldpaths.parse, redact)))
        release = self._settings.release or ""
        return Recording(
            path, source="fakeapi", server=f"fakeapi {VERSION}", release=release, redactor=redactor
        )

    def _active_recorder(self) -> Recorder:
        self._running()
        assert self._recorder is not None, "made with the runner"
        return self._recorder

    def _finish_recording(self) -> None:
        """Writes the file of a recording that nobody stopped; the loop that fed it has ended."""
        recording = self._recorder.record(None) if self._recorder is not None else None
        if recording is not None:
            recording.close()

    def _drop_recording(self) -> None:
        recording = self._recorder.record(None) if self._recorder is not None else None
        if recording is not None:
            recording.abort()

    def _certificates(self) -> ssl.SSLContext:
        from fakeapi.serving import certificates  # noqa: PLC0415 - brings cryptography, which only TLS needs

        names = ["127.0.0.1", "::1", "localhost", "fakeapi", socket.gethostname()]
        if self._host not in _ANY_ADDRESS:
            names.append(self._host)
        if self._advertise_url is not None:
            names.append(urlsplit(self._advertise_url).hostname or "localhost")
        try:
            issued = certificates.issue(names, self._tls_directory)
        except (OSError, ValueError) as error:
            raise StartError(f"cannot make certificates: {error}") from error
        self._ca = issued.ca
        return issued.server

    def _announce(self) -> None:
        """Tells the client half of this object, and the kubeconfig, where the server is."""
        self.close()
        self._written = None
        verify = None
        if self._ca is not None:
            verify = ssl.create_default_context(cadata=self._ca.decode("ascii"))
        self.connect(self.url, verify)
        if self._kubeconfig is not None:
            self._write_kubeconfig(self._kubeconfig)

    def _write_kubeconfig(self, path: Path) -> None:
        text = kubeconfigs.render(self._advertise_url or self.url, ca=self._ca, token=self._token)
        try:
            kubeconfigs.write(path, text)
        except OSError as error:
            raise StartError(f"cannot write the kubeconfig {path}: {error.strerror}") from error

    def _temporary(self) -> Path:
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="fakeapi-"))
        return self._directory

    def _running(self) -> Runner:
        if self._runner is None:
            raise RuntimeError("the server is not running")
        return self._runner
