"""Supervises one process of a container: starts it, forwards signals to it, and reports its exit.

The control socket connects the launcher to the server. Each message is a line of JSON. The end of the socket
means that the server is gone: the launcher then kills the process and removes the container's directories.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fakeapi.controllers.kubelet.processes.launcher import system

MESSAGE_BYTES_MAX = 4 << 20
"""Maximum size in bytes of a message to a launcher, including the container's environment."""
_CHILD_SIGNALS = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
_KILL_ROUNDS = 100


class Control:
    """The launcher's end of the control socket. `connection`: this socket."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._received = b""
        self.fileno = connection.fileno

    def read(self) -> dict[str, Any] | None:
        """Waits for the next message; returns it.

        Returns None if the server has ended or the message is too large.
        """
        while b"\n" not in self._received:
            try:
                part = self.connection.recv(1 << 16)
            except OSError:
                return None
            self._received += part
            if not part or len(self._received) > MESSAGE_BYTES_MAX:
                return None
        line, _, self._received = self._received.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    @property
    def has_message(self) -> bool:
        """Whether an unread, complete message was received."""
        return b"\n" in self._received

    def send(self, **message: Any) -> None:
        """Sends a message; does nothing if the server has ended."""
        with contextlib.suppress(OSError):
            self.connection.sendall(json.dumps(message).encode() + b"\n")


def supervise(
    control: Control, child: Callable[[], None], *, owns_processes: bool, cleanup: list[str]
) -> None:
    """Runs `child` in a new process until the process exits.

    - `child`: replaces its process by the program of the container, or raises OSError or ValueError.
    - `owns_processes`: whether the launcher must kill the program's remaining processes one by one. In a PID
      namespace, the kernel kills them.
    - `cleanup`: the directories to remove if the server has ended.
    """
    wakeup = _catch_child_signals()
    started, failure = os.pipe()
    go, gate = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(gate)
        _run_child(child, go, failure)
    os.close(failure)
    os.close(go)
    os.write(gate, b"g")
    os.close(gate)
    problem = _read_all(started)
    if problem:
        os.waitpid(pid, 0)
        control.send(error=problem)
        return
    control.send(started=pid)
    status = _await_exit(control, pid, wakeup)
    if owns_processes:
        _kill_descendants(pid)
    if status is None:
        _remove(cleanup)
        return
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    control.send(exited=128 + number if number else os.WEXITSTATUS(status), signal=number)


def _catch_child_signals() -> int:
    """Returns a file descriptor that becomes readable when a child process exits."""
    wakeup, written = os.pipe()
    os.set_blocking(written, False)
    os.set_blocking(wakeup, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # Ctrl-C in the server's terminal must not end this process.
    return wakeup


def _run_child(child: Callable[[], None], go: int, failure: int) -> None:
    """Calls `child` in the new process.

    Reports a failure before the program's start through the pipe `failure`.
    """
    try:
        signal.set_wakeup_fd(-1)
        for number in _CHILD_SIGNALS | {signal.SIGPIPE}:
            signal.signal(number, signal.SIG_DFL)
        if sys.platform == "linux":
            system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        if not os.read(go, 1):  # the launcher ended before prctl
            os._exit(1)
        child()
    except (OSError, ValueError) as error:
        os.write(failure, str(error).encode(errors="replace")[:4000] or b"unknown error")
    except BaseException as error:  # noqa: BLE001 - the process must not continue as a second launcher
        os.write(failure, repr(error).encode(errors="replace")[:4000])
    os._exit(127)


def _read_all(descriptor: int) -> str:
    with os.fdopen(descriptor, "rb") as pipe:
        return pipe.read().decode(errors="replace")


def _await_exit(control: Control, pid: int, wakeup: int) -> int | None:
    """Returns the wait status of the process; None if the server has ended and the process was killed."""
    while True:
        with contextlib.suppress(ChildProcessError):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return status
        _reap_others(pid)
        ready, _, _ = select.select([control.fileno(), wakeup], [], [])
        if wakeup in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wakeup, 512)
        if control.fileno() not in ready:
            continue
        while True:
            message = control.read()
            if message is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return None
            with contextlib.suppress(OSError, KeyError):
                os.kill(pid, int(message["signal"]))
            if not control.has_message:
                break


def _reap_others(pid: int) -> None:
    """Reaps exited child processes, except the program itself with the process ID `pid`."""
    for other in _children(os.getpid()):
        if other != pid:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(other, os.WNOHANG)


def _children(parent: int) -> list[int]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
        return [int(number) for number in text.split()]
    return []


def _kill_descendants(leader: int) -> None:
    """Kills the process group of the program, and all processes that became children of this launcher."""
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    for _ in range(_KILL_ROUNDS):
        children = _children(os.getpid())
        if not children:
            return
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _remove(directories: list[str]) -> None:
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)
