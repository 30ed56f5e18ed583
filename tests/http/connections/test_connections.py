"""Clients read logs, run commands, attach to containers and forward ports, over HTTP and WebSocket."""

import gc
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import portforward, stream

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.containers.behaviour import ExecResult
from fakeapi.http.connections import port_forward, remote_command
from fakeapi.http.connections.session import INPUTS_MAX
from tests.http.connections.pods import POD, create_pod, message_of
from tests.http.websocket_client import connected

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""The client for Python leaves the sockets of forwarded ports open."""


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers="kubelet", frozen_at="2026-01-31T12:00:00Z") as server:
        server.settle()
        yield server


@pytest.fixture
def core(api: FakeAPI) -> Iterator[client.CoreV1Api]:
    with config.new_client_from_config(str(api.kubeconfig)) as api_client:
        yield client.CoreV1Api(api_client)
    gc.collect()


def read_log(api: FakeAPI, **query: Any) -> str:
    return httpx.get(f"{api.url}{POD}/log", params=query).text


def message(api: FakeAPI, path: str) -> tuple[int, str]:
    response = httpx.get(f"{api.url}{POD}/{path}")
    return response.status_code, response.json()["message"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({}, "one\ntwo\nlate\n"),
        ({"tailLines": 2}, "two\nlate\n"),
        ({"tailLines": 0}, ""),
        ({"limitBytes": 6}, "one\ntw"),
        ({"sinceSeconds": 5}, "late\n"),
        ({"sinceTime": "2026-01-31T12:00:01Z"}, "late\n"),
        ({"tailLines": 1, "timestamps": "true"}, "2026-01-31T12:01:00.000000000Z late\n"),
        ({"stream": "Stderr"}, ""),
    ],
)
def test_a_part_of_a_log_can_be_read(api: FakeAPI, query: dict[str, Any], text: str) -> None:
    api.containers.behave(logs="one\ntwo\n")
    create_pod(api)
    api.clock.advance(60)
    api.containers.write("default", "pod", text="late\n")
    assert read_log(api, **query) == text


def test_a_log_can_be_followed_until_the_container_ends(api: FakeAPI) -> None:
    api.containers.behave(logs="before\n")
    create_pod(api)
    with httpx.stream("GET", f"{api.url}{POD}/log", params={"follow": "true"}, timeout=10) as response:
        lines = response.iter_lines()
        assert next(lines) == "before"
        api.containers.write("default", "pod", text="after\n")
        assert next(lines) == "after"
        api.delete("Pod", "pod")
        assert list(lines) == []


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (
            "sinceTime=2026-01-31",
            'parsing time "2026-01-31" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
        ),
        (
            "sinceTime=0000-01-01T00:00:00",
            'parsing time "0000-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
        ),
    ],
)
def test_a_time_that_is_not_rfc_3339_is_refused_before_the_pod_is_read(
    api: FakeAPI, query: str, problem: str
) -> None:
    assert message(api, f"log?{query}") == (400, problem)


def test_the_time_of_a_log_can_be_in_any_year(api: FakeAPI) -> None:
    api.containers.behave(logs="one\n")
    create_pod(api)
    assert read_log(api, sinceTime="0000-01-01T00:00:00Z") == "one\n"
    assert read_log(api, sinceTime="9999-12-31T23:59:59-01:00") == ""


def test_a_log_that_is_followed_ends_with_the_server(api: FakeAPI) -> None:
    api.containers.behave(logs="before\n")
    create_pod(api)
    with httpx.stream("GET", f"{api.url}{POD}/log", params={"follow": "true"}, timeout=10) as response:
        lines = response.iter_lines()
        assert next(lines) == "before"
        api.reset()
        assert list(lines) == []


def test_the_log_of_the_previous_run_is_kept(api: FakeAPI) -> None:
    api.containers.behave(logs=lambda run: f"run {run.attempt}\n", after="1s")
    create_pod(api)
    where = 'container "c" in pod "pod"'
    assert message(api, "log?previous=true") == (400, f"previous terminated {where} not found")
    for _ in range(2):
        api.clock.advance(1)
        api.settle()
    assert read_log(api) == "run 1\n"
    assert read_log(api, previous="true") == "run 1\n"
    api.clock.advance(10)
    api.settle()
    assert (read_log(api), read_log(api, previous="true")) == ("run 2\n", "run 1\n")


def test_a_container_that_waits_has_no_log(api: FakeAPI) -> None:
    api.containers.behave(start_error="ErrImagePull: not found")
    create_pod(api)
    problem = 'container "c" in pod "pod" is waiting to start: image can\'t be pulled'
    assert message(api, "log") == (400, problem)


def test_a_pod_of_another_kubelet_cannot_be_reached(api: FakeAPI) -> None:
    api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "other"}})
    spec = {"nodeName": "other", "containers": [{"name": "c", "image": "i"}]}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": spec})
    assert message(api, "log")[0] == 501


def execute(core: client.CoreV1Api, *command: str, stdin: str = "") -> tuple[str, str, int]:
    session = stream(
        core.connect_get_namespaced_pod_exec,
        "pod",
        "default",
        command=list(command),
        stdout=True,
        stderr=True,
        stdin=bool(stdin),
        _preload_content=False,
    )
    if stdin:
        session.write_stdin(stdin)
    session.run_forever(timeout=10)
    result = session.read_stdout(), session.read_stderr(), session.returncode
    session.close()
    return result


def test_a_command_is_answered_by_a_function(api: FakeAPI, core: client.CoreV1Api) -> None:
    api.containers.behave(exec=lambda command, stdin: ExecResult(" ".join(command), "warning", 3))
    create_pod(api)
    assert execute(core, "ls", "-l") == ("ls -l", "warning", 3)


def test_a_function_that_fails_is_reported(
    api: FakeAPI, core: client.CoreV1Api, caplog: pytest.LogCaptureFixture
) -> None:
    api.containers.behave(exec=lambda command, stdin: 1 / 0)
    create_pod(api)
    assert execute(core, "ls")[2] == 1
    assert "ZeroDivisionError" in caplog.text


def test_a_container_shows_its_environment(api: FakeAPI, core: client.CoreV1Api) -> None:
    create_pod(api, env=[{"name": "A", "value": "1"}])
    assert "A=1\n" in execute(core, "env")[0]
    assert execute(core, "printenv", "A") == ("1\n", "", 0)
    assert execute(core, "printenv", "B") == ("", "", 1)
    assert execute(core, "echo", "a", "b") == ("a b\n", "", 0)
    assert execute(core, "hostname") == ("pod\n", "", 0)


EXEC = f"{POD}/exec?stdout=true&stdin=true&command=cat"


def test_the_input_of_a_command_ends_with_a_message_of_v5(api: FakeAPI) -> None:
    create_pod(api)
    with connected(api, EXEC, remote_command.V5) as session:
        session.next()
        assert message_of(session) == b"\x01"
        session.send(b"\x04{}")
        session.send(b"\x04[")
        session.send(b"\x00hello")
        session.send(b"\xff\x00")
        assert message_of(session) == b"\x01hello"
        status = message_of(session)
        assert (status[:1], json.loads(status[1:])["status"]) == (b"\x03", "Success")
        assert session.next().code == 1000  # type: ignore[attr-defined] # a CloseConnection


def test_base64_protocols_are_spoken(api: FakeAPI) -> None:
    api.containers.behave(exec="hi")
    create_pod(api)
    with connected(api, f"{POD}/exec?stdout=true&command=x", "base64.channel.k8s.io") as session:
        session.next()
        texts = [session.next().data for _ in range(2)]  # type: ignore[attr-defined] # TextMessages
    assert texts == ["1", "1aGk="]


@pytest.mark.parametrize(
    ("path", "protocols", "code", "text"),
    [
        ("exec?stdout=true", ["v4.channel.k8s.io"], 400, "at least one command"),
        ("exec?command=a", ["v4.channel.k8s.io"], 400, "at least 1 of stdin, stdout, stderr"),
        ("exec?command=a&stdout=1", ["v9.channel.k8s.io"], 400, "the client offers the subprotocols"),
        ("exec?command=a&stdout=1&container=none", [], 400, "container none is not valid"),
        ("portforward", ["v4.channel.k8s.io"], 400, "must have 1 to 100 ports"),
        ("portforward?ports=0", ["v4.channel.k8s.io"], 400, "invalid port '0'"),
        ("portforward?ports=99999", ["v4.channel.k8s.io"], 400, "invalid port '99999'"),
        ("portforward?ports=" + ",".join(["1"] * (port_forward.PORTS_MAX + 1)), [], 400, "1 to 100 ports"),
    ],
)
def test_bad_sessions_are_refused_before_the_upgrade(
    api: FakeAPI, path: str, protocols: list[str], code: int, text: str
) -> None:
    create_pod(api)
    with connected(api, f"{POD}/{path}", *protocols) as session:
        status, body = session.refusal()
        assert (status, text in body["message"]) == (code, True), body


def test_a_request_without_a_web_socket_is_refused(api: FakeAPI) -> None:
    create_pod(api)
    path = "exec?command=a&stdout=true"
    assert message(api, path) == (400, "Upgrade request required")
    headers = {"Connection": "Upgrade", "Upgrade": "SPDY/3.1"}
    response = httpx.post(f"{api.url}{POD}/{path}", headers=headers)
    assert response.status_code == 501
    assert "over WebSocket only" in response.json()["message"]


def test_a_client_attaches_until_the_container_ends(api: FakeAPI) -> None:
    api.containers.behave(after="1m", exit_code=0)
    create_pod(api)
    with connected(api, f"{POD}/attach?stdout=true&stderr=true", "v4.channel.k8s.io") as session:
        session.next()
        assert message_of(session) == b"\x01"
        api.containers.write("default", "pod", text="out\n")
        api.containers.write("default", "pod", text="err\n", stream="stderr")
        assert [message_of(session) for _ in range(2)] == [b"\x01out\n", b"\x02err\n"]
        api.clock.advance(60)
        assert message_of(session)[:1] == b"\x03"


def test_a_client_that_leaves_ends_its_session(api: FakeAPI) -> None:
    create_pod(api)
    for _ in range(3):
        with connected(api, EXEC, remote_command.V5) as session:
            session.next()
            message_of(session)
        with connected(api, EXEC, remote_command.V5) as session:
            session.next()
            session.close()
    assert api.get("Pod", "pod")["status"]["phase"] == "Running"


def test_a_client_that_sends_more_than_a_command_reads_has_to_wait(api: FakeAPI) -> None:
    started, done = threading.Event(), threading.Event()

    def slow(command: list[str], stdin: bytes) -> str:
        started.set()
        done.wait(10)
        return "done"

    api.containers.behave(exec=slow)
    create_pod(api)
    with connected(api, f"{POD}/exec?stdout=true&command=x&stdin=true", remote_command.V5) as session:
        session.next()
        message_of(session)
        session.send(b"\xff\x00")
        assert started.wait(10)
        for _ in range(10 * INPUTS_MAX):
            session.send(b"\x00x")
        for _ in range(10 * remote_command.SIZES_MAX):
            session.send(b'\x04{"Width":1,"Height":2}')
        done.set()
        assert message_of(session) == b"\x01done"


def forwarded(core: client.CoreV1Api) -> tuple[Any, socket.socket]:
    session = portforward(core.connect_get_namespaced_pod_portforward, "pod", "default", ports="80")
    sock = session.socket(80)
    sock.settimeout(10)
    return session, sock


def test_a_port_is_answered_by_a_function(api: FakeAPI, core: client.CoreV1Api) -> None:
    api.containers.behave(ports=lambda port, data: b"%d:" % port + data)
    create_pod(api)
    _, sock = forwarded(core)
    for data in (b"a", b"b"):
        sock.sendall(data)
        assert sock.recv(10) == b"80:" + data
    sock.close()


def test_a_port_is_answered_by_a_text(api: FakeAPI, core: client.CoreV1Api) -> None:
    api.containers.behave(ports="HTTP/1.1 204 No Content\r\n\r\n")
    create_pod(api)
    _, sock = forwarded(core)
    sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
    assert sock.recv(100).startswith(b"HTTP/1.1 204")
    assert sock.recv(100) == b""


def test_a_port_without_a_listener_is_an_error(api: FakeAPI, core: client.CoreV1Api) -> None:
    create_pod(api)
    session, sock = forwarded(core)
    assert sock.recv(100) == b""
    assert "nothing listens on port 80" in session.error(80)


def test_a_client_that_sends_more_than_a_port_reads_has_to_wait(api: FakeAPI) -> None:
    done = threading.Event()
    api.containers.behave(ports=lambda port, data: b"ok" if done.wait(10) else b"")
    create_pod(api)
    with connected(api, f"{POD}/portforward?ports=80", "v4.channel.k8s.io") as session:
        session.next()
        assert [message_of(session) for _ in range(2)] == [b"\x00P\x00", b"\x01P\x00"]
        for _ in range(10 * INPUTS_MAX):
            session.send(b"\x00x")
        session.send(b"\x09x")
        done.set()
        assert message_of(session) == b"\x00ok"


def test_a_character_that_is_no_channel_is_ignored(api: FakeAPI) -> None:
    api.containers.behave(ports=lambda port, data: b"ok")
    create_pod(api)
    with connected(api, f"{POD}/portforward?ports=80", "v4.base64.channel.k8s.io") as session:
        session.next()
        assert [session.next().data for _ in range(2)] == ["0UAA=", "1UAA="]  # type: ignore[attr-defined] # TextMessages
        session.say("*eA==")
        session.say("0eA==")
        assert session.next().data == "0b2s="  # type: ignore[attr-defined] # a TextMessage


def test_the_verbs_of_connections_are_authorized() -> None:
    with FakeAPI(controllers="kubelet", authorization="rbac", token="admin") as api:
        create_pod(api)
        headers = {"Authorization": "Bearer admin", "Impersonate-User": "nobody"}
        for subresource in ("log", "exec?command=a&stdout=true", "portforward?ports=1"):
            response = httpx.get(f"{api.url}{POD}/{subresource}", headers=headers)
            assert response.status_code == 403


def test_the_kubernetes_client_reads_logs(api: FakeAPI, core: client.CoreV1Api) -> None:
    api.containers.behave(logs="hello\n")
    create_pod(api)
    assert core.read_namespaced_pod_log("pod", "default") == "hello\n"
    with pytest.raises(ApiException) as error:
        core.read_namespaced_pod_log("pod", "default", container="none")
    assert error.value.status == 400
