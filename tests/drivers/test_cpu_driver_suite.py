"""The released CPU driver passes the part of its own end-to-end suite that needs no real CPUs."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.drivers import cpu_driver
from tests.drivers.cpu_driver import GROUPED, INDIVIDUAL
from tests.drivers.driver_setup import DriverSetup
from tests.interop.plugin import Report

SUITE_SECONDS = 300
NRI = "the driver pins the CPUs of containers by NRI, and the server calls no NRI plugin for containers"
ADDRESS = "nothing listens at the IP address of a simulated node"
SPDY = "the suite runs commands over SPDY, and the server accepts only WebSockets"
CANNOT_RUN = {
    "should allocate exclusive CPUs and remove from the shared pool": NRI,
    "should allocate non-overlapping CPUs for multiple requests in the same grouped claim": NRI,
    "should recover shared pool mask and preserve exclusive mask after restart": NRI,
    "should fail to run pods which share a claim": NRI,
    "should fail to run a pod with multiple containers which share a claim": NRI,
    "should return HTTP 200 from /healthz on each driver pod": ADDRESS,
    "should run from each driver pod": SPDY,
}
"""The reason why a spec cannot run here, by the text of the spec."""


@pytest.mark.older  # left out with --newest: it takes minutes
@pytest.mark.parametrize("setup", cpu_driver.SETUPS, ids=[GROUPED, INDIVIDUAL])
def test_the_cpu_drivers_own_end_to_end_suite_passes_without_cpus(
    setup: DriverSetup, short_folder: Path, report: Report
) -> None:
    """Installs the driver as the suite's Makefile does, and gives the suite its image with test programs."""
    driver = setup.driver
    report(
        kind="suite",
        name="dra-driver-cpu, its own end-to-end suite",
        version=driver.version,
        release=driver.release,
        did=f"4 of 12 specs, and the check of the driver's log, with {setup.variant}, by --run alone",
    )
    suite = cpu_driver.suite()
    with cpu_driver.for_suite(setup, short_folder).installed(short_folder) as api:
        done = subprocess.run(
            [suite, "--ginkgo.no-color", f"--ginkgo.skip={'|'.join(map(re.escape, CANNOT_RUN))}"],
            env={
                **os.environ,
                "KUBECONFIG": str(api.kubeconfig),
                "DRACPU_E2E_TEST_IMAGE": cpu_driver.TEST_IMAGE,
                "DRACPU_E2E_RESERVED_CPUS": cpu_driver.RESERVED,
                "DRACPU_E2E_CPU_DEVICE_MODE": str(setup.values["args.cpuDeviceMode"]),
            },
            capture_output=True,
            text=True,
            timeout=SUITE_SECONDS,
            check=False,
        )
    assert re.search(r"4 Passed \| 0 Failed", done.stdout), done.stdout[-4000:]
    assert done.returncode == 0, done.stdout[-4000:]
