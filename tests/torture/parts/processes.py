"""Checks that no process of a container survives a server that is killed.

In each round, a server starts a pod whose program makes a socket, leaves processes behind in sessions of
their own and ignores SIGTERM. SIGKILL ends the server at a random time. After that, no process, no mount and
no socket of the pod may be left.
"""

import os
import signal
import stat
import sys
import tempfile
import time
from pathlib import Path

from fakeapi.testing.client import Client
from tests.torture.budget import Budget, Finding, Unavailable, patience
from tests.torture.servers import serving

GONE_SECONDS = 10.0
"""Maximum seconds until the processes of a killed server are gone."""
LATEST_SECONDS = 1.5
"""The latest time of the SIGKILL after the creation of the pod, in seconds."""

PROGRAM = """#!{python}
import os, signal, socket, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1] + "/driver.sock")
listener.listen()
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            time.sleep(3600)
        os._exit(0)
open(sys.argv[1] + "/started", "w").close()
time.sleep(3600)
"""


def run(budget: Budget) -> dict[str, float]:
    if not Path("/proc/self/mountinfo").exists():
        raise Unavailable("the system does not tell the mounts of a process")
    mounts = Path("/proc/self/mountinfo").read_text().count("\n")
    figures = {"rounds": 0.0, "killed with a running container": 0.0}
    for number in budget.rounds():
        marker = f"round-{os.getpid()}-{budget.seed}-{number}"
        with tempfile.TemporaryDirectory(prefix="k") as place:
            figures["killed with a running container"] += _round(
                Path(place), marker, budget, is_first=number == 0
            )
        figures["rounds"] += 1
        now = Path("/proc/self/mountinfo").read_text().count("\n")
        if now > mounts:
            raise Finding(f"{now - mounts} mounts are left after round {number}")
    return figures


def _round(place: Path, marker: str, budget: Budget, *, is_first: bool) -> bool:
    """Kills a server with a pod; returns whether the program ran. Raises Finding if something is left."""
    image, temporary = place / "image", place / "t"
    image.mkdir()
    temporary.mkdir()
    program = image / "driver"
    program.write_text(PROGRAM.format(python=Path(sys.executable).resolve()), encoding="utf-8")
    program.chmod(0o755)
    environment = {"TMPDIR": str(temporary)}
    with serving(place, "--run", f"driver={image}", environment=environment) as server:
        Client(f"http://127.0.0.1:{server.port}").create(_pod(marker))
        late = time.monotonic() + patience(GONE_SECONDS)
        if is_first:  # the other rounds also kill a server that starts the container
            while not _has_started(temporary) and time.monotonic() < late:
                time.sleep(0.01)
        else:
            time.sleep(budget.random.uniform(0, LATEST_SECONDS))
        ran = _has_started(temporary)
        server.end(signal.SIGKILL)
    late = time.monotonic() + patience(GONE_SECONDS)
    while left := [*_processes(marker), *_processes(str(place)), *_sockets(temporary)]:
        if time.monotonic() > late:
            raise Finding(f"after SIGKILL of the server these are left: {left}")
        time.sleep(0.02)
    return ran


def _pod(marker: str) -> dict[str, object]:
    directory = "/var/lib/kubelet/plugins_registry"
    container = {
        "name": "driver",
        "image": "driver:v1",
        "command": ["driver", directory, marker],
        "volumeMounts": [{"name": "registry", "mountPath": directory}],
    }
    volume = {"name": "registry", "hostPath": {"path": directory}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "driver", "namespace": "default"},
        "spec": {"containers": [container], "volumes": [volume]},
    }


def _processes(text: str) -> list[str]:
    """Returns the command lines of all processes that contain a text."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if text in words:
            found.append(words)
    return found


def _has_started(directory: Path) -> bool:
    return any(path.name == "started" for path in _files(directory))


def _sockets(directory: Path) -> list[str]:
    return [str(path) for path in _files(directory) if _is_socket(path)]


def _files(directory: Path) -> list[Path]:
    """Returns all files below a directory, whose parts can disappear meanwhile."""
    return [Path(parent, name) for parent, _, names in os.walk(directory) for name in names]


def _is_socket(path: Path) -> bool:
    try:
        return stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return False
