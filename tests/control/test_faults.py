"""Clients add, list and remove faults through the control API and its commands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fakeapi import FakeAPI, StatusError
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient, ControlError

PATH = "/api/v1/namespaces/one"


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as api:
        yield api


@pytest.fixture
def control(api: FakeAPI) -> Iterator[ControlClient]:
    with ControlClient(api.url) as client:
        yield client


def run(api: FakeAPI, *arguments: str) -> Result:
    command, *rest = arguments
    return CliRunner().invoke(main, ["faults", command, "--server", api.url, *rest])


def test_a_fault_is_armed_listed_and_disarmed(api: FakeAPI, control: ControlClient) -> None:
    assert control.get("/faults") == {"faults": []}
    (armed,) = control.post("/faults", {"unavailable": {"target": "get namespaces", "called": "down"}})[
        "faults"
    ]
    assert (armed["name"], armed["rule"]["action"]["code"]) == ("down", 503)
    with pytest.raises(StatusError, match="503"):
        api.request("GET", PATH)
    (told,) = control.get("/faults")["faults"]
    assert (told["matched"], told["fired"]) == (1, 1)
    control.delete("/faults/down")
    with pytest.raises(StatusError, match="404"):
        api.request("GET", PATH)
    control.post("/faults", [told["rule"], {"conflict": "pods"}])
    control.delete("/faults")
    assert control.get("/faults") == {"faults": []}
    assert "conflict" in control.get("/ready-made-faults")["names"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("/etc/passwd", "a rule, or a list of rules, is expected"),
        (["/etc/passwd"], "a rule, or a list of rules, is expected"),
        (3, "a rule, or a list of rules, is expected"),
        ({"conflict": "pots"}, "no resource 'pots' is served; did you mean pods"),
        ([{"conflict": "pods"}, {"conflikt": "pods"}], "no ready-made fault 'conflikt'"),
        ({"action": {"type": "refuse", "code": 500}, "wen": 1}, "unknown field `wen`"),
    ],
)
def test_an_invalid_rule_is_refused_and_arms_nothing(control: ControlClient, body: Any, problem: str) -> None:
    with pytest.raises(ControlError, match=problem) as caught:
        control.post("/faults", body)
    assert caught.value.code == 400
    assert control.get("/faults") == {"faults": []}
    with pytest.raises(ControlError, match="no fault unknown is armed"):
        control.delete("/faults/unknown")


def test_the_command_arms_lists_and_disarms(api: FakeAPI, tmp_path: Path) -> None:
    armed = run(api, "arm", "refuse", "get namespaces", "code=418", "called=tea", "times=1")
    assert armed.output == "tea  refuse code=418  verb=get resource=namespaces  times=1  matched 0, fired 0\n"
    with pytest.raises(StatusError, match="418"):
        api.request("GET", PATH)
    assert run(api, "list").output.endswith("matched 1, fired 1\n")
    file = tmp_path / "faults.yaml"
    file.write_text("- {expire: {target: pods, called: expire}}")
    assert run(api, "arm", "--file", str(file)).output.startswith("expire  verb=watch")
    throttled = run(api, "arm", "throttle", "pods", "times=2", "every=3", "retry_after=5").output
    assert throttled == "throttle  retry_after=5  resource=pods  times=2 every=3  matched 0, fired 0\n"
    assert (
        run(api, "arm", "throttle", "pods").output
        == "throttle-2  throttle  resource=pods  matched 0, fired 0\n"
    )
    assert run(api, "arm", "wait", "pods", "seconds=2").output.startswith("wait  seconds=2")
    assert run(api, "disarm", "tea").exit_code == 0
    assert run(api, "disarm", "--all").exit_code == 0
    assert run(api, "list").output == "No fault is armed.\n"


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["arm"], 2, "Name a ready-made fault or a --file"),
        (["arm", "zzz"], 1, "no ready-made fault 'zzz'; there are conflict, "),
        (["arm", "conflct"], 1, "no ready-made fault 'conflct'; did you mean conflict?"),
        (["arm", "conflict", "pots"], 1, "did you mean pods?"),
        (["arm", "conflict", "pods", "tymes=2"], 1, "no argument 'tymes'; did you mean times?"),
        (["disarm"], 2, "Name the faults, or set --all"),
        (["disarm", "unknown"], 1, "no fault unknown is armed"),
    ],
)
def test_an_invalid_command_prints_its_error_in_the_last_line(
    api: FakeAPI, arguments: list[str], status: int, problem: str
) -> None:
    result = run(api, *arguments)
    assert result.exit_code == status
    assert problem in result.output.splitlines()[-1]


def test_serve_takes_a_file_of_faults(tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("- conflikt: pods")
    result = CliRunner().invoke(main, ["serve", "--port", "0", "--faults", str(file)])
    assert result.exit_code == 2
    assert "rule 1: no ready-made fault 'conflikt'" in result.output
