"""The life of a server: in a thread, in a process, and where it cannot start."""

import contextlib
import http.client
import signal
import socket
import subprocess
import sys

import pytest

from fakeapi.serving.runner import Runner, StartError
from tests.serving.asking import ROOT, ask, connected
from tests.serving.stub import Stub


def test_the_port_is_known_and_clients_queue_before_the_server_runs(stub: Stub) -> None:
    runner = Runner(stub)
    with connected(runner) as client:
        client.request("GET", "/constant")
        runner.start()
        assert client.getresponse().read() == b"constant 1.1"
    runner.stop()


def test_an_unusable_address_is_one_clear_error() -> None:
    with contextlib.closing(Runner(Stub())._socket) as taken:
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
    port = runner.port
    with pytest.raises(StartError, match=r"^cannot start: the disk is gone$"):
        runner.start()
    assert stub.calls[-1] == "shutdown"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_restart_cuts_off_old_clients_and_moves_to_another_port(runner: Runner, stub: Stub) -> None:
    old = runner.port
    with connected(runner) as client:
        client.request("GET", "/watch")
        response = client.getresponse()
        runner.restart_empty_on_new_port()
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
        "runner = Runner(Stub(), grace=600)\n"
        "runner.run(lambda: print(runner.port, flush=True)); print('over')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        client.request("GET", "/watch")
        response = client.getresponse()
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stdout.read() == "over\n"
        assert response.read() == b"event\n"
        client.close()
