"""A server starts and stops in a thread or process, and reports errors of its start."""

import asyncio
import contextlib
import http.client
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fakeapi.serving.runner import Runner
from fakeapi.serving.start_error import StartError
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


@pytest.mark.parametrize("moment", range(6))
def test_a_call_ends_when_the_server_is_stopped_meanwhile(moment: int) -> None:
    runner = Runner(Stub())
    runner.start()
    entered, turns = threading.Event(), 0

    def call_until_refused() -> str:
        nonlocal turns
        while True:
            turns += 1
            if turns > 10 * moment:
                entered.set()
            try:
                runner.reset()
            except RuntimeError as error:
                return str(error)

    with ThreadPoolExecutor(1) as pool:
        refusal = pool.submit(call_until_refused)
        entered.wait(20)
        runner.stop()
        assert refusal.result(20) in {"the server was stopped", "the server is not running"}


def test_a_call_that_waits_for_ever_ends_with_the_server() -> None:
    runner = Runner(Stub())
    runner.start()
    waiting = threading.Event()

    async def wait() -> None:
        waiting.set()
        await asyncio.Event().wait()

    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(runner.call, wait)
        waiting.wait(20)
        runner.stop()
        with pytest.raises(RuntimeError, match="the server was stopped"):
            call.result(20)


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
