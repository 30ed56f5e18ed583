"""Each preset is published by a release that has its features, and a pod runs with one of its devices."""

import pytest

from fakeapi import FakeAPI
from fakeapi.devices import presets
from fakeapi.devices.reading import spec_of
from fakeapi.machinery.cel import library
from tests.devices.objects import create_claim, create_pod, phase

GATES = {"nvidia-mig": "DRAPartitionableDevices", "cpu-numa": "DRAConsumableCapacity"}
"""The feature gates of presets that are off by default."""


@pytest.mark.skipif(not library.is_installed(), reason="compiling takes the extra cel")
@pytest.mark.parametrize("release", ["1.34", "1.37"])
@pytest.mark.parametrize("name", presets.names())
def test_a_pod_runs_with_a_device_of_the_preset(name: str, release: str) -> None:
    spec = spec_of({"preset": name})
    gates = {GATES[name]: True} if name in GATES else None
    with FakeAPI(release=release, feature_gates=gates, drivers=name) as api:
        api.settle()
        create_claim(api, "claim", spec.classes[0].name)
        create_pod(api, "pod", "claim")
        api.settle()
        assert phase(api, "pod") == "Running"
        [record] = api.driver(spec.name).prepared
        assert record.name == "claim"


def test_the_presets_are_those_of_the_documentation() -> None:
    named = {"nvidia-gpu", "nvidia-mig", "nvidia-compute-domain", "google-tpu", "cpu", "cpu-numa"}
    assert named | {"sriov-nic", "amd-gpu", "intel-gpu", "example-gpu"} == set(presets.names())
    assert all(presets.summary_of(name).endswith(".") for name in presets.names())


def test_a_preset_without_its_feature_gate_is_refused_with_the_gate_name() -> None:
    with FakeAPI(release="1.34") as api, pytest.raises(ValueError, match="DRAPartitionableDevices"):
        api.add_driver("nvidia-mig")
