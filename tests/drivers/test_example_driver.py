"""The released DRA example driver runs by --run alone: its chart starts it, and a pod gets a device."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers import example_driver, helm
from tests.drivers.released_driver import ReleasedDriver
from tests.interop.clients import stories
from tests.interop.plugin import Report
from tests.interop.processes import Served
from tests.interop.story import Story, devices_of, gates
from tests.interop.toolchain import of_releases

SUITE_SECONDS = 900
SCRIPT_SECONDS = 300
SCRIPT_NODE = "dra-example-driver-cluster-worker"
"""The name of the node in the cluster of kind that the script expects."""
SCRIPT_KUBECTL = "1.33"
"""The release of kubectl for the script: kubectl supports servers that are one release older or newer."""
SUITE_RELEASE = "1.36"
SUITE_GATES = (
    "DRAAdminAccess=true,DRAWorkloadResourceClaims=true,GangScheduling=true,GenericWorkload=true,"
    "DRAExtendedResource=true"
)
"""The gates of the suite's cluster, as in its configuration of kind."""
SUITE_VERSIONS = "resource.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha2=true"


@pytest.fixture
def driver(release: str) -> ReleasedDriver:
    return example_driver.DRIVERS[release]


@pytest.fixture
def served(release: str, driver: ReleasedDriver, short_folder: Path) -> Iterator[Served]:
    image = driver.make_image(short_folder)
    options = (
        "--controllers",
        "all",
        "--run-network",
        "pod",
        "--run",
        f"{driver.image}={image}",
        *gates(release),
    )
    with Served(short_folder, release, *options) as server:
        yield server


@pytest.mark.parametrize("release", of_releases(example_driver.DRIVERS))
def test_the_chart_of_the_example_driver_starts_it_and_a_pod_gets_a_device(
    release: str, driver: ReleasedDriver, served: Served, report: Report
) -> None:
    report(
        kind="driver",
        name="dra-example-driver, its chart by helm, its process by --run",
        version=driver.version,
        release=release,
        did="helm install --wait, DaemonSet, published slices, prepared a claim, pod ran, unprepared",
    )
    values = {"kubeletPlugin.numDevices": 3}
    example_driver.install(driver, served.kubeconfig, values)
    story = Story(served)
    story.begin()
    story.await_slices(example_driver.FIXED_DEVICES.get(driver.version, 3))
    story.create_pod()
    [claim] = story.await_running()
    assert devices_of(claim)[0].startswith("gpu-")
    made = [path.name for path in (served.kubelet / "node" / "cdi").iterdir()]
    assert any(claim["metadata"]["uid"] in name for name in made), made
    story.delete_pod()
    story.await_gone()


@pytest.mark.older  # left out with --newest: only older versions of the driver have the script
@pytest.mark.parametrize("release", example_driver.WITH_SCRIPT)
def test_the_end_to_end_script_of_older_example_drivers_passes(
    release: str, driver: ReleasedDriver, short_folder: Path, report: Report
) -> None:
    """Gives the script kubectl, and a `kind` that does nothing: the script only lists kind's clusters."""
    source = driver.source()
    demos = len(list((source / "demo").glob("gpu-test*.yaml")))
    report(
        kind="suite",
        name="dra-example-driver, its own end-to-end script",
        version=driver.version,
        release=release,
        did=f"helm install, all {demos} demos with their logs, and the webhook's refusals, by --run alone",
    )
    image = driver.make_image(short_folder)
    options = (
        "--controllers", "all,cert-manager", "--run-network", "pod", "--nodes", SCRIPT_NODE,
        "--run", f"{driver.image}={image}", "--run", "ubuntu=/", *gates(release),
    )  # fmt: skip
    programs = short_folder / "bin"
    programs.mkdir()
    (programs / "kubectl").symlink_to(stories.kubectl(SCRIPT_KUBECTL))
    (programs / "kind").symlink_to("/bin/true")
    with Served(short_folder, release, *options) as served:
        values = {"webhook.enabled": True, "kubeletPlugin.numDevices": 9}
        example_driver.install(driver, served.kubeconfig, values)
        done = subprocess.run(
            ["bash", "test/e2e/e2e.sh"],
            cwd=source,
            env={
                **os.environ,
                "KUBECONFIG": str(served.kubeconfig),
                "HOME": str(short_folder),
                "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
            timeout=SCRIPT_SECONDS,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.older  # left out with --newest: it takes minutes, and one spec of the suite has a race
def test_the_example_drivers_own_end_to_end_suite_passes(short_folder: Path, report: Report) -> None:
    """Allows repeated attempts, because one spec has a race.

    It upgrades the driver, and creates a pod as soon as the new driver is Running. Here this can be before
    the new driver has published its slices.
    """
    driver = example_driver.DRIVERS[SUITE_RELEASE]
    report(
        kind="suite",
        name="dra-example-driver, its own end-to-end suite",
        version=driver.version,
        release=SUITE_RELEASE,
        did="all 14 specs, with webhook, extended resources and demo pods, by --run alone",
    )
    image, suite = driver.make_image(short_folder), example_driver.suite(driver)
    options = (
        "--controllers", "all,cert-manager", "--run-network", "pod",
        "--feature-gates", SUITE_GATES, "--runtime-config", SUITE_VERSIONS,
        "--run", f"{driver.image}={image}", "--run", "ubuntu=/",
    )  # fmt: skip
    with Served(short_folder, SUITE_RELEASE, *options) as served:
        values = {
            "webhook.enabled": True,
            "kubeletPlugin.numDevices": 14,
            "deviceClass.extendedResourceName": "example.com/gpu",
        }
        example_driver.install(driver, served.kubeconfig, values)
        work = _copy_with_chart(driver, short_folder)
        path = f"{work}{os.pathsep}{os.environ['PATH']}"
        demo = driver.source() / "demo"
        done = subprocess.run(
            [suite, "--ginkgo.no-color", "--ginkgo.flake-attempts=3", f"--demo-manifests-dir={demo}"],
            cwd=work,
            env={**os.environ, "KUBECONFIG": str(served.kubeconfig), "PATH": path},
            capture_output=True,
            text=True,
            timeout=SUITE_SECONDS,
            check=False,
        )
    assert re.search(r"14 Passed \| 0 Failed", done.stdout), done.stdout[-4000:]


def _copy_with_chart(driver: ReleasedDriver, folder: Path) -> Path:
    """Returns a folder from which the suite finds its chart, and which has helm under its usual name.

    One spec upgrades the driver. It looks for the chart two folders above the working directory.
    """
    work = folder / "source" / "test" / "e2e"
    work.mkdir(parents=True)
    (folder / "source" / "deployments").symlink_to(driver.source() / "deployments")
    (work / "helm").symlink_to(helm.program())
    (work / "testdata").symlink_to(driver.source() / "test" / "e2e" / "testdata")
    return work
