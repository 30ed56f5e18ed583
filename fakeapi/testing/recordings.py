"""Recordings: records the traffic of one test, and keeps the files if the test fails."""

import re
import shutil
import tempfile
from pathlib import Path

from fakeapi.testing.server import FakeAPI

_NAME_MAX = 150


class Recordings:
    """Records the traffic of one test, one file per server. Keeps the files if the test fails."""

    def __init__(self, directory: Path, test: str) -> None:
        self._directory = directory
        self._test = re.sub(r"[^\w.=-]+", "-", test).strip("-")[-_NAME_MAX:]
        self._unfinished: Path | None = None
        self._servers: list[tuple[FakeAPI, Path]] = []

    def begin(self, server: FakeAPI) -> None:
        """Starts to record the traffic of a server, unless the server is already recording."""
        if server.recording:
            return
        if self._unfinished is None:
            self._unfinished = Path(tempfile.mkdtemp(prefix="fakeapi-record-"))
        number = f".{len(self._servers) + 1}" if self._servers else ""
        path = self._unfinished / f"{self._test}{number}.jsonl.gz"
        server.start_recording(path)
        self._servers.append((server, path))

    def keep(self) -> list[Path]:
        """Ends the recordings and moves their files to the trace directory; returns the new paths.

        A second call moves nothing.
        """
        kept = []
        for server, path in self._servers:
            if server.running and server.recording:
                server.stop_recording()
            if path.exists():
                self._directory.mkdir(parents=True, exist_ok=True)
                kept.append(Path(shutil.move(path, self._directory / path.name)))
        self._servers.clear()
        return kept

    def forget(self) -> None:
        """Ends the recordings and deletes their temporary files.

        Files in the trace directory stay.
        """
        for server, _ in self._servers:
            if server.running:
                server.discard_recording()
        self._servers.clear()
        if self._unfinished is not None:
            shutil.rmtree(self._unfinished, ignore_errors=True)
