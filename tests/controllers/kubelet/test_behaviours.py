"""Behaviours of containers come from Python, YAML and annotations. Invalid ones get one clear error line."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from fakeapi.controllers.kubelet.containers import behaviour_reading, plain_commands, simulated
from fakeapi.controllers.kubelet.containers.behaviour import (
    NEVER,
    Behaviour,
    BehaviourError,
    ExecResult,
    ProbeFailure,
    behaviour_of,
)
from fakeapi.controllers.kubelet.containers.behaviour_reading import (
    read_behaviour,
    read_behaviours,
    read_text,
)
from fakeapi.controllers.kubelet.containers.plain_commands import plain_behaviour
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, StreamName
from fakeapi.controllers.kubelet.timers import Timers

TEXT = """
containers:
- image: "crash:*"
  exitCode: 1
  after: 1m
- container: server
  labels: {app: shop}
  startAfter: 1h
  startError: "ErrImagePull: not found"
  stopAfter: never
  probes:
    readiness: {after: 10s, until: 30s, output: not yet}
    liveness: fail
  exec: {stdout: "ok", exitCode: 3}
"""


def test_behaviours_are_read_from_yaml(tmp_path: Path) -> None:
    path = tmp_path / "behaviours.yaml"
    path.write_text(TEXT, encoding="utf-8")
    crash, server = read_behaviours(path)
    assert crash == Behaviour(image="crash:*", exit_code=1, after=60.0)
    assert server == Behaviour(
        container="server",
        labels={"app": "shop"},
        start_after=3600.0,
        start_error=("ErrImagePull", "not found"),
        stop_after=NEVER,
        probes={"readiness": ProbeFailure(10.0, 30.0, "not yet"), "liveness": ProbeFailure()},
        exec=ExecResult("ok", "", 3),
    )
    assert read_behaviour(server) == server


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (3, "3 is not a behaviour"),
        ({"exit": 1}, "unknown field 'exit'; there are image"),
        ({"exitCode": "1"}, "exitCode: must be a whole number from 0 to 255, not '1'"),
        ({"exit_code": 256}, "exit_code: must be a whole number from 0 to 255, not 256"),
        ({"exit_code": True}, "exit_code: must be a whole number from 0 to 255, not True"),
        ({"after": "soon"}, "after: must be a duration such as 10s, not 'soon'"),
        ({"after": -1}, "after: must be a duration such as 10s, not -1"),
        ({"startAfter": "never"}, "startAfter: must be a duration such as 10s, not 'never'"),
        ({"image": ["a"]}, "image: must be a text, not ['a']"),
        ({"image": "a" * 254}, "image: is longer than 253 characters"),
        ({"logs": "a" * (behaviour_reading.TEXT_MAX + 1)}, "logs: is longer than 1048576 characters"),
        ({"labels": ["a"]}, "labels: must be a mapping of labels, not ['a']"),
        (
            {"probes": {"ready": "fail"}},
            "probes: must be a mapping with the keys startup, liveness, readiness",
        ),
        (
            {"probes": {"startup": {"for": 1}}},
            "probes: must be fail, or a mapping with after, until and output",
        ),
        ({"exec": {"code": 1}}, "exec: must have the keys stdout, stderr and exitCode"),
        ({"attempts": -1}, "attempts: must be a whole number from 0 to 1000000, not -1"),
    ],
)
def test_a_wrong_behaviour_is_refused_with_its_field(value: Any, error: str) -> None:
    with pytest.raises(BehaviourError) as caught:
        read_behaviour(value)
    assert str(caught.value).startswith(error)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ["a: [", "3", "- exitCode: 1\n- nothing: 2", "x: &a [*a]", "\x00"])
def test_a_text_that_is_not_valid_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BehaviourError) as caught:
        read_text(text)
    assert "\n" not in str(caught.value)


def test_a_file_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(behaviour_reading, "FILE_MAX", 10)
    path = tmp_path / "behaviours.yaml"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(BehaviourError, match=r"cannot read .*: longer than 10 bytes"):
        read_behaviours(path)
    with pytest.raises(BehaviourError, match=r"cannot read .*: No such file"):
        read_behaviours(tmp_path / "none")


def test_there_is_a_limit_of_behaviours() -> None:
    many: list[Any] = [{}] * (behaviour_reading.BEHAVIOURS_MAX + 1)
    with pytest.raises(BehaviourError, match="more than 1000 behaviours"):
        read_behaviours(many)
    with pytest.raises(BehaviourError, match="more than 1000 behaviours"):
        read_text(str(many))
    with FakeAPI(controllers="kubelet") as api:
        api.containers.behave(many[1:])
        with pytest.raises(BehaviourError, match="more than 1000 behaviours"):
            api.containers.behave(exit_code=1)


def run_of(image: str = "repo/app:1", attempt: int = 0, **labels: str) -> ContainerRun:
    pod = {"metadata": {"name": "pod", "namespace": "team", "uid": "u", "labels": labels}, "spec": {}}
    container = {"name": "main", "image": image}
    return ContainerRun("node", Path(), pod, container, "main", attempt, "id", "", "")


def test_later_behaviours_win_field_by_field() -> None:
    behaviours = read_behaviours(
        [
            {"image": "repo/*", "after": "5s", "exit_code": 1},
            {"image": "other/*", "exit_code": 2},
            {"labels": {"app": "shop"}, "exit_code": 3},
            {"attempts": 1, "message": "first"},
            {"namespace": "team", "pod": "p*", "container": "main", "logs": "hello"},
        ]
    )
    found = behaviour_of(run_of(), behaviours)
    assert (found.after, found.exit_code, found.message, found.logs) == (5.0, 1, "first", "hello")
    found = behaviour_of(run_of(attempt=1, app="shop"), behaviours)
    assert (found.exit_code, found.message) == (3, None)


def test_the_option_is_checked_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="exit_code: must be a whole number"):
        FakeAPI(controllers="kubelet", containers=[{"exit_code": "x"}]).start()
    with pytest.raises(ValueError, match="containers: the controller kubelet does not run"):
        FakeAPI(containers=[{"exit_code": 1}]).start()


def test_the_behaviours_of_the_option_come_back_after_a_reset() -> None:
    with FakeAPI(controllers="kubelet", containers=[{"exit_code": 1}]) as api:
        api.containers.behave(exit_code=2)
        assert [each.exit_code for each in api.containers] == [1, 2]
        api.reset()
        assert [each.exit_code for each in api.containers] == [1]


@pytest.mark.parametrize(
    ("command", "after", "code", "logs"),
    [
        (["sleep", "5"], 5.0, 0, ""),
        (["/bin/sleep", "1m", "2"], 62.0, 0, ""),
        (["sleep", "infinity"], NEVER, 0, ""),
        (["/bin/sh", "-c", "exit 3"], 0.0, 3, ""),
        (["sh", "-c", "sleep 2 && echo 'a b'; exit 1"], 2.0, 1, "a b\n"),
        (["false"], 0.0, 1, ""),
        (["true"], 0.0, 0, ""),
    ],
)
def test_plain_commands_of_jobs_are_read(command: list[str], after: float, code: int, logs: str) -> None:
    assert plain_behaviour(command) == Behaviour(after=after, exit_code=code, logs=logs)


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["server"],
        ["sh"],
        ["sh", "-c", "if true; then exit 1; fi"],
        ["sh", "-c", "echo $HOME"],
        ["sh", "-c", "echo 'open"],
        ["sh", "-c", "sleep x"],
        ["sh", "-c", "false && exit 0"],
        ["sh", "-c", "sleep 1 & exit 1"],
        ["sh", "-c", "exit 1;" * plain_commands.SCRIPT_MAX],
    ],
)
def test_other_commands_are_not_guessed(command: list[str]) -> None:
    assert plain_behaviour(command) is None


class Input:
    """The streams of a client that sends `data` in parts of 1 MiB."""

    has_stdin = True
    tty = False

    def __init__(self, size: int) -> None:
        self.left = size
        self.output = b""

    async def read_stdin(self) -> bytes:
        part = min(self.left, 1 << 20)
        self.left -= part
        return b"x" * part

    async def write(self, stream: StreamName, data: bytes) -> None:
        self.output += data

    async def sizes(self) -> AsyncIterator[tuple[int, int]]:
        yield 80, 25


def test_a_command_reads_a_limited_input() -> None:
    def count(command: list[str], stdin: bytes) -> str:
        return f"{command[0]} {len(stdin)}"

    async def execute() -> bytes:
        streams = Input(simulated.STDIN_BYTES_MAX + 5)
        behaviour = Behaviour(exec=count)
        container = simulated.SimulatedContainer(
            lambda: 0.0, mock.Mock(spec=Timers), run_of(), behaviour, lambda _: None
        )
        await container.exec(["wc"], streams)
        return streams.output

    assert asyncio.run(execute()) == b"wc %d" % simulated.STDIN_BYTES_MAX
