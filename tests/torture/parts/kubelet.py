"""DRA drivers that lie, hang, flood or restart do not disturb the pods of a well-behaved driver.

Creates hostile sockets and files in the kubelet's plugin registry in random order. Meanwhile a well-behaved
driver registers, prepares the claim of a pod and unprepares it. The server's log must have no traceback, and
its memory is limited.
"""

import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.torture.budget import Budget, Finding, Unavailable, patience
from tests.torture.servers import Server, serving

if TYPE_CHECKING:
    pass

SECONDS = 30.0
"""Maximum seconds until a well-behaved driver is registered, its pod runs, or its pod is deleted."""

HOSTILE_SECONDS = 1.0
"""Seconds to wait for the kubelet's call to a hostile driver, before the well-behaved driver starts."""

GROWTH_MEGABYTES = 400
"""Maximum growth of the server's memory in MB after the first pod of a well-behaved driver."""

SILENT_SOCKETS = 20
STRANGE_FILES = 300
RESTARTS = 10
MEGABYTE = 1 << 20
STRANGE_NAMES = (
    b"\xff\xfe.sock",
    b"a\nb.sock",
    b"\x1b[31m.sock",
    b"%00.sock",
    b" .sock",
    b"a:b?c#d.sock",
)

Node = SimpleNamespace
"""The fake node in the form that PythonDriver expects, with the paths `directory` and `registry`."""


def run(budget: Budget) -> dict[str, float]:
    if find_spec("grpc") is None:
        raise Unavailable("the extra node is not installed")
    if not Path("/proc/self/status").exists():
        raise Unavailable("the system does not tell the memory of a process")
    with tempfile.TemporaryDirectory(prefix="k") as place:
        options = ("--controllers", "all", "--release", "1.36", "--kubelet-directory", f"{place}/k")
        with serving(Path(place), *options) as server:
            return Round(server, Path(place)).work(budget)


class Round:
    """A server with one cluster node, and its hostile and well-behaved DRA drivers."""

    def __init__(self, server: Server, place: Path) -> None:
        from tests.torture.hostile_drivers import Objects

        self.server = server
        self.place = place
        directory = place / "k" / "node"
        self.node = Node(directory=directory, registry=directory / "plugins_registry")
        self.objects: Objects = Objects(server.port)
        self.numbers = iter(range(1 << 30))
        self.pods = 0

    def work(self, budget: Budget) -> dict[str, float]:
        hostilities: list[Callable[[], Any]] = [
            self.silence, self.garbage, self.files, self.lies, self.bad_answers, self.restarts, self.twins,
            self.long_paths,
        ]  # fmt: skip
        self.good_pod("no hostile driver")
        start, hostile = self.megabytes(), 0
        for number in budget.rounds():
            if number % len(hostilities) == 0:
                budget.random.shuffle(hostilities)
            hostility = hostilities[number % len(hostilities)]
            with ExitStack() as stack:
                hostile += stack.enter_context(contextmanager(hostility)())
                self.good_pod(hostility.__name__)
            self.server.check_log()
            if self.megabytes() > start + GROWTH_MEGABYTES:
                raise Finding(f"{hostility.__name__}: memory grew from {start} to {self.megabytes()} MB")
        return {"hostile sockets": hostile, "pods": self.pods, "megabytes": self.megabytes()}

    def megabytes(self) -> int:
        return self.server.status("VmRSS") // 1024

    def good_pod(self, beside: str) -> None:
        """Runs a well-behaved driver and a pod with a claim, until the pod is deleted.

        `beside`: names the hostile drivers that run meanwhile, for error messages. Raises Finding if the
        driver is not registered, or if the pod does not run or end in time.
        """
        from tests.controllers.kubelet.python_driver import PythonDriver

        name = f"good{next(self.numbers)}.example.com"
        self.until(self.node.registry.exists, "the node has no registry")
        with PythonDriver(self.node, name=name) as driver:
            if not driver.registered.wait(patience(SECONDS)) or driver.registration:
                raise Finding(f"{beside}: a good driver was not registered: {driver.registration}")
            pod = self.objects.create_pod(name)
            self.until(lambda: self.objects.phase(pod) == "Running", f"{beside}: a good pod does not run")
            self.objects.delete_pod(pod)
            self.until(lambda: self.objects.phase(pod) == "", f"{beside}: a good pod does not go")
            problem = f"{beside}: the claim of a good pod is not unprepared"
            self.until(lambda: driver.unprepared == driver.prepared, problem)
        self.pods += 1

    def until(self, holds: Callable[[], bool], problem: str) -> None:
        deadline = time.monotonic() + patience(SECONDS)
        while not holds():
            if self.server.process.poll() is not None:
                raise Finding(f"{problem}: the server ended: {self.server.log.read_text()[-2_000:]}")
            if time.monotonic() > deadline:
                raise Finding(f"{problem} after {SECONDS:.0f} s: {self.server.log.read_text()[-2_000:]}")
            time.sleep(0.02)

    def silence(self) -> Iterator[int]:
        """Opens sockets that accept connections and never respond; yields the number of sockets."""
        with ExitStack() as stack:
            for number in range(SILENT_SOCKETS):
                stack.enter_context(listening(self.node.registry, b"silent%d.sock" % number))
            yield SILENT_SOCKETS

    def garbage(self) -> Iterator[int]:
        """Opens two sockets: one sends random bytes to its clients, one sends many HTTP/2 pings.

        Yields the number of these sockets.
        """
        settings, ping = b"\0\0\0\4\0\0\0\0\0", b"\0\0\x08\6\0\0\0\0\0abcdefgh"
        floods = os.urandom(MEGABYTE), settings + ping * 100_000
        with ExitStack() as stack:
            for number, flood in enumerate(floods):
                own = stack.enter_context(listening(self.node.registry, b"garbage%d.sock" % number))
                threading.Thread(target=answer_with, args=(own, flood), daemon=True).start()
            yield len(floods)

    def files(self) -> Iterator[int]:
        """Creates files, a FIFO, dangling links, deep directories and sockets with strange names.

        Yields the number of the sockets.
        """
        registry = self.node.registry
        os.mkfifo(registry / "fifo.sock")
        links = {"zero.sock": "/dev/zero", "loop": str(registry), "gone.sock": "/nowhere"}
        for name, target in links.items():
            (registry / name).symlink_to(target)
        (registry / "/".join(["d" * 40] * 20)).mkdir(parents=True, exist_ok=True)
        files = [registry / f"file{number}" for number in range(STRANGE_FILES)]
        for path in files:
            path.touch()
        with ExitStack() as stack:
            for socket_name in STRANGE_NAMES:
                stack.enter_context(listening(registry, socket_name))
            yield len(STRANGE_NAMES)
        for path in (*files, registry / "fifo.sock", *(registry / name for name in links)):
            path.unlink()

    def lies(self) -> Iterator[int]:
        """Runs DRA drivers that respond to GetInfo with invalid names, endpoints, versions or bytes.

        Yields the number of drivers.
        """
        from tests.torture.hostile_drivers import LIES, Liar

        with ExitStack() as stack:
            for lie in LIES:
                liar = stack.enter_context(Liar(self.node, f"liar{next(self.numbers)}.example.com", lie))
                liar.asked.wait(HOSTILE_SECONDS)
            yield len(LIES)

    def bad_answers(self) -> Iterator[int]:
        """Runs DRA drivers that respond to prepare and unprepare calls with invalid responses.

        Yields the number of drivers. Raises Finding if the server has an Event with a message of more than
        8192 bytes.
        """
        from tests.torture.hostile_drivers import ANSWERS, BadAnswers

        pods = []
        with ExitStack() as stack:
            for answer in ANSWERS:
                name = f"bad{next(self.numbers)}.example.com"
                driver = stack.enter_context(BadAnswers(self.node, name, answer))
                driver.registered.wait(patience(SECONDS))
                pods.append(self.objects.create_pod(name))
                driver.asked.wait(patience(SECONDS))
            yield len(ANSWERS)
        longest = self.objects.longest_message()
        if longest > 2 * 4096:
            raise Finding(f"an event has a message of {longest} bytes")
        for pod in pods:
            self.objects.delete_pod(pod)

    def restarts(self) -> Iterator[int]:
        """Starts and stops a DRA driver many times; yields the number of restarts."""
        from tests.controllers.kubelet.python_driver import PythonDriver

        for _ in range(RESTARTS):
            with PythonDriver(self.node, name="restarts.example.com") as driver:
                driver.registered.wait(0.05)
        yield RESTARTS

    def twins(self) -> Iterator[int]:
        """Runs two instances of a DRA driver. The second instance stops while a pod runs.

        Yields the number of instances. Raises Finding if the pod does not run or end in time.
        """
        from tests.controllers.kubelet.python_driver import PythonDriver

        name = f"twin{next(self.numbers)}.example.com"
        with PythonDriver(self.node, name=name) as first:
            first.registered.wait(patience(SECONDS))
            with PythonDriver(self.node, name=name, instance="-2") as second:
                second.registered.wait(patience(SECONDS))
                pod = self.objects.create_pod(name)
                self.until(lambda: self.objects.phase(pod) == "Running", "a twin's pod does not run")
            self.objects.delete_pod(pod)
            self.until(lambda: self.objects.phase(pod) == "", "a twin's pod does not go")
            yield 2

    def long_paths(self) -> Iterator[int]:
        """Runs a DRA driver whose socket paths exceed the length limit of Unix socket addresses.

        Yields the number of drivers. Raises Finding if the driver is not registered, or if its pod does not
        run or end in time.
        """
        from tests.controllers.kubelet.python_driver import PythonDriver

        name = f"far{next(self.numbers)}.example.com"
        far = self.node.registry / ("long" * 20) / ("path" * 20)
        far.mkdir(parents=True, exist_ok=True)
        short = self.place / name
        short.symlink_to(far)
        with PythonDriver(Node(directory=self.node.directory, registry=short), name=name) as driver:
            driver.announced = far / f"{name}-reg.sock"
            if not driver.registered.wait(patience(SECONDS)):
                raise Finding("a driver whose socket has a long path was not registered")
            pod = self.objects.create_pod(name)
            self.until(lambda: self.objects.phase(pod) == "Running", "a pod of a long path does not run")
            self.objects.delete_pod(pod)
            self.until(lambda: self.objects.phase(pod) == "", "a pod of a long path does not go")
            yield 1
        short.unlink()


@contextmanager
def listening(directory: Path, name: bytes) -> Iterator[socket.socket]:
    """Opens a listening Unix socket in a directory; removes it at the end of the block."""
    with socket.socket(socket.AF_UNIX) as own:
        path = os.fsencode(directory) + b"/" + name
        own.bind(path)
        own.listen(64)
        yield own
    os.unlink(path)  # noqa: PTH108 - the name need not be text


def answer_with(own: socket.socket, flood: bytes) -> None:
    """Accepts clients and sends `flood` to each of them, until the socket `own` is closed."""
    with suppress(OSError):
        while True:
            connection, _ = own.accept()
            with connection, suppress(OSError):
                connection.sendall(flood)
