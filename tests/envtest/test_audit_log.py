"""kube-apiserver of an envtest folder writes an audit log, and refuses what it cannot write."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fakeapi.envtest import kube_apiserver
from fakeapi.envtest.flag_table import flags_of
from fakeapi.envtest.flags import FlagError, read
from tests.envtest.conftest import STOP_SECONDS, ControlPlane
from tests.http.audited import events_of, write_policy

Started = Callable[..., ControlPlane]
RELEASE = "1.34"


def test_the_flags_of_the_audit_log_have_their_effect(started: Started, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "audit.log"
    plane = started(f"--audit-log-path={log}", f"--audit-policy-file={write_policy(tmp_path)}")
    plane.administrator().send("POST", "/api/v1/namespaces", {"metadata": {"name": "a"}})
    plane.server.terminate()
    plane.server.wait(STOP_SECONDS)
    created = [event for event in events_of(log) if event["verb"] == "create"]
    assert [event["stage"] for event in created] == ["RequestReceived", "ResponseComplete"]
    assert {event["user"]["username"] for event in created} == {"admin"}
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_malformed_policy_ends_the_server_with_the_message_of_kube_apiserver(
    started: Started, tmp_path: Path
) -> None:
    policy = write_policy(tmp_path, {"level": "All"})
    plane = started(f"--audit-policy-file={policy}")
    assert plane.server.poll() == 1
    message = 'Error: loading audit policy file: rules[0].level: Unsupported value: "All": supported values: '
    assert message in plane.log_of("kube-apiserver")


@pytest.mark.parametrize(
    "flag", ["audit-log-format=json", "audit-log-version=audit.k8s.io/v1", "audit-log-maxsize=1"]
)
def test_flags_that_change_nothing_are_accepted(flag: str) -> None:
    kube_apiserver.check(read([f"--{flag}"], flags_of(RELEASE)))


@pytest.mark.parametrize(
    ("flag", "reason"),
    [
        (
            "audit-log-format=legacy",
            "the audit log contains events of audit.k8s.io/v1, each in a line of JSON",
        ),
        (
            "audit-webhook-config-file=x",
            "fakeapi writes the audit log to a file; it sends no audit events to a webhook",
        ),
    ],
)
def test_other_logs_are_refused(flag: str, reason: str) -> None:
    with pytest.raises(FlagError) as refused:
        kube_apiserver.check(read([f"--{flag}"], flags_of(RELEASE)))
    assert str(refused.value) == f"--{flag.partition('=')[0]} is not supported: {reason}"
