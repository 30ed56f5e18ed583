"""Runs the command `fakeapi` as a process: start, options, environment variables and errors."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from click.testing import CliRunner

from fakeapi import FakeAPI, __version__
from fakeapi.cli import themes
from fakeapi.cli.main import main
from fakeapi.releases import KNOWN_RELEASES
from fakeapi.testing.client import Client


def command(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "fakeapi", *arguments],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **environment},
    )  # fmt: skip


@contextlib.contextmanager
def serving(
    directory: Path, *arguments: str, **environment: str
) -> Iterator[tuple[dict[str, Any], "subprocess.Popen[str]"]]:
    """Runs `fakeapi serve`; yields the content of its ready file, and the process.

    `arguments`: options of the command. `environment`: additional environment variables.
    """
    ready = directory / "ready.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "fakeapi", "serve", "--ready-file", str(ready), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={"FAKEAPI_PORT": "0", **os.environ, **environment},
    )  # fmt: skip
    with process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline().startswith("Serving "), process.stderr.read()
            yield json.loads(ready.read_text()), process
        finally:
            process.kill()


def test_help_and_version_are_quick_to_load() -> None:
    assert command("--version").stdout == f"fakeapi {__version__}\n"
    assert "--feature-gates" in command("serve", "--help").stdout
    program = (
        "import sys; from fakeapi.cli.main import main\n"
        "try: main(['serve', '--help'])\n"
        "finally: print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"starlette", "sqlalchemy", "hypercorn", "yaml", "msgspec", "asyncio"}.isdisjoint(loaded)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_says_where_it_is_and_stops_at_once_with_a_watch_open(
    tmp_path: Path, number: signal.Signals
) -> None:
    with serving(tmp_path, "--grace", "600") as (facts, process):
        port = int(facts["url"].rpartition(":")[2])
        config = yaml.safe_load(Path(facts["kubeconfig"]).read_text())
        assert config["clusters"][0]["cluster"]["server"] == facts["url"]
        assert facts["pid"] == process.pid
        watch = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        watch.request("GET", "/api/v1/namespaces?watch=true")
        response = watch.getresponse()
        assert json.loads(response.readline())["type"] == "ADDED"
        process.send_signal(number)
        assert process.wait(50) == 0, "the watch was not waited for, which would take the grace"
        response.read()
        watch.close()
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read() == (
            f"export KUBECONFIG={facts['kubeconfig']}\nLive page: {facts['url']}/_fakeapi/ui/\n"
            "Objects: in memory; --db FILE keeps them\n"
            "Controllers: none, so pods stay Pending; --controllers all runs them\n"
        )
        assert process.stderr.read() == ""
        assert not Path(facts["kubeconfig"]).exists()


def test_the_first_line_says_what_is_served_and_where(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "fakeapi", "serve", "--port", "0", "--release", "1.31"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert re.match(r"Serving Kubernetes 1\.31 at http://127\.0\.0\.1:\d+\n", process.stdout.readline())
        process.terminate()
        assert process.wait(10) == 0


def test_the_first_line_without_a_release_says_how_to_choose_one_and_the_demo_what_to_look_at() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "fakeapi", "serve", "--port", "0", "--demo"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert re.match(rf"Serving Kubernetes {KNOWN_RELEASES[-1]} \(.*\) at http://127", first)
        assert first.endswith("; --release chooses one\n")
        [url] = re.findall(r"http://127\.0\.0\.1:\d+", first)
        command = f"fakeapi explain pod demo/too-large --server {url}\n"
        assert any(line.endswith(command) for line in process.stdout)
        process.terminate()
        assert process.wait(30) == 0


def test_the_event_loop_of_serve_waits_half_a_millisecond_for_a_busy_thread() -> None:
    program = (
        "import atexit, sys; from fakeapi.cli.main import main;"
        "atexit.register(lambda: print(sys.getswitchinterval())); main(['serve', '--port', '0'])"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Serving ")
        process.terminate()
        assert process.stdout.read().splitlines()[-1] == "0.0005"


def test_every_option_is_an_environment_variable(tmp_path: Path) -> None:
    environment = {
        "FAKEAPI_RELEASE": "1.31",
        "FAKEAPI_FEATURE_GATES": "DRAControlPlaneController=true",
        "FAKEAPI_DB": str(tmp_path / "state.db"),
        "FAKEAPI_DURABILITY": "full",
        "FAKEAPI_KUBECONFIG": str(tmp_path / "config"),
        "FAKEAPI_TLS": "true",
        "FAKEAPI_TOKEN": "secret",
        "FAKEAPI_ADVERTISE_URL": "https://localhost:1234",
    }
    with serving(tmp_path, **environment) as (facts, process):
        assert facts["url"].startswith("https://127.0.0.1:")
        assert facts["kubeconfig"] == str(tmp_path / "config")
        assert (tmp_path / "state.db.tls" / "ca.pem").read_bytes() == Path(facts["ca_file"]).read_bytes()
        config = yaml.safe_load((tmp_path / "config").read_text())
        assert config["clusters"][0]["cluster"]["server"] == "https://localhost:1234"
        assert config["users"][0]["user"]["token"] == "secret"
        process.terminate()
        process.wait(10)
    assert (tmp_path / "config").exists()


def test_an_empty_environment_variable_is_none(tmp_path: Path) -> None:
    with serving(tmp_path, FAKEAPI_RELEASE="", FAKEAPI_TOKEN="", FAKEAPI_FEATURE_GATES="") as (facts, _):
        client = Client(facts["url"])
        assert client.request("GET", "/version")["minor"] == KNOWN_RELEASES[-1].partition(".")[2]
        client.close()


def test_what_was_stored_is_there_after_a_kill(tmp_path: Path) -> None:
    database = str(tmp_path / "state.db")
    with serving(tmp_path, "--db", database) as (facts, process):
        client = Client(facts["url"])
        client.create_namespace("kept")
        client.close()
        process.kill()
        process.wait(10)
    with serving(tmp_path, "--db", database) as (facts, _):
        client = Client(facts["url"])
        assert client.get("Namespace", "kept")["metadata"]["name"] == "kept"
        client.close()


@pytest.mark.parametrize(("options", "notes"), [((), 1), (("--tls",), 0)])
def test_a_token_without_tls_is_a_note_at_the_start(
    tmp_path: Path, options: tuple[str, ...], notes: int
) -> None:
    with serving(tmp_path, "--token", "secret", *options) as (_, process):
        process.terminate()
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read().count("send no token over plain HTTP") == notes


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
def test_other_addresses_than_loopback_need_a_token_or_a_word(host: str) -> None:
    result = CliRunner().invoke(main, ["serve", "--host", host])
    assert result.exit_code == 2
    assert f"{host} is not a loopback address" in result.output
    assert "--token" in result.output
    assert "--allow-anonymous" in result.output


@pytest.mark.parametrize("word", [("--allow-anonymous",), ("--token", "secret")])
def test_with_either_it_listens_there(tmp_path: Path, word: tuple[str, ...]) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", *word) as (facts, _):
        assert facts["url"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--release", "1.99"], ["1.99", "1.27", "1.33"]),
        (["--feature-gates", "NoSuchGate=true"], ["NoSuchGate", "DRAAdminAccess"]),
        (["--feature-gates", "DRAAdminAccess"], ["DRAAdminAccess"]),
        (["--feature-gates", "DRAAdminAccess=maybe"], ["DRAAdminAccess", "maybe"]),
        (["--port", "70000"], ["70000"]),
        (["--history", "0"], ["0"]),
        (["--durability", "some"], ["some", "normal", "full"]),
    ],
)
def test_options_that_make_no_sense_are_refused_with_what_would(
    arguments: list[str], words: list[str]
) -> None:
    result = command("serve", *arguments)
    assert result.returncode == 2
    assert all(word in result.stderr for word in words)
    assert "Traceback" not in result.stderr


def test_what_the_machine_refuses_is_one_line(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    foreign.write_text("some text that is no database at all, and long enough to be looked at " * 10)
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        refused = [
            (
                ["--port", port],
                f"Error: cannot listen on 127.0.0.1 port {port}: Address already in use; --port chooses ",
            ),
            (
                ["--port", "0", "--kubeconfig", "/proc/none/config"],
                "Error: cannot write the kubeconfig /proc/none/config: ",
            ),
            (
                ["--port", "0", "--ready-file", "/proc/none/ready"],
                "Error: cannot write the ready file /proc/none/ready: ",
            ),
            (["--port", "0", "--db", str(foreign)], f"Error: cannot start: {foreign}: "),
            (["--port", "0", "--db", "/proc/none/state.db"], "Error: cannot start: /proc/none/state.db: "),
            (["--port", "0", "--tls", "--db", "/proc/none/state.db"], "Error: cannot create certificates: "),
        ]
        for arguments, expected in refused:
            result = command("serve", *arguments)
            assert result.returncode == 1, arguments
            assert result.stderr.startswith(expected)
            assert result.stderr.count("\n") == 1


def test_releases_lists_what_can_be_served() -> None:
    lines = command("releases").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(KNOWN_RELEASES)
    assert lines[3].split()[1:] == ["v1.30.14", "resource.k8s.io/v1alpha2"]


def test_serve_removes_its_ready_file_when_it_stops_and_leaves_that_of_another_server(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    with serving(tmp_path) as (facts, process):
        process.terminate()
        assert process.wait() == 0
        assert not ready.exists()
    with serving(tmp_path) as (_, process):
        others = {**facts, "pid": os.getpid()}
        ready.write_text(json.dumps(others))
        process.terminate()
        assert process.wait() == 0
        assert json.loads(ready.read_text()) == others


def test_serve_removes_the_ready_file_of_a_server_that_was_killed(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    with serving(tmp_path) as (_, process):
        process.kill()
        process.wait()
    assert ready.exists()
    assert command("serve", "--release", "9", "--ready-file", str(ready)).returncode == 2
    assert not ready.exists()


def test_healthcheck_says_whether_a_server_is_ready() -> None:
    with FakeAPI() as api:
        assert command("healthcheck", FAKEAPI_PORT=str(api.port), FAKEAPI_HOST="0.0.0.0").returncode == 0
        port = str(api.port)
    result = command("healthcheck", "--port", port)
    assert result.returncode == 1
    assert "does not answer" in result.stderr


def test_healthcheck_needs_neither_the_token_nor_the_ca() -> None:
    with FakeAPI(tls=True, token="secret") as api:
        result = CliRunner().invoke(main, ["healthcheck", "--tls", "--port", str(api.port)])
        assert (result.exit_code, result.output) == (0, "ok\n")
        plain = CliRunner().invoke(main, ["healthcheck", "--port", str(api.port)])
        assert plain.exit_code == 1
        assert plain.output.endswith("; with HTTPS, add --tls\n")


def test_a_server_ends_with_its_parent_if_asked(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    command = [sys.executable, "-m", "fakeapi", "serve", "--port", "0", "--end-with-parent"]
    program = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]);time.sleep(60)"
    arguments = [sys.executable, "-c", program, *command, "--ready-file", str(ready)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as parent:
        end = time.monotonic() + 30
        while not ready.exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        parent.kill()
    port = urlsplit(json.loads(ready.read_text())["url"]).port
    assert port is not None
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            break
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_process_ends_if_its_parent_ended_before_it_looked() -> None:
    program = "import os; from fakeapi.envtest.parent import end_with_parent; end_with_parent(os.getpid())"
    done = subprocess.run([sys.executable, "-c", f"{program}; import time; time.sleep(60)"], check=False)
    assert done.returncode == -signal.SIGTERM


def test_the_help_of_serve_has_themes_and_one_default_for_each_option() -> None:
    text = command("serve", "--help").stdout
    assert [theme for theme in themes.THEMES if f"\n{theme}:\n" not in text] == []
    options = re.split(r"\n  (?=-)", text)[1:]
    assert [option for option in options if option.count("[default") > 1 or "<=x" in option] == []
    assert "[default: 10000; at least 1]" in " ".join(text.split())


def test_serve_logs_the_requests_of_clients_and_not_those_of_its_controllers(tmp_path: Path) -> None:
    with serving(tmp_path, "--log", "--controllers", "namespace,garbagecollector") as (facts, process):
        client = Client(facts["url"])
        client.create_namespace("team")
        client.close()
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        logged = next(line for line in lines if line.startswith("#"))
        assert re.search(r"create  namespaces team  201 .* by fakeapi", logged)
        assert "kubernetes/fakeapi" not in logged


def test_a_log_needs_the_journal() -> None:
    result = command("serve", "--log", "--journal", "off")
    assert result.returncode == 2
    assert "--log needs the journal" in result.stderr


def test_an_empty_list_of_faults_is_said() -> None:
    with FakeAPI() as api:
        assert command("faults", "list", "--server", api.url).stdout == "No fault is armed.\n"


def test_the_kubeconfig_that_serve_prints_is_an_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(tmp_path, "--kubeconfig", "config") as (facts, process):
        assert facts["kubeconfig"] == str(tmp_path / "config")
        assert process.stdout is not None
        assert process.stdout.readline() == f"export KUBECONFIG={tmp_path / 'config'}\n"


def test_a_misspelled_variable_is_a_warning_with_the_variable_that_was_meant(tmp_path: Path) -> None:
    variables = {"FAKEAPI_RELEAS": "1.31", "FAKEAPI_OF_ANOTHER_PROGRAM": "1", "FAKEAPI_SERVER": "http://x"}
    result = command("serve", "--port", "0", "--db", str(tmp_path / "none" / "state.db"), **variables)
    first, second = result.stderr.splitlines()
    assert first == "Warning: the variable FAKEAPI_RELEAS is ignored; did you mean FAKEAPI_RELEASE?"
    assert second.startswith("Error: ")


def test_serve_says_how_many_objects_its_database_has(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    with serving(tmp_path, "--db", str(database)) as (facts, process):
        Client(facts["url"]).create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}})
        before = _objects_line(process)
    with serving(tmp_path, "--db", str(database)) as (_, process):
        after = _objects_line(process)
    match = re.fullmatch(r"Objects: (\d+) in (.*), which keeps them\n", before)
    assert match is not None
    assert match[2] == str(database)
    assert after == before.replace(match[1], str(int(match[1]) + 1), 1)


def test_serve_says_that_other_machines_can_reach_a_wildcard_address(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", "--token", "secret") as (facts, process):
        assert process.stdout is not None
        line = process.stdout.readline()
    port = urlsplit(facts["url"]).port
    assert line == f"Other machines: port {port} of every address of this machine (0.0.0.0)\n"


def _objects_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return next(line for line in process.stdout if line.startswith("Objects: "))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explian"], "No such command 'explian'. Did you mean 'explain'?"),
        (["serve", "--relase", "1.34"], "No such option '--relase'. Did you mean '--release'?"),
        (["serve", "--controllers", "schedular"], "unknown controller schedular; did you mean scheduler?"),
        (["serve", "--driver", "nvida-gpu"], "did you mean nvidia-gpu?"),
        (["serve", "--release", "v1.34.1"], "unknown Kubernetes release 'v1.34.1'; write 1.34; known are: "),
        (["serve", "--port", "80x"], "Invalid value for '--port': '80x' is not a valid integer."),
        (["serve", "--at", "soon"], "Invalid value for '--at': 'soon' is not a valid number."),
        (["serve", "--frozen-at", "yesterday"], "--frozen-at: 'yesterday' is not a time such as "),
        (["serve", "--token", ""], "--token: the token is empty"),
        (
            ["serve", "--advertise-url", "ci:8443"],
            "--advertise-url: 'ci:8443' does not begin with http:// or https://",
        ),
    ],
)
def test_a_mistake_is_named_with_the_right_form(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_a_repeated_option_is_a_warning() -> None:
    twice = ["--release", "1.34", "--release", "1.3", "--driver", "a", "--driver", "b"]
    result = CliRunner().invoke(main, ["serve", *twice])
    warnings = [line for line in result.output.splitlines() if line.startswith("Warning: --")]
    assert warnings == ["Warning: --release is set 2 times; only the last value counts"]


def test_the_start_says_that_requests_are_delayed(tmp_path: Path) -> None:
    with serving(tmp_path, "--latency", "10ms") as (_, process):
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(5)]
    assert "Latency: the server delays every request by 0.01 s (--latency)\n" in lines
    assert "A number without a unit is in seconds" in " ".join(command("serve", "--help").stdout.split())
