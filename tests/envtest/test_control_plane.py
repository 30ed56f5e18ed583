"""etcd and kube-apiserver of an envtest folder work with test suites that use envtest."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fakeapi.envtest import etcd, parent
from tests.authentication.client import TLSClient
from tests.envtest.conftest import STOP_SECONDS, ControlPlane
from tests.interop.processes import free_port

Started = Callable[..., ControlPlane]
NAMESPACES = "/api/v1/namespaces"


def create(client: TLSClient, name: str) -> None:
    assert client.send("POST", NAMESPACES, {"metadata": {"name": name}}).code == 201


def test_the_user_of_a_certificate_has_its_roles(started: Started) -> None:
    plane = started()
    assert plane.administrator().user()["groups"] == ["system:masters", "system:authenticated"]
    jane = plane.connect(plane.clients.certificate("jane"))
    assert jane.user()["username"] == "jane"
    assert jane.send("GET", NAMESPACES).code == 403
    assert plane.connect().send("GET", NAMESPACES).code == 403


def test_a_restarted_server_finds_its_objects_in_the_same_etcd(started: Started) -> None:
    plane = started()
    create(plane.administrator(), "kept")
    plane.server.terminate()
    plane.server.wait(STOP_SECONDS)
    plane.start_server()
    assert plane.administrator().send("GET", f"{NAMESPACES}/kept").code == 200


def test_a_restarted_etcd_finds_the_state_in_its_directory(started: Started) -> None:
    plane = started()
    create(plane.administrator(), "kept")
    plane.stop()
    plane.start_etcd()
    plane.start_server()
    assert plane.administrator().send("GET", f"{NAMESPACES}/kept").code == 200


def test_a_second_server_of_one_etcd_is_refused(started: Started) -> None:
    plane = started()
    plane.port = free_port()
    second = plane.start_server()
    assert second.poll() == 1
    assert "another" in plane.log_of("kube-apiserver")


def test_servers_with_different_prefixes_have_different_objects(started: Started) -> None:
    plane = started()
    create(plane.administrator(), "first")
    plane.port = free_port()
    plane.start_server("--etcd-prefix=/other")
    assert plane.administrator().send("GET", f"{NAMESPACES}/first").code == 404


def test_a_server_without_an_etcd_of_fakeapi_does_not_start(control_plane: ControlPlane) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "http.server", str(control_plane.etcd_port), "--bind", "127.0.0.1"],
        stderr=subprocess.DEVNULL,
        cwd=control_plane.directory / "certificates",
    ) as other:
        try:
            assert control_plane.start_server().poll() == 1
        finally:
            other.terminate()
    assert "is not the etcd of fakeapi" in control_plane.log_of("kube-apiserver")


def asked(plane: ControlPlane, method: str, path: str, **headers: str) -> tuple[int, str]:
    """Sends a request to etcd as soon as it listens; returns the status and the body of the response."""
    end = time.monotonic() + STOP_SECONDS
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", plane.etcd_port, timeout=5)
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(0.02)
        finally:
            connection.close()


def test_etcd_refuses_its_own_protocol_and_says_why(control_plane: ControlPlane) -> None:
    control_plane.start_etcd()
    status, body = asked(control_plane, "POST", "/v3/kv/range")
    assert status == 501
    assert "does not speak etcd's protocol" in body


def test_etcd_reads_no_more_of_a_request_than_the_limit(control_plane: ControlPlane) -> None:
    control_plane.start_etcd()
    assert asked(control_plane, "GET", "/health")[0] == 200
    with socket.create_connection(("127.0.0.1", control_plane.etcd_port), 5) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nx: " + b"y" * etcd._REQUEST_BYTES)
        assert client.recv(100).startswith(b"HTTP/1.1 200 OK"), "the head has no end"


def test_they_end_when_the_process_that_started_them_was_killed(folder: Path, tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time; from tests.envtest.conftest import ControlPlane;"
        "plane = ControlPlane(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]));"
        "etcd = plane.start_etcd(); server = plane.start_server();"
        "print(etcd.pid, server.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder), str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as suite:
        assert suite.stdout is not None
        pids = [int(word) for word in suite.stdout.readline().split()]
        suite.kill()
    assert len(pids) == 2
    end = time.monotonic() + STOP_SECONDS
    while any(_runs(pid) for pid in pids):
        assert time.monotonic() < end, pids
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(") ")[2][0] != "Z"


def test_sigterm_ends_the_server_soon_while_a_watch_is_open(started: Started) -> None:
    plane = started()
    with plane.administrator().stream(f"{NAMESPACES}?watch=true") as response:
        assert response.status == 200
        plane.server.send_signal(signal.SIGTERM)
        assert plane.server.wait(STOP_SECONDS) == 0


def test_no_key_or_token_is_readable_for_others_or_printed(started: Started) -> None:
    plane = started()
    files = [*plane.data.rglob("*"), *plane.certificates.glob("*.key")]
    assert files
    for file in files:
        assert file.stat().st_mode & 0o077 == 0, file
    assert "PRIVATE" not in plane.log_of("kube-apiserver")


def test_a_database_of_others_is_refused_and_an_open_one_is_closed(control_plane: ControlPlane) -> None:
    control_plane.data.mkdir()
    database = control_plane.data / "fakeapi.sqlite"
    database.symlink_to(control_plane.directory / "elsewhere")
    control_plane.start_etcd()
    assert control_plane.start_server().poll() == 1
    assert "is not a file of this user" in control_plane.log_of("kube-apiserver")
    database.unlink()
    database.touch(0o666)
    control_plane.start_server()
    assert control_plane.administrator().send("GET", NAMESPACES).code == 200
    assert database.stat().st_mode & 0o777 == 0o600


def test_a_server_ends_at_once_if_its_parent_has_ended_before_it_starts(control_plane: ControlPlane) -> None:
    program = "from fakeapi.envtest.kube_apiserver import main; main('1.34')"
    command = [sys.executable, "-c", program, f"--etcd-servers=http://127.0.0.1:{control_plane.etcd_port}"]
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    with subprocess.Popen(command, env=os.environ | {parent.PARENT: str(ended.pid)}) as server:
        assert server.wait(STOP_SECONDS) == -signal.SIGTERM


def test_the_control_api_is_there_for_administrators(started: Started) -> None:
    plane = started()
    assert plane.administrator().send("POST", "/_fakeapi/reset").code in (200, 204)
    assert plane.connect().send("POST", "/_fakeapi/reset").code == 401


def test_options_of_fakeapi_come_from_the_environment(
    control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKEAPI_CONTROLLERS", "namespace")
    control_plane.start_etcd()
    control_plane.start_server()
    admin = control_plane.administrator()
    create(admin, "short")
    assert admin.send("DELETE", f"{NAMESPACES}/short").code == 200
    end = time.monotonic() + STOP_SECONDS
    while admin.send("GET", f"{NAMESPACES}/short").code != 404:
        assert time.monotonic() < end
        time.sleep(0.05)
