"""A reflector of client-go goes on after what faults do to its lists and watches: it lists again after 410,
and resumes where the watch merely ended.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.interop.clients.stories import FOLDER, run, server
from tests.interop.go_programs import build, staging_version, with_staging
from tests.interop.plugin import Report

RELEASE = "1.33"
NAMES = ("a", "b", "last")
NO_TIMEOUT = "0s"


def make(api: FakeAPI, *names: str) -> None:
    for name in names:
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})


@pytest.fixture
def program() -> Path:
    source = (FOLDER / "go" / "reflector" / "main.go").read_text(encoding="utf-8")
    return build(
        "reflector", with_staging(RELEASE, ["api", "apimachinery", "client-go"]), {"main.go": source}
    )


def row(report: Report, did: str) -> None:
    report(
        kind="client",
        name="client-go, a reflector",
        version=staging_version(RELEASE),
        release=RELEASE,
        did=did,
    )


@contextmanager
def following(program: Path, api: FakeAPI, timeout: str = NO_TIMEOUT, **environment: str) -> Iterator[None]:
    """Runs the reflector meanwhile, and asserts that it has seen all in the end."""
    printed: list[str] = []

    def follow() -> None:
        printed.append(run([program, NAMES[-1]], api, TIMEOUT=timeout, **environment))

    client = threading.Thread(target=follow)
    client.start()
    yield
    client.join()
    assert printed == [f"{len(NAMES)}\n"]


def until_it_watches(api: FakeAPI, times: int = 1) -> None:
    while len(api.requests.filter("watch configmaps")) < times:
        pass


@pytest.mark.parametrize(
    ("kind", "members", "lists"),
    [
        ("expire", {"after": 1}, 2),
        ("end_watch", {"after": 1}, 1),
        ("end_watch", {"after": 0}, 2),  # a watch that ends at once is an error to it: it lists again
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
    program: Path, kind: str, members: dict[str, int], lists: int, report: Report
) -> None:
    outcome = "listed again" if lists > 1 else "went on"
    shown = "".join(f", {name} {value}" for name, value in members.items())
    row(report, f"{outcome} after the fault {kind} of its watch{shown}")
    with server(RELEASE) as api:
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
    program: Path, kind: str, members: dict[str, int], lists: int, report: Report
) -> None:
    outcome = "listed again" if lists > 1 else "went on"
    timeout = "2s" if kind in ("stall", "wait") else NO_TIMEOUT
    row(report, f"{outcome} after the fault {kind} of its list{', in 2 s' if timeout == '2s' else ''}")
    with server(RELEASE) as api:
        fault = getattr(api.faults, kind)("list configmaps", times=1, **members)
        make(api, *NAMES)
        with following(program, api, timeout):
            pass
        assert fault.fired == 1
        assert len(api.requests.filter("list configmaps")) == lists


def test_a_reflector_of_client_go_begins_with_a_stale_cache_and_catches_up(
    program: Path, report: Report
) -> None:
    row(report, "began with the stale list of the fault stale, and caught up")
    with server(RELEASE) as api:
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
    program: Path, report: Report
) -> None:
    row(report, "streamed its list again, as the fault withhold_bookmarks hid the end of the first")
    with server(RELEASE, feature_gates="WatchList=true") as api:
        make(api, *NAMES)
        api.faults.withhold_bookmarks("configmaps", times=1)
        api.faults.end_watch("configmaps", after=len(NAMES))
        environment: dict[str, Any] = {"KUBE_FEATURE_WatchListClient": "true"}
        with following(program, api, **environment):
            pass
        api.requests.verify("watch configmaps", at_least=2)
        api.requests.none("list configmaps")
