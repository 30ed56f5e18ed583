"""Runs a PostgreSQL server for tests in a temporary directory, on a free port of 127.0.0.1."""

import contextlib
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import cache
from itertools import count
from pathlib import Path

_OLD_PROCESSES = "Terminate any old server processes"
"""Part of PostgreSQL's hint while killed processes of the same directory still end."""

START_SECONDS = 60.0
USER = "fakeapi"
_numbers = count(1)


@cache
def binaries() -> Path | None:
    """Returns the folder with the programs of the newest installed PostgreSQL; None if there is none."""
    directories = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if directories:
        return max(directories, key=lambda each: int(re.findall(r"\d+", str(each))[0]))
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


def why_missing() -> str:
    """Returns the reason why no PostgreSQL server can run on this machine; "" if one can run."""
    if binaries() is None:
        return "PostgreSQL is not installed"
    if os.geteuid() == 0 and _account() is None:
        return "PostgreSQL does not run as root, and there is no account postgres or nobody"
    return ""


def _account() -> str | None:
    known = {each.pw_name for each in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


def free_port() -> int:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        port: int = each.getsockname()[1]
        return port


class PostgreSQL:
    """A PostgreSQL server with its own data directory, in which tests create databases."""

    def __init__(self, *, password: str = "", fsync: bool = False) -> None:
        """Creates the data directory and starts the server.

        - `password`: the password that clients need; "" accepts all clients
        - `fsync`: whether a commit waits for the disk; if not, committed data survives a kill of the server,
          but not a crash of the machine
        """
        directory = binaries()
        assert directory is not None, "asked for only where it is installed"
        self._binaries = directory
        self._account = _account() if os.geteuid() == 0 else None
        self.directory = Path(tempfile.mkdtemp(prefix="fakeapi-postgresql-"))
        self.port = free_port()
        self.password = password
        self._fsync = fsync
        self.process: subprocess.Popen[bytes] | None = None
        data = self.directory / "data"
        data.mkdir(mode=0o700)
        if self._account is not None:
            for each in (self.directory, data):
                shutil.chown(each, self._account)
        secret = self.directory / "password"
        secret.write_text(password or "unused")
        secret.chmod(0o644)
        self._run(
            "initdb", "-D", str(data), "-U", USER, "-A", "scram-sha-256" if password else "trust",
            "--pwfile", str(secret), "-E", "UTF8", "--no-sync", "--locale", "C",
        )  # fmt: skip
        self.start()

    def url(self, database: str = "postgres", user: str = USER, password: str | None = None) -> str:
        secret = self.password if password is None else password
        return f"postgresql://{user}{':' + secret if secret else ''}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Starts the server and waits until it accepts connections; also restarts it after `kill`.

        Raises RuntimeError with the log if the server stops or does not accept connections in START_SECONDS.
        """
        command = self._as_account(
            "postgres", "-D", str(self.directory / "data"), "-p", str(self.port),
            "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
            "-c", "shared_buffers=32MB", "-c", "max_connections=60",
            "-c", f"fsync={'on' if self._fsync else 'off'}",
        )  # fmt: skip
        self._launch(command)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline or (self.process and self.process.poll() is not None):
                words = (self.directory / "log").read_text(errors="replace")
                if time.monotonic() > deadline or _OLD_PROCESSES not in words[-500:]:
                    raise RuntimeError(f"PostgreSQL did not start: {words[-2_000:]}")
                time.sleep(0.1)
                self._launch(command)
            time.sleep(0.02)

    def _launch(self, command: list[str]) -> None:
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True, cwd="/"
            )

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to each process of the server, because they are in different process groups."""
        for each in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, number)

    def processes(self) -> list[int]:
        """Returns the process ids of all processes of the PostgreSQL server."""
        assert self.process is not None
        return [self.process.pid, *self._children()]

    def _children(self) -> list[int]:
        assert self.process is not None
        command = ["ps", "-o", "pid=", "--ppid", str(self.process.pid)]
        listing = subprocess.run(command, capture_output=True, text=True, check=False)
        return [int(each) for each in listing.stdout.split()]

    def kill(self) -> None:
        """Kills all processes of the server at the same time, without a clean shutdown."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)  # a stopped process cannot start others
        self.signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stops the server and deletes its files."""
        if self.process is not None and self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(START_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def database(self) -> str:
        """Creates an empty database; returns a URL for it."""
        name = f"cluster{next(_numbers)}_{os.getpid()}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def place(self) -> str:
        """Creates an empty PostgreSQL schema; returns a URL for it.

        For fakeapi, a schema works like a database, and creating one is faster.
        """
        name = f"place{next(_numbers)}_{os.getpid()}"
        self.sql(f"CREATE SCHEMA {name}")
        return f"{self.url()}?search_path={name}"

    def sql(self, *statements: str, url: str = "") -> str:
        """Runs SQL statements with psql, each in its own transaction; returns psql's output.

        `url`: the URL of the database; "" means the server's default database.
        """
        command = [str(self._binaries / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        for each in statements:
            command += ["-c", each]
        done = subprocess.run(
            [*command, url or self.url()], capture_output=True, text=True, check=True, timeout=START_SECONDS
        )
        return done.stdout.strip()

    def _answers(self) -> bool:
        command = [str(self._binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, check=False, timeout=START_SECONDS).returncode == 0

    def _run(self, *command: str) -> None:
        done = subprocess.run(
            self._as_account(*command), capture_output=True, text=True, check=False, cwd="/"
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stderr[-2_000:]}")

    def _as_account(self, program: str, *arguments: str) -> list[str]:
        command = [str(self._binaries / program), *arguments]
        if self._account is None:
            return command
        ids = f"--reuid={self._account}", f"--regid={pwd.getpwnam(self._account).pw_gid}", "--clear-groups"
        return ["setpriv", *ids, *command]
