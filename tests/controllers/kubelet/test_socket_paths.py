"""DRA drivers work even if the paths of their sockets are too long for a Unix socket address."""

import logging
import re
import secrets
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

import grpc.aio

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.short_directories import DIRECTORY_ATTEMPTS, make_short_directory
from fakeapi.controllers.kubelet.socket_paths import ADDRESS_BYTES_MAX, UnreachableSocket, connectable
from tests.controllers.kubelet.python_driver import PythonDriver, create_pod, create_template, publish

LONG = "directory-with-a-long-name/" * 5


@pytest.fixture
def short() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="k") as place:
        yield Path(place)


class FarDriver(PythonDriver):
    """A DRA driver that reaches the kubelet's directory through a short symbolic link.

    In a cluster, a mount gives a driver's container such a short path.
    """

    def __init__(self, node: Path, seen_at: Path) -> None:
        seen_at.symlink_to(node)
        super().__init__(SimpleNamespace(directory=seen_at, registry=seen_at / "plugins_registry"))
        self.announced = node / "plugins" / self._endpoint.name


def test_a_driver_whose_sockets_have_long_paths_registers_and_prepares_claims(
    short: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = short / LONG
    with FakeAPI(release="1.36", controllers="all", kubelet_directory=root) as api:
        api.settle()
        publish(api, "v1")
        create_template(api, "v1")
        with FarDriver(root / "node", short / "seen") as driver:
            assert driver.registered.wait(10)
            assert len(str(driver.announced)) > ADDRESS_BYTES_MAX
            create_pod(api)
            api.settle()
            assert api.get("Pod", "pod")["status"]["phase"] == "Running"
    assert "parse_address" not in capfd.readouterr().err


class Lines(logging.Handler):
    """A log handler that collects log lines. `wait` returns after the first line."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []
        self._came = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
        self._came.set()

    def wait(self) -> None:
        assert self._came.wait(10)


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler = Lines()
    logging.getLogger("fakeapi.controllers").addHandler(handler)
    yield handler
    logging.getLogger("fakeapi.controllers").removeHandler(handler)


def test_a_socket_that_no_address_leads_to_is_in_an_event_of_the_node_and_in_the_log(
    short: Path, monkeypatch: pytest.MonkeyPatch, lines: Lines
) -> None:
    root = short / LONG
    with FakeAPI(release="1.36", controllers="all", kubelet_directory=root) as api:
        api.settle()
        monkeypatch.setattr(tempfile, "tempdir", str(root))
        with FarDriver(root / "node", short / "seen"):
            lines.wait()
            api.settle()
            [event] = [
                event for event in api.list("Event", namespace="default", api_version="v1")
                if event["reason"] == "FailedDriverConnection"
            ]  # fmt: skip
    assert event["involvedObject"]["kind"] == "Node"
    problem = r"the socket .*-reg.sock of a plugin cannot be reached: its path has \d+ bytes, and .*"
    assert re.fullmatch(problem, event["message"])
    assert lines.texts == [event["message"]]


def test_the_default_directory_of_a_node_is_as_short_as_that_of_a_kubelet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    with FakeAPI(controllers="all") as api:
        registry = str(api.node().registry)
        assert len(registry) <= len("/var/lib/kubelet/plugins_registry")
        assert len(f"{registry}/{27 * 'n'}-{36 * '0'}-reg.sock") <= 107
    assert not Path(registry).exists()


def test_a_directory_of_nodes_is_private_and_new(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    letters = iter("aaaaaaaaaabbbbb")
    monkeypatch.setattr(secrets, "choice", lambda _: next(letters))
    first, second = make_short_directory(), make_short_directory()
    assert (first.name, second.name) == ("kaaaaa", "kbbbbb")
    assert first.stat().st_mode & 0o777 == 0o700


def test_no_more_than_the_named_number_of_directories_are_tried(
    short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    tried: list[str] = []

    def choice(_: str) -> str:
        tried.append("a")
        return "a"

    monkeypatch.setattr(secrets, "choice", choice)
    make_short_directory()
    tried.clear()
    with pytest.raises(FileExistsError, match="no free name"):
        make_short_directory()
    assert len(tried) == 5 * DIRECTORY_ATTEMPTS


def test_a_path_that_fits_is_connected_to_as_it_is() -> None:
    path = "/" + "x" * (ADDRESS_BYTES_MAX - 1)
    with connectable(path) as address:
        assert address == path


@pytest.mark.parametrize("name", [200 * "d" + "/driver.sock", "a%00b.sock", "a?b#c.sock", "ü.sock"])
def test_a_path_that_grpc_would_misread_is_connected_to_by_a_link(short: Path, name: str) -> None:
    path = short / name
    path.parent.mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        (short / "own").symlink_to(path.parent)
        server.bind(str(short / "own" / path.name))
        server.listen()
        with connectable(str(path)) as address:
            assert len(address) <= ADDRESS_BYTES_MAX
            client.connect(address)
    assert not Path(address).is_symlink()


@pytest.mark.parametrize("path", ["/" + "x/" * 4000, "/a\0b"])
def test_a_path_that_cannot_be_linked_is_unreachable(path: str) -> None:
    with pytest.raises(UnreachableSocket, match="its path has"), connectable(path):
        pass


def test_an_error_of_a_call_by_a_link_names_the_path_of_the_socket() -> None:
    path, none = "/" + "x" * ADDRESS_BYTES_MAX, grpc.aio.Metadata()

    def call() -> None:
        with connectable(path) as address:
            details = f"unix:{address}: no such file"
            raise grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, none, none, details=details)

    with pytest.raises(grpc.aio.AioRpcError) as raised:
        call()
    assert raised.value.details() == f"unix:{path}: no such file"
