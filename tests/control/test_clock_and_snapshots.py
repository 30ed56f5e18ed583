"""The control API and its commands change the clock, and take, compare and restore snapshots."""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner, Result

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient, ControlError

FROZEN = "2026-01-31T12:00:00Z"


@contextmanager
def controlled(**options: object) -> Iterator[tuple[FakeAPI, ControlClient]]:
    with FakeAPI(**options) as api, ControlClient(api.url) as client:  # type: ignore[arg-type] # options of a test
        yield api, client


def run(api: FakeAPI, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--server", api.url])


def test_the_clock_is_frozen_moved_and_resumed() -> None:
    with controlled() as (api, client):
        assert client.get("/clock")["adjusted"] is False
        now = client.post("/clock/freeze", {"at": "2199-01-01T00:00:00Z"})
        assert (now["now"], now["frozen"]) == ("2199-01-01T00:00:00Z", True)
        assert api.create_namespace("a")["metadata"]["creationTimestamp"] == now["now"]
        assert client.post("/clock/advance", {"seconds": 60})["now"] == "2199-01-01T00:01:00Z"
        assert client.post("/clock/jump", {"to": "2199-01-01T01:00:00Z"})["now"] == "2199-01-01T01:00:00Z"
        resumed = client.post("/clock/resume")
        assert (resumed["frozen"], resumed["adjusted"]) == (False, True)
        client.post("/reset")
        assert client.get("/clock")["adjusted"] is False


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (
            "/clock/freeze",
            {"at": "2026-01-31T11:00:00Z"},
            "the clock cannot go backwards",
        ),
        ("/clock/jump", {"to": "2026-01-31T11:59:59Z"}, "the clock cannot go backwards"),
        ("/clock/jump", {"to": "noon"}, "'noon' is not a time such as"),
        ("/clock/jump", {"to": "2026-01-31T13:00:00"}, "has no time zone"),
        ("/clock/advance", {"seconds": -1}, "forward by seconds of 0 or more, not -1"),
        ("/clock/advance", {"seconds": 1e300}, "no further than the year 9999"),
        ("/clock/advance", {"minutes": 1}, "unknown field `minutes`"),
    ],
)
def test_a_clock_refuses_past_and_invalid_times(path: str, body: object, message: str) -> None:
    with controlled(frozen_at=FROZEN) as (_, client):
        with pytest.raises(ControlError) as refusal:
            client.post(path, body)
        assert message in str(refusal.value)
        assert client.get("/clock")["now"] == FROZEN


def test_snapshots_are_taken_listed_compared_restored_and_deleted() -> None:
    with controlled() as (api, client):
        taken = client.put("/snapshots/base")
        assert client.get("/snapshots") == [taken]
        api.create_namespace("new")
        answer = client.get("/snapshots/diff", old="base")
        assert [(each["kind"], each["name"]) for each in answer["items"]] == [("added", "new")]
        client.post("/snapshots/base/restore")
        assert client.get("/snapshots/diff", old="base") == {"items": [], "more": 0}
        client.delete("/snapshots/base")
        assert client.get("/snapshots") == []


def test_unknown_and_invalid_snapshots_are_refused_with_one_line() -> None:
    with controlled() as (_, client):
        for method, path, body, message in (
            ("POST", "/snapshots/none/restore", None, "no snapshot is named 'none'; there are no snapshots"),
            ("DELETE", "/snapshots/none", None, "no snapshot is named 'none'"),
            ("GET", "/snapshots/none/file", None, "no snapshot is named 'none'"),
            ("GET", "/snapshots/diff?old=none", None, "no snapshot is named 'none'"),
            ("PUT", "/snapshots/-a", None, "invalid name '-a'"),
            ("PUT", "/snapshots/a/file", b"hello", "the body is not a snapshot of fakeapi"),
        ):
            with pytest.raises(ControlError) as refusal:
                client.request(method, path, body)
            assert message in str(refusal.value)
            assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("written", "forged", "problem"),
    [
        ('\\"uid\\":', '\\"uix\\":', "missing required field `uid`"),
        ("/core/namespaces/default", "/core/namespaces/other", "its value is the object /default"),
        ('"created":"', '"created":"9', "of an object that was created at 9"),
        ("/core/namespaces/default", "/core/../../etc/passwd", "is not the key of an object"),
    ],
)
def test_a_forged_snapshot_is_refused_and_nothing_is_restored(
    written: str, forged: str, problem: str
) -> None:
    with controlled(frozen_at=FROZEN) as (api, client):
        client.put("/snapshots/base")
        before = client.get("/state")
        lines = urlopen(f"{api.url}/_fakeapi/snapshots/base/file").read().decode().splitlines(keepends=True)
        body = "".join(lines[:-1]).replace(written, forged).encode()
        end = json.dumps({"end": len(lines) - 2, "crc32": f"{zlib.crc32(body):08x}"}).encode()
        for name in ("base", "forged"):
            with pytest.raises(ControlError) as refusal:
                client.put(f"/snapshots/{name}/file", body + end + b"\n")
            assert refusal.value.code == 400
            assert problem in str(refusal.value)
            assert str(refusal.value).isprintable()
        assert [snapshot["name"] for snapshot in client.get("/snapshots")] == ["base"]
        assert client.get("/state") == before
        client.post("/snapshots/base/restore")
        assert client.get("/snapshots/diff", old="base") == {"items": [], "more": 0}


def test_the_commands_move_the_clock() -> None:
    with FakeAPI(frozen_at=FROZEN) as api:
        assert run(api, "clock", "show").output == f"{FROZEN} (frozen)\n"
        assert run(api, "clock", "advance", "90").output == "2026-01-31T12:01:30Z (frozen)\n"
        assert run(api, "clock", "jump", "2026-02-01T00:00:00Z").output == "2026-02-01T00:00:00Z (frozen)\n"
        assert run(api, "clock", "resume").output.endswith("(running, adjusted)\n")
        assert run(api, "clock", "freeze", "2026-03-01T00:00:00Z").output == "2026-03-01T00:00:00Z (frozen)\n"
        back = run(api, "clock", "jump", FROZEN)
        assert (back.exit_code, back.output.count("\n")) == (1, 1)


def test_the_commands_take_save_load_compare_and_restore(tmp_path: Path) -> None:
    file = str(tmp_path / "base.jsonl.gz")
    with FakeAPI(frozen_at=FROZEN) as api:
        assert run(api, "snapshot", "list").output == "The server keeps no snapshots.\n"
        assert run(api, "snapshot", "take", "base").output == f"base: 4 objects, taken at {FROZEN}\n"
        assert run(api, "snapshot", "save", "base", file).exit_code == 0
        api.create_namespace("new")
        for arguments in (["base"], [file, "now"], ["base", "now"]):
            if "now" in arguments:
                run(api, "snapshot", "take", "now")
            differing = run(api, "snapshot", "diff", *arguments)
            assert (differing.exit_code, differing.output) == (1, "added namespaces new\n")
        assert run(api, "snapshot", "load", file, "again").exit_code == 0
        assert run(api, "snapshot", "restore", "again").output == "restored again\n"
        assert run(api, "snapshot", "diff", "base").output == "No differences.\n"
        assert run(api, "snapshot", "delete", "now").output == "deleted now\n"
        lost = run(api, "snapshot", "restore", "now")
        assert (lost.exit_code, lost.output) == (
            1,
            "Error: no snapshot is named 'now'; the server has base, again\n",
        )


def test_a_command_without_a_server_ends_with_one_line() -> None:
    with FakeAPI() as api:
        url = api.url
    result = CliRunner().invoke(main, ["clock", "show", "--server", url])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert "does not answer" in result.output


def test_many_differences_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.snapshots.DIFFERENCES_MAX", 1)
    with controlled() as (api, client):
        client.put("/snapshots/base")
        for name in ("a", "b", "c"):
            api.create_namespace(name)
        answer = client.get("/snapshots/diff", old="base")
        assert (len(answer["items"]), answer["more"]) == (1, 2)
        assert run(api, "snapshot", "diff", "base").output == "added namespaces a\nand 2 more objects\n"
