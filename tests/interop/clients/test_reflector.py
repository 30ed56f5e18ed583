"""A reflector of client-go goes on after what faults do to its watch: it lists again after 410, and resumes
where the watch merely ended.
"""

import threading

import pytest

from fakeapi import FakeAPI
from tests.interop.clients.stories import FOLDER, run, server
from tests.interop.go_programs import build, staging_version, with_staging
from tests.interop.plugin import Report

RELEASE = "1.33"


def make(api: FakeAPI, *names: str) -> None:
    for name in names:
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})


@pytest.mark.parametrize(
    ("kind", "members", "lists"),
    [
        ("expire", {"after": 1}, 2),
        ("end_watch", {"after": 1}, 1),
        ("end_watch", {"after": 0}, 2),  # a watch that ends at once is an error to it: it lists again
        ("cut_watch", {"after": 1}, 1),
        ("refuse_watch", {"code": 500}, 2),
    ],
)
def test_a_reflector_of_client_go_goes_on_after_a_fault_of_its_watch(
    kind: str, members: dict[str, int], lists: int, report: Report
) -> None:
    version = staging_version(RELEASE)
    did = f"reflector went on after the fault {kind}, {members}"
    report(kind="client", name="client-go", version=version, release=RELEASE, did=did)
    source = (FOLDER / "go" / "reflector" / "main.go").read_text(encoding="utf-8")
    go_mod = with_staging(RELEASE, ["api", "apimachinery", "client-go"])
    program = build("reflector", go_mod, {"main.go": source})
    with server(RELEASE) as api:
        fault = getattr(api.faults, kind)("watch configmaps", times=1, **members)
        printed: list[str] = []
        client = threading.Thread(target=lambda: printed.append(run([program, "last"], api)))
        client.start()
        while not len(api.requests.filter("watch configmaps")):
            pass
        make(api, "a", "b", "last")
        client.join()
        assert printed == ["3\n"]
        assert fault.fired == 1
        assert len(api.requests.filter("list configmaps")) == lists
