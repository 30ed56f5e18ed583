"""Correct uses of the Python API. mypy --strict accepts this file; `test_typing.py` checks it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fakeapi import (
    FakeAPI,
    FakeAPIError,
    FakeAPIFactory,
    Fault,
    FaultsUnfired,
    PatternError,
    ReplayFunction,
    RuleError,
    StartError,
    StatusError,
    VerificationFailed,
    WaitTimeout,
    WatchEvent,
)

CLAIM: dict[str, Any] = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}


def options() -> None:
    FakeAPI()
    FakeAPI(release="1.34", feature_gates={"DRAAdminAccess": True}, controllers=["scheduler"], seed=7)
    FakeAPI(authorization="rbac", tls=True, frozen_at="2026-01-01T00:00:00Z", strict_faults=True)


def objects(api: FakeAPI) -> None:
    created: dict[str, Any] = api.create(CLAIM, namespace="team", fieldManager="me", dryRun="All")
    api.create(Path("claim.yaml"))
    api.create("claim.yaml", fieldValidation="Strict")
    many: list[dict[str, Any]] = api.create_all([CLAIM, CLAIM])
    api.get("ResourceClaim", "gpu", namespace="team", api_version="resource.k8s.io/v1")
    api.list("Pod", namespace="team", label_selector="app=a", field_selector="spec.nodeName=n")
    api.update(created, subresource="status")
    api.update_status(many[0])
    api.patch("Pod", "a", {"spec": None}, type="json", subresource="status", force=True, fieldManager="me")
    api.delete("Pod", "a", options={"gracePeriodSeconds": 0})
    api.delete(created)
    api.request("GET", "/version", query={"timeout": "1s"})


def waiting(api: FakeAPI) -> None:
    obj: dict[str, Any] = api.wait_for("Pod", "a", until="Ready", within=2)
    api.wait_for("Pod", "a", until=".status.phase=Running", namespace="team")
    api.wait_for("Pod", "a", until=lambda pod: pod["status"]["phase"] == "Running")
    api.wait_for("Pod", "a", gone=True)
    events: Iterator[WatchEvent] = api.watch("Pod", count=3, name="a")
    for event in events:
        name: str = event.name
        assert name in (event.type, obj, *event.object)
    with api.watch("Pod", label_selector="app=a") as watch:
        next(watch)
    number: int = api.eventually(lambda: len(api.list("Pod")), within=1)
    assert number


def requests(api: FakeAPI) -> None:
    first = api.requests.verify("update pods/status", times=2, within=5, agent="driver/*")[0]
    code: int = first.code
    api.requests.verify("create pods", "delete pods", code=200, user="me")
    api.requests.none("delete", namespace="team")
    api.requests.filter("write", group="").filter(code=code).text(5)
    api.requests.clear()


def faults(api: FakeAPI) -> None:
    fault: Fault = api.faults.conflict("resourceclaims/status", times=3, called="mine")
    with api.faults.refuse("pods", code=500, reason="Internal", first=2, every=3):
        fired: int = fault.fired
        assert fired
    api.faults.wait("get pods", seconds=1.5, spread=0.5, probability=0.5, seed=1)
    api.faults.invalid("pods", field="spec.nodeName", message="no")
    api.faults.expire("configmaps", after=2)
    api.faults.arm("faults.yaml")
    api.faults.arm({"conflict": "pods"})
    api.faults.disarm("mine")
    api.faults.verify()


def fixtures(fakeapi_factory: FakeAPIFactory, fakeapi_replay: ReplayFunction) -> None:
    server: FakeAPI = fakeapi_factory(release="1.30", controllers="all")
    report = fakeapi_replay("trace.jsonl.gz", release="1.31", order="fast", ignore=["metadata.labels"])
    assert server.url or report.ok
    server.replay("trace.jsonl.gz", strict=True)


def errors() -> list[type[FakeAPIError]]:
    return [
        FaultsUnfired, PatternError, RuleError, StartError, StatusError, VerificationFailed, WaitTimeout,
    ]  # fmt: skip
