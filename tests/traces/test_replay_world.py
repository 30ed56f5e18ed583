"""A recorded world with controllers and simulated devices replays without a divergence."""

from pathlib import Path

import pytest

from fakeapi import FakeAPI
from fakeapi.traces.recording import recording_file
from fakeapi.traces.recording.recording import Recording

WORLD = """
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
"""


@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_a_recording_of_a_running_pod_with_a_device_replays_without_a_divergence(
    tmp_path: Path, release: str
) -> None:
    trace = tmp_path / "s.jsonl.gz"
    drivers = {"gpu.example.com": 2}
    # An hour apart, no time of the replay can equal a recorded time.
    with FakeAPI(
        release=release, drivers=drivers, controllers="all", record=trace, frozen_at="2030-01-01T00:00:00Z"
    ) as api:
        api.create_all(WORLD)
        api.wait_for("Pod", "p", until=".status.phase=Running")
    with FakeAPI(release=release, frozen_at="2030-01-01T01:00:00Z") as target:
        report = target.replay(trace)
    assert not report.divergent, report
    assert not [each for each in report.seeded if each.problem]


def test_a_recording_gets_a_free_name_if_another_program_wrote_its_file(tmp_path: Path) -> None:
    trace = tmp_path / "s.jsonl.gz"
    recording = Recording(trace, source="server", server="fakeapi")
    trace.write_text("of another program")
    recording.close()
    assert trace.read_text() == "of another program"
    assert recording.path == tmp_path / "s-2.jsonl.gz"
    assert recording_file.unused(trace) == tmp_path / "s-3.jsonl.gz"
