"""The server accepts connections, and closes all of them when it stops."""

import contextlib
import gc
import socket
import ssl
import threading
import warnings

import pytest

from fakeapi.serving import listener
from fakeapi.serving.certificates import issue
from fakeapi.serving.runner import Runner
from tests.serving.asking import ask, connected, raw
from tests.serving.stub import Stub

UNBEARABLE = 600.0
"""A grace period in seconds that is longer than the time limit of a test."""


@pytest.mark.parametrize("clients_watching", [0, 50])
def test_stop_ends_open_watches_at_once(stub: Stub, clients_watching: int) -> None:
    runner = Runner(stub, grace=UNBEARABLE)
    runner.start()
    with contextlib.ExitStack() as clients:
        responses = []
        for _ in range(clients_watching):
            client = clients.enter_context(connected(runner))
            client.request("GET", "/watch")
            responses.append(client.getresponse())
        runner.stop()
        assert [response.read() for response in responses] == [b"event\n"] * clients_watching
    assert stub.calls[-2:] == ["end_watches", "shutdown"]
    assert stub.watching == 0


def test_stop_cancels_a_stuck_request_after_the_grace_period(stub: Stub) -> None:
    runner = Runner(stub, grace=0.05)
    runner.start()
    with raw(runner) as client:
        client.sendall(b"GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n")
        stub.wait_for(lambda: "stuck" in stub.calls)
        runner.stop()
        assert client.recv(1) == b""
    assert stub.calls[-1] == "shutdown"


@pytest.mark.parametrize(
    "sent", [b"", b"GET /const", b"PRI * HTTP/2.0\r\n\r\n"], ids=["nothing", "a part", "h2"]
)
def test_a_client_that_never_finished_its_request_does_not_delay_stop(stub: Stub, sent: bytes) -> None:
    runner = Runner(stub, grace=UNBEARABLE)
    runner.start()
    with raw(runner) as client:
        client.sendall(sent)
        runner.stop()


@pytest.mark.parametrize("shakes_hands", [True, False])
def test_an_idle_tls_client_does_not_delay_stop(stub: Stub, shakes_hands: bool) -> None:  # noqa: FBT001 - pytest
    certificates = issue(["127.0.0.1"])
    runner = Runner(stub, grace=UNBEARABLE, tls=certificates.server)
    runner.start()
    trust = ssl.create_default_context(cadata=certificates.ca.decode())
    with raw(runner) as plain:
        client = plain
        if shakes_hands:
            client = trust.wrap_socket(plain, server_hostname="127.0.0.1")
            client.sendall(b"GET /constant HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200")
        runner.stop()
        client.close()


def test_half_a_tls_handshake_is_given_up_and_holds_up_nobody(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "HANDSHAKE_SECONDS", 0.2)
    certificates = issue(["127.0.0.1"])
    trust = ssl.create_default_context(cadata=certificates.ca.decode())
    runner = Runner(stub, tls=certificates.server)
    runner.start()
    half = [raw(runner) for _ in range(100)]
    for client in half[::2]:
        client.sendall(b"\x16\x03\x01\x02")
    with trust.wrap_socket(raw(runner), server_hostname="127.0.0.1") as whole:
        whole.sendall(b"GET /constant HTTP/1.1\r\nHost: x\r\n\r\n")
        assert whole.recv(4096).startswith(b"HTTP/1.1 200")
    for client in half:
        assert client.recv(1) == b""
        client.close()
    runner.stop()


@pytest.mark.parametrize(
    "junk", [b"GET / HTTP/1.1\r\n\r\n", b"\x80\x2e\x01\x00\x02", b"\x15\x03\x01\0\2\2\x28"]
)
def test_what_is_no_tls_is_dropped_without_a_word_in_the_log(
    stub: Stub, junk: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    runner = Runner(stub, tls=issue(["127.0.0.1"]).server)
    runner.start()
    with raw(runner) as client:
        client.sendall(junk)
        client.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            while client.recv(4096):
                pass
    runner.stop()
    assert not caplog.records


def test_beyond_the_limit_of_connections_clients_wait_until_one_ends(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(listener, "CONNECTIONS", 3)
    runner = Runner(stub)
    runner.start()
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(connected(runner)) for _ in range(3)]
        assert [ask(client, "/constant")[0] for client in held] == [200] * 3
        waiting = stack.enter_context(connected(runner))
        waiting.request("GET", "/constant")
        assert "3 connections are open; further clients wait" in caplog.text
        assert [ask(client, "/constant")[0] for client in held] == [200] * 3
        held[0].close()
        assert waiting.getresponse().read() == b"constant 1.1"
    runner.stop()


def test_a_want_of_descriptors_is_waited_out(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listening = runner._listener
    assert listening is not None
    refusals = iter([OSError(24, "Too many open files")])

    class Scarce:
        """A fake listening socket; its first calls of `accept` fail."""

        def __init__(self, real: socket.socket) -> None:
            self._real = real

        def __getattr__(self, name: str) -> object:
            return getattr(self._real, name)

        def accept(self) -> tuple[socket.socket, object]:
            if (refusal := next(refusals, None)) is not None:
                raise refusal
            return self._real.accept()

    monkeypatch.setattr(listening, "_socket", Scarce(listening._socket))
    with connected(runner) as client:
        assert ask(client, "/constant")[0] == 200
    assert "Cannot accept a connection: [Errno 24] Too many open files" in caplog.text


def test_a_stopped_server_leaves_nothing_behind(stub: Stub) -> None:
    before = threading.active_count()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        runner = Runner(stub)
        runner.start()
        with connected(runner) as client:
            ask(client, "/constant")
            runner.stop()
        runner.stop()
        del runner
        gc.collect()
    assert threading.active_count() == before
