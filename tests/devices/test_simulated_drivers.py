"""Simulated drivers fail, change their devices and recover as tests request, also with a frozen clock."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.machinery.cel import library
from tests.devices.objects import create_claim, create_pod, phase

NAME = "gpu.example.com"
NOW = "2026-01-31T12:00:00Z"

pytestmark = pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", drivers={NAME: 2}, frozen_at=NOW, seed=1) as api:
        api.settle()
        create_claim(api, "claim", NAME)
        yield api


def published(api: FakeAPI) -> list[dict[str, Any]]:
    return [device for each in api.list("ResourceSlice") for device in each["spec"]["devices"]]


def messages(api: FakeAPI) -> str:
    return "\n".join(event["message"] for event in api.list("Event", api_version="v1", namespace="default"))


def test_the_kubelet_gives_up_on_a_hanging_driver_after_45_seconds_of_the_frozen_clock(api: FakeAPI) -> None:
    api.driver(NAME).prepare(hangs=True)
    create_pod(api, "pod", "claim")
    api.settle()
    assert "DeadlineExceeded" not in messages(api)
    api.clock.advance(45)
    api.settle()
    assert "rpc error: code = DeadlineExceeded desc = context deadline exceeded" in messages(api)
    api.driver(NAME).prepare()
    api.clock.advance(45)
    api.settle()
    assert phase(api, "pod") == "Running"


def test_a_restart_fails_the_running_calls_and_the_pod_runs_afterwards(api: FakeAPI) -> None:
    driver = api.driver(NAME)
    driver.prepare(delay=20, times=1)
    create_pod(api, "pod", "claim")
    api.settle()
    driver.restart()
    api.settle()
    assert "code = Unavailable" in messages(api)
    assert phase(api, "pod") == "Running"


def test_a_driver_returns_its_error_for_the_given_number_of_calls(api: FakeAPI) -> None:
    driver = api.driver(NAME)
    driver.prepare(error="out of smoke", times=2)
    create_pod(api, "pod", "claim")
    api.settle()
    api.clock.advance(10)
    api.settle()
    assert phase(api, "pod") == "Running"
    assert [bool(call.error) for call in driver.calls] == [True, True, False]


def test_the_pod_shows_the_health_that_a_device_reports(api: FakeAPI) -> None:
    create_pod(api, "pod", "claim")
    api.settle()
    for state in ("Unhealthy", "Healthy"):
        device = api.driver(NAME).device("gpu-0")
        device.unhealthy("too hot") if state == "Unhealthy" else device.healthy()
        api.settle()
        [status] = api.get("Pod", "pod")["status"]["containerStatuses"]
        [shown] = status["allocatedResourcesStatus"][0]["resources"]
        assert (shown["health"], shown["resourceID"]) == (state, f"{NAME}/gpu=gpu-0")


def test_taints_and_removed_devices_are_published_with_a_new_generation(api: FakeAPI) -> None:
    device = api.driver(NAME).device("gpu-0")
    device.taint("broken", "yes")
    api.settle()
    [taint] = published(api)[0]["taints"]
    assert (taint["key"], taint["value"], taint["effect"], taint["timeAdded"]) == (
        "broken",
        "yes",
        "NoSchedule",
        NOW,
    )
    device.untaint()
    device.remove()
    api.settle()
    assert [each["name"] for each in published(api)] == ["gpu-1"]
    assert api.list("ResourceSlice")[0]["spec"]["pool"]["generation"] > 2
    device.restore()
    api.settle()
    assert [each["name"] for each in published(api)] == ["gpu-0", "gpu-1"]


def test_a_taint_is_refused_while_its_feature_gate_is_off() -> None:
    with FakeAPI(release="1.34", nodes="a", drivers=f"{NAME}=1") as api:
        device = api.driver(NAME).device("gpu-0")
        with pytest.raises(ValueError, match="need taints: switch the feature gate DRADeviceTaints on"):
            device.taint("broken")


@pytest.mark.parametrize(("key", "value"), [("bad key", ""), ("broken", "no/slash"), ("", "")])
def test_an_invalid_taint_is_refused_before_the_slices_change(api: FakeAPI, key: str, value: str) -> None:
    device = api.driver(NAME).device("gpu-0")
    device.taint("hot")
    with pytest.raises(ValueError, match=r"gpu-0\.taints\[1\]\.(key|value): Invalid value"):
        device.taint(key, value)
    api.settle()
    assert [taint["key"] for taint in published(api)[0]["taints"]] == ["hot"]


def test_a_deleted_slice_is_published_again(api: FakeAPI) -> None:
    [resource_slice] = api.list("ResourceSlice")
    api.delete("ResourceSlice", resource_slice["metadata"]["name"])
    api.settle()
    assert len(published(api)) == 2


def test_a_stopped_node_prepares_nothing_until_it_starts(api: FakeAPI) -> None:
    create_pod(api, "pod", "claim")
    api.settle()
    api.stop_node("node")
    api.settle()
    node = api.get("Node", "node")
    assert {taint["key"] for taint in node["spec"]["taints"]} == {"node.kubernetes.io/unreachable"}
    assert (
        next(each for each in node["status"]["conditions"] if each["type"] == "Ready")["status"] == "Unknown"
    )
    api.delete("Pod", "pod")
    api.settle()
    assert len(api.driver(NAME).prepared) == 1
    api.start_node("node")
    api.settle()
    api.clock.advance(60)
    api.settle()
    assert api.list("Pod") == []
    assert api.driver(NAME).prepared == []
    assert "taints" not in api.get("Node", "node")["spec"]


def test_a_reset_brings_the_drivers_of_the_option_back_and_forgets_others(api: FakeAPI) -> None:
    api.add_driver("nic.example.com", nodes=["other"])
    assert {each["spec"]["driver"] for each in api.list("ResourceSlice")} == {NAME, "nic.example.com"}
    api.reset()
    api.settle()
    assert {each["spec"]["driver"] for each in api.list("ResourceSlice")} == {NAME}
    with pytest.raises(ValueError, match=r"no simulated driver nic\.example\.com"):
        api.driver("nic.example.com")


def test_a_removed_driver_frees_its_name(api: FakeAPI) -> None:
    with pytest.raises(ValueError, match="exists already"):
        api.add_driver(NAME)
    api.driver(NAME).remove()
    assert len(api.add_driver(NAME, count=3).devices) == 3


def test_a_driver_without_its_feature_gate_is_refused() -> None:
    gates = {"DynamicResourceAllocation": False}
    with FakeAPI(release="1.33", feature_gates=gates) as api:
        add = api.add_driver
        with pytest.raises(ValueError, match="has DynamicResourceAllocation off"):
            add(NAME)


def test_drivers_need_the_kubelet_and_release_1_31() -> None:
    with pytest.raises(ValueError, match="needs the controller kubelet"):
        FakeAPI(drivers={NAME: 1}, controllers="scheduler").start()
    with FakeAPI(controllers="scheduler") as api, pytest.raises(RuntimeError, match="kubelet does not run"):
        api.add_driver(NAME)
    with FakeAPI(release="1.30") as api, pytest.raises(ValueError, match=r"release 1\.31 or newer"):
        api.add_driver(NAME)


def test_a_day_of_churn_with_a_frozen_clock_leaves_nothing_behind(api: FakeAPI) -> None:
    driver = api.driver(NAME)
    api.delete("ResourceClaim", "claim")
    for hour in range(24):
        if hour % 6 == 1:
            driver.prepare(error="out of smoke", times=1)
        create_claim(api, "claim", NAME)
        create_pod(api, "pod", "claim")
        api.settle()
        api.clock.advance(1800)
        api.settle()
        assert phase(api, "pod") == "Running"
        if hour % 8 == 3:
            driver.restart()
        api.delete("Pod", "pod")
        api.settle()
        api.clock.advance(1800)
        api.settle()
        api.delete("ResourceClaim", "claim")
    api.settle()
    assert (driver.prepared, api.list("Pod"), api.list("ResourceClaim")) == ([], [], [])
    assert len(api.list("ResourceSlice")) == 1
    assert list(api.node().directory.glob("cdi/*")) == []


@pytest.mark.timeout(300)
def test_a_thousand_nodes_with_eight_devices_each_start() -> None:
    before = _cpu_seconds()
    nodes = "n{1..1000}"
    with FakeAPI(controllers="kubelet", nodes=nodes, drivers={NAME: 8}) as api:
        api.settle(200)
        slices = api.list("ResourceSlice")
    assert len({each["spec"]["nodeName"] for each in slices}) == 1000
    assert all(len(each["spec"]["devices"]) == 8 for each in slices)
    assert _cpu_seconds() - before < 20  # 6 on an idle machine; more where others use its caches


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def test_binding_conditions_are_reported_for_each_node_that_has_them() -> None:
    kinds = {"bindingConditions": ["attached"], "bindingFailureConditions": ["failed"]}
    nodes = {"a": [{"name": "plain"}], "b": [{"name": "slow", "bindsToNode": True, **kinds}]}
    with FakeAPI(release="1.37", drivers={"name": NAME, "nodes": nodes}, frozen_at=NOW) as api:
        create_claim(api, "plain", NAME)
        create_claim(api, "slow", NAME)
        create_pod(api, "one", "plain")
        create_pod(api, "two", "slow")
        for _ in range(3):
            api.settle()
            api.clock.advance(5)
        api.settle()
        assert (phase(api, "one"), phase(api, "two")) == ("Running", "Running")


@pytest.mark.parametrize(("node", "phases"), [("a", ("Pending", "Running")), ("b", ("Running", "Pending"))])
def test_a_driver_reports_no_binding_conditions_on_the_node_of_its_behaviour(
    node: str, phases: tuple[str, str]
) -> None:
    kinds = {"bindingConditions": ["attached"], "bindingFailureConditions": ["failed"]}
    device = {"name": "d", "bindsToNode": True, **kinds}
    driver = {"name": NAME, "nodes": {"a": [device], "b": [device]}, "bind": {"hangs": True, "node": node}}
    with FakeAPI(release="1.37", drivers=driver, frozen_at=NOW) as api:
        for name, on in (("one", "a"), ("two", "b")):
            create_claim(api, name, NAME)
            create_pod(api, name, name, nodeSelector={"kubernetes.io/hostname": on})
        api.settle()
        assert (phase(api, "one"), phase(api, "two")) == phases


_WITHOUT_GRPC = """
import logging, socket, sys
from pathlib import Path

sys.modules["grpc"] = None
from fakeapi import FakeAPI
from fakeapi.testing.objects import claim, pod

logging.basicConfig(level=logging.WARNING, stream=sys.stdout, format="%(message)s")
with FakeAPI(drivers={"gpu.example.com": 1}) as api, socket.socket(socket.AF_UNIX) as listener:
    listener.bind(str(Path(api.node().registry, "d-reg.sock")))
    listener.listen()
    api.eventually(lambda: "FailedDriverConnection" in str(api.list("Event", api_version="v1")), within=30)
    api.create(claim("claim", device_class="gpu.example.com"))
    api.create(pod("pod", claims=["claim"]))
    api.settle()
    print("phase", api.get("Pod", "pod")["status"]["phase"])
"""
"""A program for a new process, because other tests of this process have imported grpc already."""


def test_without_grpc_the_kubelet_runs_and_names_the_extra_for_a_socket() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT_GRPC], capture_output=True, text=True, check=False)
    assert "phase Running" in done.stdout, done.stderr
    assert len([line for line in done.stdout.splitlines() if "fakeapi-k8s[node]" in line]) == 1
