"""Released DRA drivers run by --run alone: their charts start them, and their own demos get devices."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.drivers import cpu_driver, dranet_driver, intel_driver
from tests.drivers.driver_setup import Demo, DriverSetup
from tests.interop.plugin import Report

SETUPS = (*cpu_driver.SETUPS, intel_driver.SETUP, *dranet_driver.SETUPS)
PARAMETERS = [
    pytest.param(
        setup,
        id=f"{setup.name} {setup.driver.version}".replace(" ", "-"),
        marks=[pytest.mark.older] if setup.nightly else [],
    )
    for setup in SETUPS
]


@pytest.mark.parametrize("setup", PARAMETERS)
def test_the_demos_of_a_released_driver_run_and_leave_nothing(
    setup: DriverSetup, short_folder: Path, report: Report
) -> None:
    driver, count = setup.driver, len(setup.demos)
    report(
        kind="driver",
        name=f"{setup.name}, by --run",
        version=driver.version,
        release=driver.release,
        did=f"{setup.installation}, published devices; {count} of its own demos: prepared, pods ran, CDI as "
        "documented, unprepared"
        if count > 1
        else f"{setup.installation}, published devices; its own demo: prepared, pod ran, CDI as documented, "
        "unprepared",
    )
    with setup.installed(short_folder) as api:
        for demo in setup.demos:
            with named(demo), setup.applied(api, demo) as running:
                demo.check(running)


@contextmanager
def named(demo: Demo) -> Iterator[None]:
    """Adds the name of the demo to an error."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the demo {demo.name}")
        raise
