"""`fakeapi top` prints live figures of a server, continuously in a terminal or as one frame."""

import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from fakeapi import FakeAPI, StatusError
from fakeapi.cli.main import main
from fakeapi.cli.top import as_text
from fakeapi.clients.control import ControlClient
from fakeapi.releases import KNOWN_RELEASES


def group(kind: str, what: str, number: int, name: str, reason: str) -> dict[str, object]:
    place = {"namespace": "team-a", "name": name}
    return {"kind": kind, "what": what, "number": number, "reason": reason, **place}


FIGURES = {
    "version": "1.0",
    "release": "1.33",
    "now": 0.0,
    "resourceVersion": "7",
    "last": 40,
    "uncounted": 20,
    "requests": [
        {"verb": "create", "code": 201, "requests": 10},
        {"verb": "create", "code": 409, "requests": 5},
        {"verb": "get", "code": 200, "requests": 4},
        {"verb": "get", "code": 0, "requests": 1},
    ],
    "latency": {"p50": 0.0012, "p99": 0.03, "requests": 20},
    "watches": 3,
    "behind": 2,
    "kinds": [{"resource": f"kind{n}", "group": "a.b" if n else "", "objects": 100 - n} for n in range(20)],
    "faults": [{"name": f"fault-{n}", "matched": 1, "fired": n} for n in range(12)],
    "memoryBytes": 42_000_000,
    "agents": [
        {"agent": "kubectl", "requests": 6, "failed": 2},
        {"agent": "driver", "requests": 4, "failed": 0},
    ],
    "claims": {"prepared": 30, "pending": 3},
    "drivers": [
        {
            "driver": "gpu.example.com",
            "devices": 96,
            "free": 60,
            "freeUnschedulable": 8,
            "inUse": 36,
            "allocated": 4,
            "reserved": 2,
            "prepared": 30,
            "tainted": 2,
            "unhealthy": 1,
        }
    ],
    "attention": {
        "pods": 6,
        "crashing": 1,
        "workloads": {"Deployment": 1},
        "unusedClaims": 2,
        "deletingPods": 0,
        "deletingClaims": 1,
        "deletingNamespaces": 0,
    },
    "waiting": [
        group("pod", "Pod", 6, "train", "0/12 nodes are available"),
        group("crashing", "Pod", 1, "gnu", "container a: exit code 3"),
        group("workload", "Deployment", 1, "web", "2 of 3 pods are missing"),
        group("deleting", "ResourceClaim", 1, "gpu", ""),
    ],
    "waitingMore": 4,
}
FRAME = """\
fakeapi 1.0  1970-01-01 00:00:00Z  resourceVersion 7  memory 42 MB
Kubernetes 1.33
20.0 requests/s  p50 1.2 ms  p99 30.0 ms  3 open watches, the slowest 2 behind  (the table shows the
last 20)

VERB    no answer    200    201    409
create                    5.0/s  2.5/s
get         0.5/s  2.0/s
"""


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as api:
        yield api


def test_a_frame_has_rates_by_verb_and_code_latency_objects_and_faults() -> None:
    text = as_text(FIGURES, 2.0)
    compact = [re.sub(" +", " ", line) for line in text.splitlines()]
    for line in FRAME.splitlines()[:4]:
        assert re.sub(" +", " ", line) in compact
    assert re.search(r"create +5\.0/s +2\.5/s", text)
    assert re.search(r"get +0\.5/s +2\.0/s", text)
    assert re.search(r"kind0 +100", text)
    assert re.search(r"5 other kinds +415", text)
    assert "and 2 more" in text


def test_the_head_of_a_frame_fits_in_80_columns_and_names_the_newest_release() -> None:
    figures = FIGURES | {"version": "10.20.30", "release": "", "resourceVersion": "123456789"}
    head = as_text(figures, 2.0).splitlines()[:2]
    assert head[1].startswith(f"Kubernetes {KNOWN_RELEASES[-1]} (resource.k8s.io/v1alpha3 as in 1.33, ")
    assert max(map(len, head)) <= 80


def test_a_frame_has_claims_devices_agents_and_what_waits() -> None:
    text = as_text(FIGURES, 2.0)
    assert re.search(r"kubectl +3\.0/s +1\.0/s", text)
    assert re.search(r"pending +3\b", text)
    assert text.index("pending") < text.index("prepared")
    assert re.search(r"gpu\.example\.com +36 +60 +8 +2 +1\b", text)
    assert "6 pods are pending, 1 pod crashes, 1 Deployment lacks pods, 2 claims without a pod are" in text
    assert re.search(r"6 pods, such as team-a/train +0/12 nodes are available", text)
    assert re.search(r"crashing pod team-a/gnu +container a: exit code 3", text)
    assert re.search(r"Deployment team-a/web +2 of 3 pods are missing", text)
    assert re.search(r"deleted claim team-a/gpu +no reason is written yet", text)
    assert "and 4 more" in text


def test_figures_have_claims_devices_agents_and_what_waits(api: FakeAPI) -> None:
    version = "resource.k8s.io/v1beta1"
    pool = {"name": "pool", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "d.example.com", "nodeName": "n", "pool": pool, "devices": [{"name": "a", "basic": {}}]}
    api.create({"apiVersion": version, "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": spec})
    requests = {"devices": {"requests": [{"name": "a", "deviceClassName": "gpu"}]}}
    api.create(
        {"apiVersion": version, "kind": "ResourceClaim", "metadata": {"name": "gpu"}, "spec": requests}
    )
    api.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "train"},
            "spec": {"containers": [{"name": "a", "image": "a"}]},
        }
    )
    with ControlClient(api.url) as client:
        figures = client.get("/figures")
    assert figures["claims"] == {"pending": 1}
    assert [(each["driver"], each["free"]) for each in figures["drivers"]] == [("d.example.com", 1)]
    assert [(each["kind"], each["name"]) for each in figures["waiting"]] == [
        ("pod", "train"),
        ("claim", "gpu"),
    ]
    assert (figures["agents"][0]["agent"], figures["waitingMore"]) == ("fakeapi", 0)


def test_the_agents_over_the_limit_are_counted_together(
    api: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.control.handlers.figures.AGENTS_MAX", 0)
    monkeypatch.setattr("fakeapi.control.handlers.figures.WAITING_MAX", 0)
    api.create_namespace("one")
    with ControlClient(api.url) as client:
        (agent,) = client.get("/figures")["agents"]
    assert agent["agent"] == "others"
    assert agent["requests"] > 0


def test_figures_count_the_requests_after_a_number(api: FakeAPI) -> None:
    with ControlClient(api.url) as client:
        first = client.get("/figures")
        api.create_namespace("one")
        with pytest.raises(StatusError):
            api.create_namespace("one")
        answer = client.get("/figures", after=first["last"])
        counts = {(each["verb"], each["code"]): each["requests"] for each in answer["requests"]}
        assert (counts["create", 201], counts["create", 409]) == (1, 1)
        assert answer["last"] - first["last"] == sum(counts.values()) == answer["latency"]["requests"]
        assert 0 < answer["latency"]["p50"] <= answer["latency"]["p99"]
        assert {each["resource"]: each["objects"] for each in answer["kinds"]}["namespaces"] == 5
        assert answer["memoryBytes"] > 1_000_000
        assert client.get("/figures", after=10_000)["requests"] == client.get("/figures")["requests"]


def test_figures_tell_armed_faults_and_open_watches(api: FakeAPI) -> None:
    api.faults.conflict("configmaps", called="mine")
    with ControlClient(api.url) as client, client.events("/events"):
        assert client.get("/figures")["faults"] == [{"name": "mine", "matched": 0, "fired": 0}]
        assert client.get("/figures")["watches"] == 0


@pytest.mark.parametrize("arguments", [("--once",), ()])
def test_one_frame_is_printed_where_it_is_asked_for_or_no_terminal_is(
    api: FakeAPI, arguments: tuple[str, ...]
) -> None:
    result = CliRunner().invoke(main, ["top", "--server", api.url, "--interval", "0.1", *arguments])
    assert result.exit_code == 0
    assert result.output.startswith("fakeapi ")
    assert "0.0 requests/s" in result.output
    assert "\x1b" not in result.output


def test_a_server_that_is_not_there_is_one_line() -> None:
    result = CliRunner().invoke(main, ["top", "--server", "http://127.0.0.1:1"])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)


@pytest.mark.parametrize("how", ["q", "interrupt"])
def test_a_terminal_is_drawn_on_until_q_or_an_interrupt_and_is_then_as_it_was(api: FakeAPI, how: str) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    command = [sys.executable, "-m", "fakeapi", "top", "--server", api.url, "--interval", "0.1"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    seen = b""
    while seen.count(b"requests/s") < 3:
        seen += os.read(ours, 1 << 16)
    if how == "q":
        os.write(ours, b"q")
    else:
        process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert termios.tcgetattr(theirs) == before
    os.close(theirs)
    while b"\x1b[?1049l" not in seen:  # until the terminal leaves the alternate screen
        seen += os.read(ours, 1 << 16)
    os.close(ours)
