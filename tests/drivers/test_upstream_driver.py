"""Kubernetes' own DRA test driver serves a pod with a claim on fakeapi's kubelet."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.interop import go_programs
from tests.interop.plugin import Report
from tests.interop.processes import Program, Served
from tests.interop.story import Story, gates
from tests.interop.toolchain import of_releases

NAME = "test-driver.cdi.k8s.io"
SOURCES = Path(__file__).parent / "test-driver"
MAINS = {"1.30": "main.go", "1.31": "1.31/main.go", "1.33": "main.go", "1.37": "main.go"}
CLASSIC = "1.30"


@pytest.fixture
def driver(release: str) -> Path:
    source = (SOURCES / MAINS[release]).read_text(encoding="utf-8")
    mod = go_programs.with_kubernetes(release)
    return go_programs.build(f"test-driver-{release}", mod, {"main.go": source})


@pytest.fixture
def served(release: str, driver: Path, short_folder: Path) -> Iterator[Served]:
    with Served(short_folder, release, "--controllers", "all", *gates(release)) as server:
        yield server


def commands(driver: Path, served: Served, cdi: Path) -> Iterator[list[str | Path]]:
    """Yields the command line of each process of the DRA test driver.

    Up to 1.30 the driver has a controller and a kubelet plugin, from 1.31 on only a plugin.
    """
    node = served.kubelet / "node"
    data = node / "plugins" / NAME
    data.mkdir(parents=True, exist_ok=True)
    common: list[str | Path] = ["--kubeconfig", served.kubeconfig, "--drivername", NAME]
    plugin: list[str | Path] = [
        *common,
        "--plugin-registration-path",
        node / "plugins_registry",
        "--cdi-dir",
        cdi,
    ]
    own: list[str | Path] = ["--datadir", node / "plugins", "--node-name", "node", "--num-devices", "2"]
    match served.release:
        case "1.30":
            socket = data / "dra.sock"
            yield [driver, "controller", *common]
            yield [driver, "kubelet-plugin", *plugin, "--endpoint", socket, "--dra-address", socket]
        case "1.31":
            yield [driver, *plugin, *own]
        case _:
            yield [driver, "kubelet-plugin", *plugin, *own]


@pytest.mark.parametrize("release", of_releases(MAINS))
def test_the_driver_of_upstreams_own_tests_prepares_a_claim(
    release: str, driver: Path, served: Served, report: Report
) -> None:
    report(
        kind="driver",
        name="Kubernetes' test driver (test/e2e/dra/test-driver)",
        version=go_programs.kubernetes_version(release),
        release=release,
        did="allocated by its controller, prepared, pod ran, unprepared"
        if release == CLASSIC
        else "published slices, prepared a claim, pod ran, unprepared",
    )
    cdi = served.folder / "cdi"
    cdi.mkdir()
    story = Story(served, NAME)
    with ExitStack() as running:
        for number, command in enumerate(commands(driver, served, cdi)):
            running.enter_context(Program(command, served.folder / f"driver-{number}.log"))
        story.begin()
        if release != CLASSIC:
            story.await_slices(2)
        story.create_pod()
        [claim] = story.await_running()
        [made] = cdi.iterdir()
        assert claim["metadata"]["uid"] in made.name
        story.delete_pod()
        story.await_gone()
    assert list(cdi.iterdir()) == []
