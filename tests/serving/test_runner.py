"""The runner over real sockets, with an application that misbehaves on request."""

import contextlib
import gc
import http.client
import logging
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi.serving.certificates import issue
from fakeapi.serving.connection import HEADER_BYTES
from fakeapi.serving.runner import Runner, StartError
from tests.serving.stub import Stub


@contextlib.contextmanager
def connected(runner: Runner) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", runner.port, timeout=10)
    with contextlib.closing(connection):
        yield connection


def ask(connection: http.client.HTTPConnection, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection.request("GET" if body is None else "POST", path, body)
    response = connection.getresponse()
    return response.status, response.read()


def raw(runner: Runner) -> socket.socket:
    return socket.create_connection(("127.0.0.1", runner.port), timeout=10)


def until(condition: Any) -> None:
    """Waits for another thread; the test's own time limit ends a wait in vain."""
    while not condition():
        time.sleep(0.001)


def test_the_port_is_known_and_clients_queue_before_the_server_runs(stub: Stub) -> None:
    runner = Runner(stub)
    with connected(runner) as client:
        client.request("GET", "/constant")
        runner.start()
        assert client.getresponse().read() == b"constant 1.1"
    runner.stop()


def test_connections_do_not_wait_for_full_packets(runner: Runner) -> None:
    assert runner._listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
    with connected(runner) as client:
        ask(client, "/constant")
        started = time.perf_counter()
        for _ in range(20):
            ask(client, "/constant")
        assert time.perf_counter() - started < 20 * 0.02  # Nagle's algorithm would add 0.04 to each


def test_a_connection_outlives_thousands_of_requests(runner: Runner) -> None:
    with connected(runner) as client:
        client.connect()
        first = client.sock
        assert all(ask(client, "/constant")[0] == 200 for _ in range(1_100))
        assert client.sock is first


def test_no_server_header_is_sent_and_the_date_is(runner: Runner) -> None:
    with connected(runner) as client:
        client.request("GET", "/constant")
        response = client.getresponse()
        response.read()
        assert "server" not in response.headers
        assert response.headers["date"].endswith(" GMT")


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/constant", "OK"), ("/early", "Unsupported Media Type"), ("/fail", "Internal Server Error")],
)
def test_a_status_has_its_reason_beside_it(runner: Runner, path: str, reason: str) -> None:
    with connected(runner) as client:
        client.request("GET", path)
        assert client.getresponse().reason == reason


def test_an_answer_before_the_body_was_read_does_not_block(runner: Runner) -> None:
    with raw(runner) as client:
        client.sendall(b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 415")
    with connected(runner) as client:
        assert ask(client, "/echo", bytes(3_000_000)) == (200, b"3000000")


def test_a_failing_application_is_a_logged_500(runner: Runner, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "fakeapi.serving"), connected(runner) as client:
        assert ask(client, "/fail")[0] == 500
        assert ask(client, "/constant")[0] == 200
    assert "The application failed at GET /fail" in caplog.text


def test_a_response_that_breaks_off_is_seen_as_broken(runner: Runner) -> None:
    with connected(runner) as client, pytest.raises(http.client.HTTPException):
        ask(client, "/break")


@pytest.mark.parametrize(
    "junk", [b"\x00\x01\x02\r\n\r\n", b"GET / FOO\r\n\r\n", b"GET /\xff HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_http_is_answered_400_as_go_does(runner: Runner, junk: bytes) -> None:
    with raw(runner) as client:
        client.sendall(junk)
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.endswith(b"400 Bad Request")


def test_headers_may_be_long_and_not_endless(runner: Runner) -> None:
    with connected(runner) as client:
        assert ask(client, "/constant?labelSelector=" + "x" * 100_000)[0] == 200
    with raw(runner) as client:
        client.sendall(b"GET / HTTP/1.1\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(HEADER_BYTES // 1000 + 100):
                client.sendall(b"a: " + b"x" * 995 + b"\r\n")
        with contextlib.suppress(ConnectionError):
            assert client.recv(4096).startswith(b"HTTP/1.1 431")


def test_an_upgrade_to_h2c_is_not_offered(runner: Runner) -> None:
    upgrade = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABk"}
    with connected(runner) as client:
        client.request("GET", "/constant", headers=upgrade)
        assert client.getresponse().read() == b"constant 1.1"


def test_a_client_that_leaves_is_told_to_the_application(runner: Runner, stub: Stub) -> None:
    with connected(runner) as client:
        client.request("GET", "/watch")
        assert client.getresponse().read(6) == b"event\n"
    until(lambda: stub.watching == 0)
    assert stub.disconnected.is_set()


def test_a_producer_that_ignores_the_disconnect_does_not_stop_the_others(runner: Runner, stub: Stub) -> None:
    with raw(runner) as client:
        client.sendall(b"GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")
        client.recv(100_000)
    sent = stub.flooded
    until(lambda: stub.flooded > sent + 100)
    with connected(runner) as other:
        assert ask(other, "/constant")[0] == 200


def test_a_client_that_does_not_read_stops_its_producer(runner: Runner, stub: Stub) -> None:
    with raw(runner) as client:
        client.sendall(b"GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")
        assert settled(stub) < 1_000  # 64 MB; the kernel's buffers are part of it
        stub.disconnected.set()


def settled(stub: Stub) -> int:
    """How much was produced when no more is."""
    until(lambda: stub.flooded > 0)
    while True:
        before = stub.flooded
        time.sleep(0.2)
        if stub.flooded == before:
            return before


@pytest.mark.parametrize("clients_watching", [0, 50])
def test_stop_ends_open_watches_at_once(stub: Stub, clients_watching: int) -> None:
    runner = Runner(stub, grace=5)
    runner.start()
    with contextlib.ExitStack() as clients:
        responses = []
        for _ in range(clients_watching):
            client = clients.enter_context(connected(runner))
            client.request("GET", "/watch")
            responses.append(client.getresponse())
        started = time.perf_counter()
        runner.stop()
        assert time.perf_counter() - started < 1
        assert [response.read() for response in responses] == [b"event\n"] * clients_watching
    assert stub.calls[-2:] == ["end_watches", "shutdown"]
    assert stub.watching == 0


def test_a_long_idle_connection_is_closed_and_a_busy_one_is_not(
    stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.serving.connection.IDLE_SECONDS", 0.1)
    runner = Runner(stub)
    runner.start()
    with connected(runner) as idle, connected(runner) as busy:
        busy.request("GET", "/watch")
        watch = busy.getresponse()
        assert watch.read(6) == b"event\n"
        ask(idle, "/constant")
        assert idle.sock.recv(1) == b""
        assert stub.watching == 1
        runner.stop()
        watch.read()


def test_stop_cancels_a_stuck_request_after_the_grace_period(stub: Stub) -> None:
    runner = Runner(stub, grace=0.2)
    runner.start()
    with raw(runner) as client:
        client.sendall(b"GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n")
        until(lambda: "stuck" in stub.calls)
        started = time.perf_counter()
        runner.stop()
        assert time.perf_counter() - started < 2
        assert client.recv(1) == b""
    assert stub.calls[-1] == "shutdown"


@pytest.mark.parametrize(
    "sent", [b"", b"GET /const", b"PRI * HTTP/2.0\r\n\r\n"], ids=["nothing", "a part", "h2"]
)
def test_a_client_that_never_finished_its_request_does_not_delay_stop(stub: Stub, sent: bytes) -> None:
    runner = Runner(stub, grace=5)
    runner.start()
    with raw(runner) as client:
        client.sendall(sent)
        started = time.perf_counter()
        runner.stop()
        assert time.perf_counter() - started < 1


@pytest.mark.parametrize("shakes_hands", [True, False])
def test_an_idle_tls_client_does_not_delay_stop(stub: Stub, shakes_hands: bool) -> None:  # noqa: FBT001 - pytest
    certificates = issue(["127.0.0.1"])
    runner = Runner(stub, grace=5, tls=certificates.server)
    runner.start()
    trust = ssl.create_default_context(cadata=certificates.ca.decode())
    with raw(runner) as plain:
        client = plain
        if shakes_hands:
            client = trust.wrap_socket(plain, server_hostname="127.0.0.1")
            client.sendall(b"GET /constant HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200")
        started = time.perf_counter()
        runner.stop()
        assert time.perf_counter() - started < 1
        client.close()


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


def test_an_unusable_address_is_one_clear_error() -> None:
    with contextlib.closing(Runner(Stub())._listener) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            StartError, match=rf"^cannot listen on 127.0.0.1 port {port}: Address already in use$"
        ):
            Runner(Stub(), port=port)
    with pytest.raises(StartError, match=r"^cannot listen on no\.such\.host\.invalid port 0: "):
        Runner(Stub(), host="no.such.host.invalid")


def test_a_failing_startup_is_raised_where_the_server_was_started_and_what_it_opened_is_closed() -> None:
    stub = Stub(startup_error=OSError("the disk is gone\nsee also the manual"))
    runner = Runner(stub)
    with pytest.raises(StartError, match=r"^cannot start: the disk is gone$"):
        runner.start()
    assert stub.calls[-1] == "shutdown"
    with pytest.raises(ConnectionRefusedError):
        raw_port(runner)


def raw_port(runner: Runner) -> None:
    socket.create_connection(
        ("127.0.0.1", runner._listener.getsockname()[1] if runner._listener.fileno() > 0 else 1)
    )


def test_renew_cuts_off_old_clients_and_moves_to_another_port(runner: Runner, stub: Stub) -> None:
    old = runner.port
    with connected(runner) as client:
        client.request("GET", "/watch")
        response = client.getresponse()
        runner.renew()
        assert response.read() == b"event\n"
        assert runner.port != old
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", old))
    with connected(runner) as client:
        assert ask(client, "/constant")[0] == 200
    assert stub.calls == ["startup", "end_watches", "reset"]


def test_a_runner_can_not_be_called_when_it_is_stopped(runner: Runner) -> None:
    runner.stop()
    with pytest.raises(RuntimeError, match="not running"):
        runner.reset()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_returns_on_a_signal_with_a_watch_open(number: signal.Signals) -> None:
    program = (
        "from fakeapi.serving.runner import Runner; from tests.serving.stub import Stub\n"
        "runner = Runner(Stub(), grace=5)\n"
        "runner.run(lambda: print(runner.port, flush=True)); print('over')"
    )
    root = Path(__file__).parent.parent.parent
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        client.request("GET", "/watch")
        response = client.getresponse()
        started = time.perf_counter()
        process.send_signal(number)
        assert process.wait(10) == 0
        assert time.perf_counter() - started < 2
        assert process.stdout.read() == "over\n"
        assert response.read() == b"event\n"
        client.close()
