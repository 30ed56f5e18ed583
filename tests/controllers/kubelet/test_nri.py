"""NRI plugins register at the socket of a node's container runtime."""

import logging
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.nri import frames
from fakeapi.controllers.kubelet.nri.socket import PLUGINS_MAX, SOCKET
from fakeapi.machinery.schema.protobuf_wire import bytes_field, fields_of

PLUGIN = "nri.pkg.api.v1alpha1.Plugin"
RUNTIME = "nri.pkg.api.v1alpha1.Runtime"
SECONDS = 10.0


class Plugin:
    """The plugin's end of the socket."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(str(path))

    def send(self, connection: int, stream: int, kind: int, content: bytes, size: int = 1 << 20) -> None:
        message = struct.pack(">IIBB", len(content), stream, kind, 0) + content
        for at in range(0, len(message), size):
            part = message[at : at + size]
            self.socket.sendall(struct.pack(">II", connection, len(part)) + part)

    def call(self, method: str, payload: bytes = b"", size: int = 1 << 20) -> bytes:
        content = bytes_field(1, RUNTIME.encode()) + bytes_field(2, method.encode()) + bytes_field(3, payload)
        self.send(2, 1, 1, content, size)
        connection, stream, kind, response = self.receive()
        assert (connection, stream, kind) == (2, 1, 2)
        return response

    def receive(self) -> tuple[int, int, int, bytes]:
        connection, size = struct.unpack(">II", self.read(8))
        message = self.read(size)
        length, stream, kind, _ = struct.unpack_from(">IIBB", message)
        assert len(message) == length + 10
        return connection, stream, kind, message[10:]

    def read(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            part = self.socket.recv(size - len(content))
            if not part:
                raise EOFError
            content += part
        return content

    def next_call(self) -> tuple[str, int, dict[int, list[int | bytes]]]:
        connection, stream, kind, content = self.receive()
        assert (connection, kind) == (1, 1)
        fields = fields_of(content)
        assert fields[1] == [PLUGIN.encode()]
        [method], payload = fields[2], fields.get(3, [b""])[0]
        assert isinstance(method, bytes)
        assert isinstance(payload, bytes)
        return method.decode(), stream, fields_of(payload)

    def is_disconnected(self) -> bool:
        try:
            self.receive()
        except (EOFError, ConnectionError):
            return True
        return False


@pytest.fixture
def node(short_folder: Path) -> Iterator[Path]:
    with FakeAPI(controllers="kubelet", nri=True, kubelet_directory=short_folder):
        yield short_folder / "node"


@pytest.fixture
def connect(node: Path) -> Iterator[Callable[[], Plugin]]:
    plugins: list[Plugin] = []

    def connected() -> Plugin:
        plugins.append(Plugin(node / SOCKET))
        return plugins[-1]

    yield connected
    for plugin in plugins:
        plugin.socket.close()


NAMED = bytes_field(1, b"cpu") + bytes_field(2, b"10")


def test_a_plugin_registers_and_gets_its_configuration_and_no_containers(
    connect: Callable[[], Plugin], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fakeapi.controllers")
    plugin = connect()
    assert plugin.call("RegisterPlugin", NAMED) == b""
    method, stream, configuration = plugin.next_call()
    assert (method, stream) == ("Configure", 1)
    assert configuration[2] == [b"fakeapi"]
    assert configuration[5] == [2000]
    plugin.send(1, stream, 2, b"")
    assert plugin.next_call() == ("Synchronize", 3, {})
    assert "NRI plugin 10-cpu registers on node node" in caplog.text


def test_a_message_may_arrive_in_several_frames(connect: Callable[[], Plugin]) -> None:
    assert connect().call("RegisterPlugin", NAMED, size=7) == b""


def test_a_long_frame_of_many_messages_is_read_in_time(connect: Callable[[], Plugin]) -> None:
    plugin, ignored = connect(), struct.pack(">IIBB", 0, 1, 9, 0)
    content = ignored * (frames.MESSAGE_BYTES_MAX // len(ignored))
    plugin.socket.sendall(struct.pack(">II", 2, len(content)) + content)
    assert plugin.call("UpdateContainers") == b""


def test_updates_of_containers_are_accepted_and_unknown_methods_are_refused(
    connect: Callable[[], Plugin],
) -> None:
    plugin = connect()
    assert plugin.call("UpdateContainers") == b""
    status = fields_of(fields_of(plugin.call("Dance"))[1][0])  # type: ignore[arg-type]
    assert status == {1: [12], 2: [b"method Dance is not supported"]}


def test_a_plugin_whose_configuration_fails_is_disconnected(
    connect: Callable[[], Plugin], caplog: pytest.LogCaptureFixture
) -> None:
    plugin = connect()
    plugin.call("RegisterPlugin", NAMED)
    plugin.next_call()
    plugin.send(1, 1, 2, bytes_field(1, b"\x08\x02" + bytes_field(2, b"no\nconfig")))
    assert plugin.is_disconnected()
    assert "NRI plugin 10-cpu on node node: no config" in caplog.text


@pytest.mark.parametrize(
    "garbage",
    [
        struct.pack(">II", 2, frames.MESSAGE_BYTES_MAX + 11),
        struct.pack(">IIIIBB", 2, 10, frames.MESSAGE_BYTES_MAX + 1, 1, 1, 0),
        struct.pack(">IIIIBB", 2, 11, 1, 1, 1, 0) + b"\xff",
        struct.pack(">IIIIBB", 2, 12, 2, 1, 1, 0) + b"\x08\x01",
    ],
    ids=["long frame", "long message", "malformed", "number instead of text"],
)
def test_a_plugin_that_sends_garbage_is_disconnected_and_others_are_served(
    connect: Callable[[], Plugin], garbage: bytes
) -> None:
    plugin = connect()
    plugin.socket.sendall(garbage)
    assert plugin.is_disconnected()
    assert connect().call("RegisterPlugin", NAMED) == b""


def test_a_limited_number_of_plugins_is_connected(connect: Callable[[], Plugin]) -> None:
    plugins = [connect() for _ in range(PLUGINS_MAX)]
    assert all(plugin.call("UpdateContainers") == b"" for plugin in plugins)
    assert connect().is_disconnected()


def test_the_socket_is_gone_after_the_server_and_replaces_an_older_one(short_folder: Path) -> None:
    path = short_folder / "node" / SOCKET
    path.parent.mkdir(parents=True)
    path.touch()
    with FakeAPI(controllers="kubelet", nri=True, kubelet_directory=short_folder):
        assert path.is_socket()
    assert not path.exists()


def test_without_the_option_no_socket_is_created(short_folder: Path) -> None:
    with FakeAPI(controllers="kubelet", kubelet_directory=short_folder):
        assert not (short_folder / "node" / "host").exists()
