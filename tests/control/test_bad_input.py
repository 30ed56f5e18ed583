"""The control API and its commands refuse bad input with a one-line error, and change nothing."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient, ControlError

FROZEN = "2199-01-31T12:00:00Z"
EARLIER = "2199-01-31T11:59:59Z"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33", frozen_at=FROZEN) as api:
        api.create_namespace("team")
        api.snapshot("kept")
        api.faults.conflict("pods", called="mine")
        yield api


def state(api: FakeAPI) -> list[Any]:
    """Returns the clock, snapshots, faults and namespaces of a server. Bad input must not change them."""
    with ControlClient(api.url) as client:
        told = [client.get(path) for path in ("/clock", "/snapshots", "/faults", "/snapshots/diff?old=kept")]
        content = client.get("/snapshots/kept/file")
    return [*told, content, api.list("Namespace")]


def snapshot_lines(api: FakeAPI) -> list[bytes]:
    with ControlClient(api.url) as client:
        lines: list[bytes] = client.get("/snapshots/kept/file").encode().splitlines(keepends=True)
    return lines


def another_format(lines: list[bytes]) -> bytes:
    head = {**json.loads(lines[0]), "fakeapiSnapshot": 99}
    return b"".join([json.dumps(head).encode() + b"\n", *lines[1:]])


def of_another_program(lines: list[bytes]) -> bytes:
    return b'{"kind": "ConfigMapList", "apiVersion": "v1", "items": []}\n'


def without_its_end(lines: list[bytes]) -> bytes:
    return b"".join(lines[:-2])


def cut_in_a_line(lines: list[bytes]) -> bytes:
    return b"".join(lines)[:-40]


def cut_gzip(lines: list[bytes]) -> bytes:
    return gzip.compress(b"".join(lines))[:-20]


def changed(lines: list[bytes]) -> bytes:
    return b"".join(lines).replace(b"team", b"maet")


def empty(lines: list[bytes]) -> bytes:
    return b""


FILES: list[tuple[Callable[[list[bytes]], bytes], str]] = [
    (another_format, "is in a format that this version of fakeapi does not know"),
    (of_another_program, "is not a snapshot of fakeapi"),
    (without_its_end, "is incomplete: it ends after"),
    (cut_in_a_line, "incomplete"),
    (cut_gzip, "is damaged or incomplete"),
    (changed, "is damaged: it was changed after it was written"),
    (empty, "is not a snapshot of fakeapi"),
]
REQUESTS: list[tuple[str, str, Any, str]] = [
    ("POST", "/clock/freeze", {"at": EARLIER}, "the clock cannot go backwards"),
    ("POST", "/clock/jump", {"to": EARLIER}, "the clock cannot go backwards"),
    ("POST", "/clock/advance", {"seconds": -1}, "forward by seconds of 0 or more"),
    ("POST", "/clock/advance", {"minutes": 1}, "unknown field `minutes`"),
    ("POST", "/faults", {"conflict": "unicorns"}, "unicorns"),
    ("POST", "/faults", [{"conflict": "configmaps"}, {"conflict": "unicorns"}], "unicorns"),
    ("POST", "/faults", {"conflict": {"target": "pods", "tmies": 2}}, "tmies"),
    ("POST", "/faults", {"name": "a", "match": {"verbs": "get"}, "action": {"type": "drop"}}, "verbs"),
    ("POST", "/faults", {"conflict": {"target": "pods", "first": 3, "last": 2}}, "last"),
    ("POST", "/snapshots/kept/restore", {"rewnd": True}, "unknown field `rewnd`"),
    ("POST", "/compaction", {"resourceVersion": "9999999"}, "does not exist yet"),
    ("POST", "/compaction", {"version": "1"}, "unknown field `version`"),
    ("POST", "/faults", b"{", "the body of POST /faults"),
]
COMMANDS: list[tuple[list[str], str]] = [
    (["clock", "freeze", EARLIER], "the clock cannot go backwards"),
    (["clock", "jump", EARLIER], "the clock cannot go backwards"),
    (["clock", "jump", "yesterday"], "'yesterday' is not a time"),
    (["clock", "advance", "--", "-1"], "forward by seconds of 0 or more"),
    (["faults", "arm", "conflict", "unicorns"], "unicorns"),
    (["faults", "arm", "conflict", "pods", "tmies=2"], "tmies"),
    (["faults", "arm", "conflikt", "pods"], "no ready-made fault 'conflikt'"),
    (["faults", "disarm", "nothing"], "nothing"),
    (["snapshot", "restore", "none"], "no snapshot is named 'none'"),
    (["snapshot", "take", "a b"], "invalid name 'a b'"),
]


@pytest.mark.parametrize(("spoil", "problem"), FILES, ids=[each.__name__ for each, _ in FILES])
def test_a_damaged_snapshot_file_is_refused(
    api: FakeAPI, tmp_path: Path, spoil: Callable[[list[bytes]], bytes], problem: str
) -> None:
    data, before = spoil(snapshot_lines(api)), state(api)
    with ControlClient(api.url) as client, pytest.raises(ControlError) as refusal:
        client.request("PUT", "/snapshots/kept/file", data)
    assert (refusal.value.code, problem in str(refusal.value)) == (400, True), refusal.value
    assert "\n" not in str(refusal.value)
    file = tmp_path / "snapshot.jsonl"
    file.write_bytes(data)
    assert_refused_with_one_line(api, ["snapshot", "load", str(file), "kept"], problem)
    assert_refused_with_one_line(api, ["snapshot", "diff", str(file), "kept"], problem)
    assert state(api) == before


@pytest.mark.parametrize(("method", "path", "body", "problem"), REQUESTS)
def test_an_invalid_request_gets_400_and_changes_nothing(
    api: FakeAPI, method: str, path: str, body: Any, problem: str
) -> None:
    before = state(api)
    with ControlClient(api.url) as client, pytest.raises(ControlError) as refusal:
        client.request(method, path, body)
    assert (refusal.value.code, problem in str(refusal.value)) == (400, True), refusal.value
    assert "\n" not in str(refusal.value)
    assert state(api) == before


@pytest.mark.parametrize(("arguments", "problem"), COMMANDS)
def test_an_invalid_command_prints_one_line_and_changes_nothing(
    api: FakeAPI, arguments: list[str], problem: str
) -> None:
    before = state(api)
    assert_refused_with_one_line(api, arguments, problem)
    assert state(api) == before


def test_an_invalid_file_of_faults_arms_nothing(api: FakeAPI, tmp_path: Path) -> None:
    file, before = tmp_path / "faults.yaml", state(api)
    for text, problem in (
        ("faults:\n- conflict: configmaps\n- conflict: unicorns\n", "unicorns"),
        ("faults:\n- conflict: {target: pods, tmies: 2}\n", "tmies"),
        ("rules: []\n", "rules"),
        ("faults: [", "YAML"),
    ):
        file.write_text(text, encoding="utf-8")
        assert_refused_with_one_line(api, ["faults", "arm", "--file", str(file)], problem)
    assert_refused_with_one_line(api, ["faults", "arm", "--file", str(tmp_path / "none")], "No such file")
    assert state(api) == before


def assert_refused_with_one_line(api: FakeAPI, arguments: list[str], problem: str) -> None:
    """Runs a fakeapi command. Asserts exit status 1 and one line of output with the text `problem`."""
    place = arguments.index("--") if "--" in arguments else len(arguments)
    command = [*arguments[:place], "--server", api.url, *arguments[place:]]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, result.output.count("\n")) == (1, 1), result.output
    assert problem in result.output
