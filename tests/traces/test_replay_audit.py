"""Kubernetes' own audit logs can be replayed against the release that wrote them."""

import gzip
import json
from pathlib import Path
from typing import Literal

import pytest

import fakeapi

LOGS = sorted((Path(__file__).parents[2] / "fixtures" / "traces").glob("audit-*.jsonl.gz"))
names = pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name.removesuffix(".jsonl.gz"))


def test_there_are_logs_of_several_releases() -> None:
    assert len(LOGS) >= 6


@names
def test_an_audit_log_replays_against_its_release_without_an_unexplained_divergence(log: Path) -> None:
    report = fakeapi.replay(log)
    assert not report.unexplained, report
    assert report.release in log.name
    assert report.same >= 11
    assert report.replayed + report.unserved.total() == report.exchanges


@names
def test_every_request_of_an_audit_log_is_served(log: Path) -> None:
    report = fakeapi.replay(log, strict=True)
    assert report.unserved.total() == 0
    assert report.replayed == report.exchanges
    assert not report.unexplained, report
    assert not any(each.kind == "status code" for found in report.divergences for each in found.differences)


@names
def test_replaying_an_audit_log_twice_gives_the_same_report(log: Path) -> None:
    first, second = fakeapi.replay(log), fakeapi.replay(log)
    assert first.to_dict() == second.to_dict()


@pytest.mark.parametrize("order", ["actors", "fast"])
@names
def test_audit_logs_replay_in_the_other_orders_too(log: Path, order: Literal["actors", "fast"]) -> None:
    report = fakeapi.replay(log, order=order)
    assert not report.unexplained, report


def test_conflicts_recur_in_the_order_of_versions_though_the_log_is_in_another() -> None:
    # nvidia's controller and the resourceclaim controller raced for one claim, with two 409, two 422, and a
    # DELETE whose response came after a later write was committed.
    report = fakeapi.replay(next(log for log in LOGS if "nvidia" in log.name and "1.29" in log.name))
    assert report.reordered > 0
    assert not report.divergent
    statuses = {name: found for name, found in report.groups.items() if name.startswith("update")}
    assert statuses["update resourceclaims/status"]["same"] == 7


def test_another_release_than_the_logs_own_diverges_where_the_releases_do() -> None:
    # Up to 1.27, server-side apply treated `potentialNodes` as a set; 1.29 treats it as atomic.
    log = next(log for log in LOGS if "1.29" in log.name)
    report = fakeapi.replay(log, release="1.27")
    assert report.first is not None
    assert "f:potentialNodes" in report.first.differences[0].path


def test_a_namespace_that_the_log_takes_for_granted_is_made_and_told_of() -> None:
    report = fakeapi.replay(next(log for log in LOGS if "imex" in log.name))
    assert [str(each).partition(":")[0] for each in report.seeded] == ["namespaces nv"]


def test_metadata_alone_cannot_be_sent_and_says_so(tmp_path: Path) -> None:
    lines = []
    log = next(log for log in LOGS if "1.33" in log.name)
    for line in gzip.decompress(log.read_bytes()).splitlines():
        event = json.loads(line)
        event["level"] = "Metadata"
        event.pop("requestObject", None)
        event.pop("responseObject", None)
        lines.append(json.dumps(event))
    path = tmp_path / "audit-k8s1.33.log"
    path.write_text("\n".join(lines))
    report = fakeapi.replay(path)
    assert report.ok, report
    assert "not sent: the trace lacks the request's body" in report.uncompared
