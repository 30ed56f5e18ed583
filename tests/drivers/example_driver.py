"""The released DRA example driver: its versions, image, chart and end-to-end suite."""

from collections.abc import Mapping
from pathlib import Path

from tests.drivers import helm
from tests.drivers.released_driver import ReleasedDriver

_PROGRAMS = {
    f"usr/bin/{name}": f"cmd/{name}" for name in ("dra-example-kubeletplugin", "dra-example-webhook")
}


def _driver(version: str, release: str, go: str) -> ReleasedDriver:
    return ReleasedDriver(
        name="dra-example-driver",
        module="sigs.k8s.io/dra-example-driver",
        version=version,
        go=go,
        release=release,
        image="*/dra-example-driver",
        programs=_PROGRAMS,
    )


DRIVERS = {
    driver.release: driver
    for driver in (
        _driver("v0.1.0", "1.32", "1.23.1"),
        _driver("v0.2.1", "1.34", "1.24.0"),
        _driver("v0.3.0", "1.36", "1.26.0"),
    )
}
"""The version of the driver for each release of Kubernetes."""
WITH_SCRIPT = ("1.32", "1.34")
"""The releases whose version of the driver has its end-to-end suite as a shell script."""
FIXED_DEVICES = {"v0.1.0": 8}
"""The number of devices per node, for versions whose chart cannot set the number."""


def install(driver: ReleasedDriver, kubeconfig: Path, values: Mapping[str, object]) -> None:
    """Installs the chart of the driver, and waits until its pods are ready."""
    chart = driver.source() / "deployments" / "helm" / "dra-example-driver"
    helm.install(chart, "dra-example-driver", kubeconfig, values)


def suite(driver: ReleasedDriver) -> Path:
    """Compiles the end-to-end suite of the driver; returns its path."""
    return driver.build("test/e2e", "dra-example-driver-e2e", ("test", "-c", "-vet=off", "-tags", "e2e"))
