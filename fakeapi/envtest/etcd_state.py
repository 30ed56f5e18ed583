"""Requests the SQLite file for the objects of a kube-apiserver from fakeapi's etcd."""

import hashlib
import http.client
import json
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from fakeapi.clients.connections import Connections
from fakeapi.envtest.etcd import STATE

WAIT_SECONDS = 20.0
"""Seconds to wait for a response of etcd. Then kube-apiserver exits with an error."""

_RETRY_SECONDS = 0.05
_REQUEST_SECONDS = 2.0
_PREFIX = "/registry"


class EtcdError(Exception):
    """Raised if etcd does not respond, is not fakeapi's etcd, or names an unusable database.

    The message is one line.
    """


@dataclass(frozen=True, slots=True)
class State:
    """The storage of a kube-apiserver's objects.

    - `database`: the path of the SQLite file.
    - `fsync`: whether an acknowledged write must survive a power failure.
    """

    database: Path
    fsync: bool


def find_state(servers: list[str], prefix: str) -> State:
    """Returns the State that etcd reports. Waits up to WAIT_SECONDS until one of `servers` responds.

    - `servers`: the URLs of etcd.
    - `prefix`: the value of `--etcd-prefix`. Each prefix has its own SQLite file.

    Removes the rights of other users to an existing SQLite file. Raises EtcdError if no server responds in
    time, or if the first responding server is not fakeapi's etcd. Also raises EtcdError if the existing file
    is not a regular file of this user.
    """
    end = time.monotonic() + WAIT_SECONDS
    while True:
        problems = []
        for url in servers:
            try:
                answer = _asked(url)
            except (OSError, http.client.HTTPException) as error:
                problems.append(f"{url}: {error}")
                continue
            return _state(url, answer, prefix)
        if time.monotonic() > end:
            raise EtcdError(f"etcd does not respond: {'; '.join(problems)}")
        time.sleep(_RETRY_SECONDS)


def _asked(url: str) -> str:
    connections = Connections(url.rstrip("/"), tls=None, timeout=_REQUEST_SECONDS)
    try:
        return connections.send("GET", STATE, {}).text
    finally:
        connections.close()


def _state(url: str, answer: str, prefix: str) -> State:
    try:
        state = json.loads(answer)
        directory, fsync = Path(state["directory"]), bool(state["fsync"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise EtcdError(
            f"{url} is not the etcd of fakeapi; start the etcd in the folder of this kube-apiserver"
        ) from None
    name = "fakeapi"
    if prefix.strip("/") != _PREFIX.strip("/"):
        name += "-" + hashlib.sha256(prefix.strip("/").encode()).hexdigest()[:12]
    database = directory / f"{name}.sqlite"
    _keep_private(database)
    return State(database, fsync)


def _keep_private(database: Path) -> None:
    """Removes the rights of other users to an existing database.

    Raises EtcdError if the database is not a regular file of this user.
    """
    try:
        status = database.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise EtcdError(f"{database} is not a file of this user")
        database.chmod(0o600)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise EtcdError(f"cannot use {database}: {error.strerror}") from error
