"""Descriptions of simulated drivers are read, completed, and refused with one clear line."""

from pathlib import Path
from typing import Any

import pytest

from fakeapi.devices import model, reading
from fakeapi.devices.drivers import SimulatedDrivers
from fakeapi.devices.model import DeviceError
from fakeapi.devices.reading import spec_of, specs_of
from fakeapi.devices.simulated import CALLS_KEPT, CallRecord, SimulatedDriver

NAME = "gpu.example.com"


def driver_of(description: dict[str, Any], node: str = "a") -> SimulatedDriver:
    return SimulatedDriver(spec_of(description), [node], lambda *_: None)


def devices_of(description: dict[str, Any], node: str = "a") -> list[dict[str, Any]]:
    pool = driver_of(description, node).pool_on(node)
    assert pool is not None
    return list(pool.devices)


def test_a_number_of_devices_makes_numbered_devices_with_the_attributes() -> None:
    shared = {"attributes": {"model": "A100", "nvlink": True, "index": 3}, "capacity": {"memory": "80Gi"}}
    first, second = devices_of({"name": NAME, "count": 2, **shared})
    assert first == {
        "name": "gpu-0",
        "attributes": {"model": {"string": "A100"}, "nvlink": {"bool": True}, "index": {"int": 3}},
        "capacity": {"memory": {"value": "80Gi"}},
    }
    assert second["name"] == "gpu-1"


def test_each_node_can_have_its_own_number_or_list_of_devices() -> None:
    description = {"name": NAME, "count": 3, "nodes": {"a": 1, "b": [{"name": "x"}], "c": None}}
    names = {node: [each["name"] for each in devices_of(description, node)] for node in ("a", "b", "c")}
    assert names == {"a": ["gpu-0"], "b": ["x"], "c": ["gpu-0", "gpu-1", "gpu-2"]}


def test_placeholders_and_loops_make_partitions() -> None:
    description = {
        "name": NAME,
        "count": 2,
        "counters": [{"name": "gpu-{i}", "counters": {"memory": "40Gi"}}],
        "devices": [
            {
                "name": "gpu-{i}-part-{j}",
                "for": {"j": [0, 2]},
                "attributes": {"uuid": "{node}-{i:02x}"},
                "consumesCounters": {"gpu-{i}": {"memory": "20Gi"}},
            }
        ],
    }
    devices = devices_of(description)
    assert [device["name"] for device in devices] == [
        "gpu-0-part-0",
        "gpu-0-part-2",
        "gpu-1-part-0",
        "gpu-1-part-2",
    ]
    assert devices[3]["consumesCounters"] == [
        {"counterSet": "gpu-1", "counters": {"memory": {"value": "20Gi"}}}
    ]
    assert devices[3]["attributes"]["uuid"] == {"string": "a-01"}


@pytest.mark.parametrize(
    "drivers",
    [
        {NAME: 2},
        f"{NAME}=2",
        [f"{NAME}=2"],
        {"name": NAME, "count": 2},
        {"drivers": [{"name": NAME, "count": 2}]},
        f"name: {NAME}\ncount: 2\n",
        f"drivers:\n- {{name: {NAME}, count: 2}}\n",
        {NAME: {"count": 2}},
    ],
)
def test_all_forms_of_a_description_make_the_same_driver(drivers: Any) -> None:
    [spec] = specs_of(drivers)
    assert (spec.name, spec.count) == (NAME, 2)


@pytest.mark.parametrize(
    ("description", "problem"),
    [
        ({"name": "GPU!"}, "'GPU!' is not the name of a driver"),
        ({"name": 3}, "name: 3 is not a text"),
        ({"name": NAME, "colour": "red"}, "a driver has no member colour"),
        ({"name": NAME, "count": -1}, "count: -1 is not a number from 0 to 1024"),
        ({"name": NAME, "count": True}, "count: True is not a number"),
        ({"name": NAME, "nodes": {"a": "many"}}, "nodes: a: 'many' is not a number"),
        ({"name": NAME, "nodes": 3}, "nodes: 3 is not a list of names"),
        ({"name": NAME, "devices": "all"}, "devices: 'all' is not a list"),
        ({"name": NAME, "devices": [3]}, "a device is a mapping with a name, not 3"),
        (
            {"name": NAME, "devices": [{"name": "x", "attributes": {"y": 1.5}}]},
            "y: 1.5 is neither",
        ),
        ({"name": NAME, "devices": [{"name": "x", "attributes": []}, {"name": "x"}]}, "the name 'x'"),
        (
            {"name": NAME, "devices": [{"name": "x", "capacity": {"y": None}}]},
            "y: None is not a quan",
        ),
        ({"name": NAME, "devices": [{"name": "x{j}", "for": {"j": 0}}]}, "for: j: a number from 1"),
        ({"name": NAME, "devices": [{"name": "x", "for": [1]}]}, "for: [1] is not a mapping"),
        ({"name": NAME, "devices": [{"name": "x", "consumesCounters": [3]}]}, "3 is not a mapping"),
        ({"name": NAME, "prepare": {"delay": "2"}}, "prepare: delay: '2' has the wrong type"),
        ({"name": NAME, "prepare": {"delay": -2}}, "prepare: delay: a number of seconds from 0"),
        ({"name": NAME, "prepare": {"times": 0}}, "prepare: times: a number from 1"),
        ({"name": NAME, "prepare": {"colour": 1}}, "prepare: no member 'colour'"),
        ({"name": NAME, "classes": [{}]}, "classes: {} has no name"),
        ({"name": NAME, "environment": {"A": 1}}, "environment: a mapping of names to texts"),
        ({"preset": "none"}, "no preset 'none'"),
    ],
)
def test_an_invalid_description_is_refused_with_one_line(description: Any, problem: str) -> None:
    with pytest.raises(DeviceError) as refused:
        spec_of(description)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [\n", "drivers: "),
        ("- 3\n", "a driver is expected, not 3"),
        ("nvida-gpu", "such as gpu.example.com; did you mean nvidia-gpu?"),
        ("nosuch", "'nosuch' is neither a preset nor the name of a driver"),
        ("/nosuch.yaml", "cannot read /nosuch.yaml: No such file"),
        ("gpu.example.com=x", "'x' is not a number of devices, and 'gpu.example.com=x' is not a file"),
    ],
)
def test_a_text_that_describes_no_driver_is_refused(text: str, problem: str) -> None:
    with pytest.raises(DeviceError, match=problem):
        specs_of(text)


def test_a_yaml_alias_bomb_is_refused() -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 9))
    with pytest.raises(DeviceError):
        specs_of(f"l0: &l0 [x]\n{levels}")


def test_a_file_longer_than_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FILE_BYTES_MAX", 21)
    (tmp_path / "short.yaml").write_text(f"name: {NAME[:14]}\n")
    (tmp_path / "long.yaml").write_text(f"name: {NAME}\n")
    assert len(specs_of(tmp_path / "short.yaml")) == 1
    with pytest.raises(DeviceError, match="longer than 21 bytes"):
        specs_of(tmp_path / "long.yaml")


def test_more_devices_than_the_limit_are_refused() -> None:
    assert len(devices_of({"name": NAME, "count": model.DEVICES_MAX})) == model.DEVICES_MAX
    with pytest.raises(DeviceError, match="more than 1024 devices"):
        spec_of({"name": NAME, "devices": [{"name": "x-{i}-{j}", "for": {"j": 2}}], "count": 513})


def test_devices_with_more_bytes_than_the_limit_are_refused() -> None:
    size = model.NODE_BYTES_MAX // 64
    with pytest.raises(DeviceError, match="more than 4194304 bytes"):
        spec_of({"name": NAME, "count": 64, "attributes": {"text": "x" * size}})


def test_more_drivers_than_the_limit_are_refused() -> None:
    names = [f"d{number}.example.com=1" for number in range(model.DRIVERS_MAX + 1)]
    with pytest.raises(DeviceError, match="more than 100 drivers"):
        specs_of(names)
    drivers = SimulatedDrivers()
    for spec in specs_of(names[:-1]):
        drivers.add(spec, ["a"])
    with pytest.raises(DeviceError, match="at most 100 simulated drivers"):
        drivers.add(spec_of({"name": NAME}), ["a"])


def test_more_nodes_than_the_limit_are_refused() -> None:
    names = [f"n{number}" for number in range(reading.NODES_MAX + 1)]
    assert len(spec_of({"name": NAME, "nodes": names[:-1]}).nodes) == reading.NODES_MAX
    with pytest.raises(DeviceError, match="more than 10000 nodes"):
        spec_of({"name": NAME, "nodes": names})


def test_a_driver_remembers_its_last_calls() -> None:
    driver = driver_of({"name": NAME})
    for number in range(CALLS_KEPT + 1):
        driver.record(CallRecord("prepare", "a", (str(number),)))
    assert len(driver.calls) == CALLS_KEPT
    assert driver.calls[0].claims == ("1",)


def test_two_drivers_of_one_name_are_refused() -> None:
    with pytest.raises(DeviceError, match=f"two drivers have the name {NAME}"):
        specs_of([{NAME: 1}, {NAME: 2}])
