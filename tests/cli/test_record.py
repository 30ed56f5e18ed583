"""`fakeapi record` and `fakeapi serve --record` write traces."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.traces.formats.open import open_trace


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def recording(*arguments: Any) -> "subprocess.Popen[str]":
    """Starts a fakeapi command and returns its process.

    The command is ready after it has printed two lines.
    """
    environment = {key: value for key, value in os.environ.items() if key != "KUBECONFIG"}
    return subprocess.Popen(
        [sys.executable, "-m", "fakeapi", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def test_record_writes_its_trace_when_it_is_told_to_stop(fakeapi: FakeAPI, tmp_path: Path) -> None:
    trace, ready = tmp_path / "t.jsonl.gz", tmp_path / "ready"
    with recording("record", trace, "--kubeconfig", fakeapi.kubeconfig, "--ready-file", ready) as process:
        assert process.stdout is not None
        assert f"at {fakeapi.url}, through http://127.0.0.1:" in process.stdout.readline()
        assert process.stdout.readline().startswith("export KUBECONFIG=")
        facts = json.loads(ready.read_text())
        assert Path(facts["kubeconfig"]).exists()
        with urllib.request.urlopen(f"{facts['url']}/api/v1/namespaces") as response:
            assert response.status == 200
        assert not trace.exists()
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == f"Wrote 1 exchange to {trace}\n"
    assert process.returncode == 0
    assert not Path(facts["kubeconfig"]).exists()
    assert run("trace", "validate", trace).exit_code == 0


def test_serve_records_its_traffic(tmp_path: Path) -> None:
    trace, ready = tmp_path / "t.jsonl", tmp_path / "ready"
    with recording("serve", "--port", 0, "--record", trace, "--ready-file", ready) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        with urllib.request.urlopen(f"{json.loads(ready.read_text())['url']}/version") as response:
            assert response.status == 200
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read().endswith(f"\nWrote 1 exchange to {trace}\n")
    assert process.returncode == 0
    with open_trace(trace) as reader:
        assert [exchange.request.target for exchange in reader] == ["/version"]


RECORDERS = [("serve", "--port", "0", "--record"), ("record", "--upstream", "http://127.0.0.1:1")]


@pytest.mark.parametrize("command", RECORDERS)
def test_a_command_does_not_replace_a_recording_without_replace_recording(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text("earlier")
    done = run(*command, trace)
    assert (done.exit_code, "set --replace-recording to replace it" in done.output) == (1, True)
    assert trace.read_text() == "earlier"


def test_serve_replaces_a_recording_with_replace_recording(tmp_path: Path) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text("earlier")
    with recording("serve", "--port", 0, "--record", trace, "--replace-recording") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read().endswith(f"\nWrote 0 exchanges to {trace}\n")
    assert run("trace", "validate", trace).exit_code == 0


@pytest.mark.parametrize("command", RECORDERS)
def test_a_recording_with_another_suffix_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(*command, tmp_path / "t.har", "--replace-recording")
    assert done.exit_code == 1
    assert ".jsonl" in done.output
    assert "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_serve_that_cannot_record_says_so(tmp_path: Path) -> None:
    done = run("serve", "--port", 0, "--record", tmp_path / "no" / "t.jsonl")
    assert (done.exit_code, "cannot be written: No such file or directory" in done.output) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        ((), 2, "Set --server URL or --kubeconfig FILE."),
        (("--server", "x"), 1, "is not the URL of a server"),
        (("--server", "http://127.0.0.1:1", "--kubeconfig", "x"), 2, "not both"),
        (("--server", "http://127.0.0.1:1", "--host", "0.0.0.0"), 2, "others could use the cluster"),
        (("--server", "http://127.0.0.1:1"), 1, "cannot be reached: Connect"),
        (("--kubeconfig", "/none"), 1, "cannot read /none"),
    ],
)
def test_record_that_cannot_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, problem: str
) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    done = run("record", tmp_path / "t.jsonl", *arguments)
    assert done.exit_code == status
    assert problem in done.output
    assert "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_record_without_its_extra_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    done = run("record", tmp_path / "t.jsonl", "--server", "http://127.0.0.1:1")
    assert (done.exit_code, "pip install 'fakeapi-k8s[record]'" in done.output) == (1, True)


def test_the_variable_with_the_old_name_of_the_server_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKEAPI_RECORD_UPSTREAM", "not a URL")
    done = run("record", tmp_path / "t.jsonl")
    assert done.exit_code == 1
    assert "not a URL" in done.output
