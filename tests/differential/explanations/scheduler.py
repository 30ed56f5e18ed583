"""Scheduler: a kube-scheduler that is started again after it panicked."""

import re
from collections.abc import Sequence
from pathlib import Path

from tests.interop.processes import Program

PANIC = re.compile(r"^panic: (.*?)(?: \[recovered.*)?$", re.MULTILINE)
"""The line of a Go program that ends because of a panic."""


class Scheduler:
    """Runs kube-scheduler. Its output goes to the file `log`."""

    def __init__(self, command: Sequence[str | Path], log: Path) -> None:
        self._command = command
        self.log = log
        self._program = Program(command, log)

    def ensure(self) -> None:
        """Starts kube-scheduler again if it has ended."""
        if not self._program.running:
            self._program.wait()
            self._program = Program(self._command, self.log)

    def panic_since(self, mark: int) -> str:
        """Returns the message of a panic; "" without a panic. `mark`: the size of the log before the pod."""
        with self.log.open("rb") as file:
            file.seek(mark)
            found = PANIC.search(file.read().decode(errors="replace"))
        return "" if found is None else found[1]

    def stop(self) -> None:
        self._program.stop()
