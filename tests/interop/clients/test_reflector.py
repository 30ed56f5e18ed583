"""A client-go reflector recovers from faults of its lists and watches.

The reflector lists again after 410 Expired. If only the watch ends, it resumes the watch.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fakeapi import FakeAPI
from tests.interop.awaiting import AWAIT_SECONDS
from tests.interop.clients.stories import FOLDER, run, server
from tests.interop.go_programs import build, staging_version, with_staging
from tests.interop.plugin import Report
from tests.interop.toolchain import of_releases

RELEASES = of_releases(["1.33", "1.37"])
NAMES = ("a", "b", "last")
NO_TIMEOUT = "0s"
STREAMED_LIST = "KUBE_FEATURE_WatchListClient"
"""The environment variable that turns the reflector's streamed lists on or off; on by default since 1.35."""


def make(api: FakeAPI, *names: str) -> None:
    for name in names:
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def program(release: str) -> Path:
    source = (FOLDER / "go" / "reflector" / "main.go").read_text(encoding="utf-8")
    go_mod = with_staging(release, ["api", "apimachinery", "client-go"])
    return build(f"reflector-{release}", go_mod, {"main.go": source})


def row(report: Report, release: str, did: str) -> None:
    report(
        kind="client",
        name="client-go, a reflector",
        version=staging_version(release),
        release=release,
        did=did,
    )


@contextmanager
def following(
    program: Path, api: FakeAPI, timeout: str = NO_TIMEOUT, *, streamed: bool = False
) -> Iterator[None]:
    """Runs the reflector program during the block; asserts at the end that it has seen all objects.

    `timeout`: the timeout of the reflector's watches. `streamed`: whether it streams its lists.
    """
    environment = {"TIMEOUT": timeout, STREAMED_LIST: str(streamed).lower()}
    printed: list[str] = []

    def follow() -> None:
        printed.append(run([program, NAMES[-1]], api, **environment))

    client = threading.Thread(target=follow)
    client.start()
    yield
    client.join()
    assert printed == [f"{len(NAMES)}\n"]


def until_it_watches(api: FakeAPI, times: int = 1) -> None:
    end = time.monotonic() + AWAIT_SECONDS
    while len(api.requests.filter("watch configmaps")) < times:
        assert time.monotonic() < end, "the reflector has not watched"


@pytest.mark.parametrize(
    ("kind", "members", "lists"),
    [
        ("expire", {"after": 1}, 2),
        ("end_watch", {"after": 1}, 1),
        ("end_watch", {"after": 0}, 2),  # a reflector treats an immediate end as an error and lists
        ("cut_watch", {"after": 1}, 1),
        ("refuse_watch", {"code": 500}, 2),
        ("refuse_watch", {"code": 429, "retry_after": 1}, 1),
        ("gone", {}, 2),
        ("drop", {}, 1),
        ("go_away", {}, 1),
        ("hold_events", {"seconds": 1}, 1),
        ("withhold_bookmarks", {}, 1),
    ],
)
def test_a_reflector_of_client_go_goes_on_after_a_fault_of_its_watch(
    release: str, program: Path, kind: str, members: dict[str, int], lists: int, report: Report
) -> None:
    outcome = "listed again" if lists > 1 else "went on"
    shown = "".join(f", {name} {value}" for name, value in members.items())
    row(report, release, f"{outcome} after the fault {kind} of its watch{shown}")
    with server(release) as api:
        fault = getattr(api.faults, kind)("watch configmaps", times=1, **members)
        with following(program, api):
            until_it_watches(api)
            make(api, *NAMES)
        assert fault.matched >= 1
        assert len(api.requests.filter("list configmaps")) == lists


@pytest.mark.parametrize(
    ("kind", "members", "lists"),
    [
        ("gone", {}, 2),
        ("internal_error", {}, 2),
        ("unavailable", {}, 2),
        ("throttle", {"retry_after": 1}, 2),
        ("drop", {}, 2),
        ("tear", {}, 2),
        ("stall", {}, 2),
        ("wait", {"seconds": 3600}, 2),
        ("go_away", {}, 1),
    ],
)
def test_a_reflector_of_client_go_goes_on_after_a_fault_of_its_list(
    release: str, program: Path, kind: str, members: dict[str, int], lists: int, report: Report
) -> None:
    outcome = "listed again" if lists > 1 else "went on"
    timeout = "2s" if kind in ("stall", "wait") else NO_TIMEOUT
    row(
        report,
        release,
        f"{outcome} after the fault {kind} of its list{', in 2 s' if timeout == '2s' else ''}",
    )
    with server(release) as api:
        fault = getattr(api.faults, kind)("list configmaps", times=1, **members)
        make(api, *NAMES)
        with following(program, api, timeout):
            pass
        assert fault.fired == 1
        assert len(api.requests.filter("list configmaps")) == lists


def test_a_reflector_of_client_go_begins_with_a_stale_cache_and_catches_up(
    release: str, program: Path, report: Report
) -> None:
    row(report, release, "began with the stale list of the fault stale, and caught up")
    with server(release) as api:
        make(api, "a")
        fault = api.faults.stale("configmaps")
        make(api, "b", "last")
        with following(program, api):
            until_it_watches(api)
            (listed,) = api.requests.filter("list configmaps")
            fault.disarm()
        assert "resourceVersion=0" in listed.query
        api.requests.verify("list configmaps", times=1)


def test_a_reflector_of_client_go_that_streams_its_list_waits_for_the_bookmark_at_its_end(
    release: str, program: Path, report: Report
) -> None:
    row(report, release, "streamed its list again, as the fault withhold_bookmarks hid the end of the first")
    with server(release, feature_gates="WatchList=true") as api:
        make(api, *NAMES)
        api.faults.withhold_bookmarks("configmaps", times=1)
        api.faults.end_watch("configmaps", after=len(NAMES))
        with following(program, api, streamed=True):
            pass
        api.requests.verify("watch configmaps", at_least=2)
        api.requests.none("list configmaps")
