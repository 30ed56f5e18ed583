"""The control API and the commands `drivers`, `devices` and `node` show and change drivers and nodes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fakeapi import FakeAPI
from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient, ControlError
from fakeapi.machinery.cel import library
from tests.devices.objects import create_claim, create_pod, phase

NAME = "gpu.example.com"

pytestmark = pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(drivers={NAME: 2}) as api:
        api.settle()
        yield api


@pytest.fixture
def control(api: FakeAPI) -> Iterator[ControlClient]:
    with ControlClient(api.url) as client:
        yield client


def run(api: FakeAPI, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--server", api.url])


def text(api: FakeAPI, *arguments: str) -> str:
    result = run(api, *arguments)
    assert result.exit_code == 0, result.output
    return result.output


def run_pod(api: FakeAPI) -> None:
    create_claim(api, "gpu", NAME)
    create_pod(api, "train", "gpu")
    api.settle()


def test_the_states_of_prepared_claims_are_counted_as_in_the_list_of_claims(
    api: FakeAPI, control: ControlClient
) -> None:
    run_pod(api)
    states = control.get("/claims")["states"]
    assert control.get("/drivers")["preparedStates"] == {NAME: states} == {NAME: {"prepared": 1}}


def test_a_driver_shows_its_last_failed_call(api: FakeAPI, control: ControlClient) -> None:
    api.driver(NAME).prepare(error="out of smoke", times=1)
    run_pod(api)
    [driver] = control.get("/drivers")["drivers"]
    assert driver["failedCalls"] == 1
    assert driver["lastError"] == "prepare default/gpu on node node: out of smoke"


def test_a_driver_counts_the_calls_that_succeeded_since_its_last_error(
    api: FakeAPI, control: ControlClient
) -> None:
    driver = api.driver(NAME)
    driver.prepare(error="out of smoke")
    run_pod(api)
    assert control.get("/drivers")["drivers"][0]["callsSinceError"] == 0
    driver.prepare()
    api.clock.advance(600)
    api.settle()
    [view] = control.get("/drivers")["drivers"]
    assert view["failedCalls"] > 0
    assert view["callsSinceError"] == 1


def test_a_node_shows_its_drivers_prepared_claims_and_what_the_devices_inject(
    api: FakeAPI, control: ControlClient
) -> None:
    run_pod(api)
    [summary] = control.get("/nodes")["nodes"]
    assert (summary["name"], summary["drivers"], summary["preparedClaims"]) == ("node", [NAME], 1)
    node = control.get("/nodes/node")
    assert node["drivers"][0]["source"] == "simulated"
    [claim] = node["claims"]
    [device] = claim["devices"]
    assert (claim["name"], device["device"], device["requests"]) == ("gpu", "gpu-0", ["r"])
    cdi = api.node().cdi_devices("default", "train")
    assert device["cdiDevices"] == cdi == [f"{NAME}/gpu=gpu-0"]
    [pod] = node["pods"]
    assert (pod["name"], pod["phase"], pod["cdiDevices"]) == ("train", "Running", cdi)
    assert node["cdiDevices"][cdi[0]]["env"] == {"GPU_DEVICE_0": "gpu-0"}
    with pytest.raises(ControlError, match="no node other"):
        control.get("/nodes/other")
    shown = text(api, "node", "node")
    assert "claim default/gpu" in shown
    assert "GPU_DEVICE_0=gpu-0" in shown
    assert f"node: {NAME}; 1 pod, 1 prepared claim" in text(api, "node")
    assert json.loads(text(api, "node", "node", "--json")) == node


def test_the_control_api_makes_a_driver_fail_and_work_again(api: FakeAPI, control: ControlClient) -> None:
    answer = control.post(f"/drivers/{NAME}/prepare", {"error": "out of smoke"})
    assert answer["prepare"] == {"error": "out of smoke"}
    run_pod(api)
    assert phase(api, "train") == "Pending"
    assert "error out of smoke" in text(api, "drivers", "list")
    assert control.post(f"/drivers/{NAME}/prepare")["prepare"] == {}
    api.clock.advance(10)
    api.settle()
    assert phase(api, "train") == "Running"
    driver = control.get(f"/drivers/{NAME}")
    assert [(each["call"], bool(each["error"])) for each in driver["calls"]][-1] == ("prepare", False)
    assert driver["prepared"][0]["name"] == "gpu"
    assert driver["nodes"][0]["devices"][0]["claims"] == ["default/gpu"]


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        ("/drivers", 3, "a driver is expected"),
        ("/drivers", {"name": "X"}, "'X' is not the name of a driver"),
        ("/drivers", {"name": NAME}, "exists already"),
        ("/drivers", {"name": "a.b", "devices": [{"name": "Bad!"}]}, "a.b: "),
        ("/drivers/none/stop", {}, "no simulated driver none"),
        (f"/drivers/{NAME}/stop", {"node": "x"}, "is not on node x"),
        (f"/drivers/{NAME}/prepare", {"delay": "x"}, "prepare: delay"),
        (f"/drivers/{NAME}/devices/gpu-9", {}, "has no device gpu-9"),
        (f"/drivers/{NAME}/devices/gpu-0", {"health": "Ill"}, "Ill"),
    ],
)
def test_bad_requests_are_refused_and_change_nothing(
    control: ControlClient, path: str, body: Any, problem: str
) -> None:
    before = control.get("/drivers")
    with pytest.raises(ControlError, match=problem):
        control.post(path, body)
    assert control.get("/drivers") == before


def test_drivers_are_added_stopped_and_removed_by_command(api: FakeAPI, tmp_path: Path) -> None:
    file = tmp_path / "nic.yaml"
    file.write_text("name: nic.example.com\ncount: 3\n")
    assert "nic.example.com: 1 of 1 node, 3 devices" in text(api, "drivers", "add", str(file))
    assert "tpu.google.com: 1 of 1 node, 4 devices" in text(
        api, "drivers", "add", "google-tpu", "--node", "t"
    )
    assert "0 of 1 node" in text(api, "drivers", "stop", "nic.example.com")
    assert "1 of 1 node" in text(api, "drivers", "start", "nic.example.com")
    changed = text(api, "drivers", "device", NAME, "gpu-0", "--unhealthy", "--taint", "hot=1:NoExecute")
    assert changed.split() == ["gpu-0", "Unhealthy", "hot:NoExecute"]
    assert "gpu-0 Unhealthy hot:NoExecute" in text(api, "drivers", "show", NAME)
    text(api, "drivers", "remove", "nic.example.com")
    assert "nic.example.com" not in text(api, "drivers", "list")
    assert run(api, "drivers", "add", "nosuch").exit_code == 1
    assert "neither a preset" in run(api, "drivers", "add", "nosuch").output


def test_the_command_refuses_a_taint_that_the_release_would_drop() -> None:
    with FakeAPI(release="1.34", drivers={NAME: 1}) as api:
        refused = run(api, "drivers", "device", NAME, "gpu-0", "--taint", "hot:NoExecute")
        assert (refused.exit_code, "switch the feature gate DRADeviceTaints on" in refused.output) == (
            1,
            True,
        )


def test_presets_are_listed_and_shown() -> None:
    listed = CliRunner().invoke(main, ["devices", "list"]).output
    assert "nvidia-mig" in listed
    shown = CliRunner().invoke(main, ["devices", "show", "google-tpu"]).output
    assert "tpu.google.com" in shown
    assert "no preset 'x'" in CliRunner().invoke(main, ["devices", "show", "x"]).output


def test_the_slices_of_a_cluster_make_a_preset(api: FakeAPI, tmp_path: Path) -> None:
    slices = tmp_path / "slices.json"
    slices.write_text(json.dumps({"kind": "ResourceSliceList", "items": api.list("ResourceSlice")}))
    made = CliRunner().invoke(main, ["devices", "from-slices", str(slices)]).output
    file = tmp_path / "mine.yaml"
    file.write_text(made)
    for source in (file, slices):
        with FakeAPI(drivers=source) as other:
            other.settle()
            [there], [here] = other.list("ResourceSlice"), api.list("ResourceSlice")
            assert there["spec"]["devices"] == here["spec"]["devices"]
            assert there["spec"]["nodeName"] == here["spec"]["nodeName"]
