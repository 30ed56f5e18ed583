"""Released DRA drivers run by --run alone: their charts start them, and their own demos get devices."""

from pathlib import Path
from typing import Any

import pytest

from tests.drivers import cpu_driver, dranet_driver, intel_driver
from tests.drivers.driver_setup import Demo, DriverSetup
from tests.interop.plugin import Report

SETUPS = (cpu_driver.SETUP, intel_driver.SETUP, *dranet_driver.SETUPS)


def demos() -> list[Any]:
    """Returns the parameters of the test: each setup with each of its demos."""
    return [
        pytest.param(
            setup,
            demo,
            id=f"{setup.driver.name}-{setup.driver.version}-{demo.name}",
            marks=[pytest.mark.older] if setup.nightly else [],
        )
        for setup in SETUPS
        for demo in setup.demos
    ]


@pytest.mark.parametrize(("setup", "demo"), demos())
def test_a_demo_of_a_released_driver_runs_and_leaves_nothing(
    setup: DriverSetup, demo: Demo, short_folder: Path, report: Report
) -> None:
    driver = setup.driver
    report(
        kind="driver",
        name=f"{driver.name}, its demo {demo.name}, by --run",
        version=driver.version,
        release=driver.release,
        did=f"{setup.installation}, published devices, prepared, pods ran, CDI as documented, unprepared",
    )
    with setup.installed(short_folder, demo.values) as api, setup.applied(api, demo) as running:
        demo.check(running)
