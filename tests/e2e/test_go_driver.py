"""A driver made with upstream's Go helper sees pods with claims through, beside server and controllers."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.interop import go_programs
from tests.interop.plugin import Report
from tests.interop.processes import Program, Served, told
from tests.interop.story import DRIVER, Story, devices_of, gates
from tests.interop.toolchain import of_releases

SOURCES = Path(__file__).parent / "driver"
MODULES = ("api", "apimachinery", "client-go", "dynamic-resource-allocation", "kubelet")
FILES = {
    "1.31": ("helper_0.31.go",),
    "1.32": ("helper_0.32.go",),
    "1.33": ("helper_0.33.go",),
    "1.34": ("helper_0.34.go",),
    "1.35": ("helper_0.34.go",),
    "1.36": ("helper_0.34.go",),
    "1.37": ("helper_0.34.go", "health_0.37.go"),
}
"""The files that make the driver with the helper of a release."""

Start = Callable[..., Program]
CRASHED = 3


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: those of Unix sockets are at most 107 bytes long."""
    path = Path(tempfile.mkdtemp(prefix="fa"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def program(release: str) -> Path:
    names = ("main.go", *FILES[release])
    sources = {name: (SOURCES / name).read_text(encoding="utf-8") for name in names}
    return go_programs.build(f"driver-{release}", go_programs.with_staging(release, MODULES), sources)


@pytest.fixture
def served(release: str, folder: Path) -> Iterator[Served]:
    with Served(folder, release, "--controllers", "all", "--nodes", "node", *gates(release)) as server:
        yield server


def driver_of(program: Path, served: Served, *options: str) -> Program:
    """The driver, started at the server's node."""
    data = served.kubelet / "node" / "plugins" / DRIVER
    data.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [program, "-kubeconfig", served.kubeconfig, "-name", DRIVER, "-data", data]
    command += ["-registry", served.kubelet / "node" / "plugins_registry", *options]
    return Program(command, served.folder / "driver.log")


def about(driver: Program, what: str) -> str:
    """What the driver did next of that kind, and to what claim."""
    return str(told(driver.await_line(f'"what":"{what}"'))["about"])


@pytest.mark.parametrize("release", of_releases(FILES))
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
    with driver_of(program, served) as driver:
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


@pytest.mark.parametrize("release", of_releases(FILES))
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
    with driver_of(program, served, "-crash", str(crash)) as driver:
        story.await_slices(2)
        story.create_pod()
        half_done = about(driver, "crashed")
        assert driver.wait() == CRASHED
    with driver_of(program, served) as driver:
        assert about(driver, "found") == half_done
        [claim] = story.await_running()
        assert claim["metadata"]["name"] == half_done
        story.delete_pod()
        story.await_gone()
        assert about(driver, "unprepared") == half_done


@pytest.mark.parametrize("release", of_releases(FILES))
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
    with driver_of(program, served) as driver:
        story.await_slices(2)
        story.create_pod("before")
        [first] = story.await_running()
        served.kill()
        served.start()
        story.create_pod("after")
        claims = story.await_running(count=2)
        assert sorted(devices_of(each)[0] for each in claims) == ["gpu-0", "gpu-1"]
        story.delete_pod("before")
        assert about(driver, "unprepared") == first["metadata"]["name"]
        story.delete_pod("after")
        story.await_gone()
        about(driver, "unprepared")
