"""A DRA driver that uses Kubernetes' own Go package kubeletplugin serves pods on fakeapi's kubelet."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakeapi.machinery.json_types import Object
from tests.interop import go_programs
from tests.interop.awaiting import await_objects
from tests.interop.go_driver import CRASHED, FILES, about, build_driver, start_driver
from tests.interop.plugin import Report
from tests.interop.processes import Served
from tests.interop.story import PODS, Story, devices_of, gates
from tests.interop.toolchain import of_releases

CLASSIC = "1.30"
RELEASES = of_releases(release for release in FILES if release != CLASSIC)


REPUBLISH_SECONDS = 150.0
"""Maximum seconds to wait until a driver publishes its ResourceSlices after a start of the kubelet.

A starting kubelet deletes the slices, and some drivers check their slices only 30 seconds later.
"""

REMEMBERED_SECONDS = {"1.32": 70.0, "1.33": 70.0}
"""Seconds, by release, after which a driver creates a deleted ResourceSlice again, with a margin.

Before that, the Go package kubeletplugin of these releases trusts its cache of created slices.
"""


@pytest.fixture
def program(release: str) -> Path:
    return build_driver(release)


@pytest.fixture
def served(release: str, program: Path, short_folder: Path) -> Iterator[Served]:
    with Served(short_folder, release, "--controllers", "all", *gates(release)) as server:
        yield server


@pytest.mark.parametrize("release", RELEASES)
def test_a_driver_in_go_sees_a_pod_with_a_claim_through(
    release: str, program: Path, served: Served, report: Report
) -> None:
    report(
        kind="driver",
        name="driver in Go (kubeletplugin)",
        version=go_programs.staging_version(release),
        release=release,
        did="published slices, prepared a claim, pod ran, unprepared it",
    )
    story = Story(served)
    with start_driver(program, served) as driver:
        story.await_slices(2)
        story.begin()
        story.create_pod()
        [claim] = story.await_running()
        assert devices_of(claim) == ["gpu-0"]
        assert about(driver, "prepared") == claim["metadata"]["name"]
        story.delete_pod()
        story.await_gone()
        assert about(driver, "unprepared") == claim["metadata"]["name"]
        assert driver.stop() == 0
    assert '"error"' not in driver.log.read_text(encoding="utf-8")


@pytest.mark.parametrize("release", RELEASES)
def test_a_driver_that_crashes_while_it_prepares_is_asked_again(
    release: str, program: Path, served: Served, report: Report
) -> None:
    report(
        kind="driver",
        name="driver in Go (kubeletplugin)",
        version=go_programs.staging_version(release),
        release=release,
        did="crashed in the middle of a prepare; a new process found it half done and finished it",
    )
    story = Story(served)
    crash = served.folder / "crash"
    crash.touch()
    story.begin()
    with start_driver(program, served, "-crash", str(crash)) as driver:
        story.await_slices(2)
        story.create_pod()
        half_done = about(driver, "crashed")
        assert driver.wait() == CRASHED
    with start_driver(program, served) as driver:
        assert about(driver, "found") == half_done
        [claim] = story.await_running()
        assert claim["metadata"]["name"] == half_done
        story.delete_pod()
        story.await_gone()
        assert about(driver, "unprepared") == half_done


@pytest.mark.parametrize("release", RELEASES)
def test_a_driver_outlives_a_restart_of_the_server(
    release: str, program: Path, served: Served, report: Report
) -> None:
    report(
        kind="driver",
        name="driver in Go (kubeletplugin)",
        version=go_programs.staging_version(release),
        release=release,
        did="stayed while the server was killed and started again with --db; both pods ran and went",
    )
    story = Story(served)
    story.begin()
    with start_driver(program, served) as driver:
        story.await_slices(2)
        story.create_pod("before")
        [first] = story.await_running()
        time.sleep(REMEMBERED_SECONDS.get(release, 0.0))
        served.kill()
        served.start()
        story.create_pod("after")
        claims = story.await_running(count=2, seconds=REPUBLISH_SECONDS)
        assert sorted(devices_of(each)[0] for each in claims) == ["gpu-0", "gpu-1"]
        story.delete_pod("before")
        assert about(driver, "unprepared") == first["metadata"]["name"]
        story.delete_pod("after")
        story.await_gone()
        about(driver, "unprepared")


@pytest.mark.parametrize("release", ["1.37"])
def test_pods_show_the_health_that_a_driver_reports(
    release: str, program: Path, served: Served, report: Report
) -> None:
    report(
        kind="driver",
        name="driver in Go (kubeletplugin)",
        version=go_programs.staging_version(release),
        release=release,
        did="reported the health of its devices, which the pods show that use them",
    )
    story = Story(served)
    story.begin()
    with start_driver(program, served) as driver:
        story.await_slices(2)
        for name in ("one", "two"):
            story.create_pod(name)
            about(driver, "prepared")
        shown = {
            "gpu.example.com/gpu=gpu-0": {"health": "Healthy"},
            "gpu.example.com/gpu=gpu-1": {"health": "Unhealthy", "message": "too hot"},
        }
        await_objects(served.url, PODS, lambda pods: _health_of(pods) == shown)
        for name in ("one", "two"):
            story.delete_pod(name)
        story.await_gone()


def _health_of(pods: list[Object]) -> Object:
    """Returns the health of each device in the status of these pods, by resource ID."""
    statuses = [each["status"].get("containerStatuses") or [{}] for each in pods]
    resources = [of[0].get("allocatedResourcesStatus") or [{"resources": []}] for of in statuses]
    found = [dict(each) for of in resources for each in of[0]["resources"]]
    return {each.pop("resourceID"): each for each in found}


@pytest.mark.older
@pytest.mark.parametrize("release", [CLASSIC])
def test_a_classic_driver_allocates_by_its_own_controller(
    release: str, program: Path, served: Served, report: Report
) -> None:
    report(
        kind="driver",
        name="classic driver in Go (controller, kubeletplugin)",
        version=go_programs.staging_version(release),
        release=release,
        did="negotiated by PodSchedulingContext, allocated, prepared, pod ran, unprepared and deallocated it",
    )
    story = Story(served)
    with start_driver(program, served) as driver:
        story.begin()
        story.create_pod()
        [claim] = story.await_running()
        name = claim["metadata"]["name"]
        assert about(driver, "allocated") == name
        assert about(driver, "prepared") == name
        handles = claim["status"]["allocation"]["resourceHandles"]
        assert handles == [{"driverName": "gpu.example.com", "data": "of node"}]
        assert served.api.list("PodSchedulingContext") == []
        story.delete_pod()
        assert about(driver, "unprepared") == name
        assert about(driver, "deallocated") == name
        story.await_gone()
        assert driver.stop() == 0
