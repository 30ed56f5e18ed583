"""Builds the Go DRA driver in `tests/drivers/driver` for a release and starts it for a node of the server."""

from pathlib import Path

from tests.interop import go_programs
from tests.interop.processes import Program, Served, told
from tests.interop.story import DRIVER

SOURCES = Path(__file__).parents[1] / "drivers" / "driver"
MODULES = ("api", "apimachinery", "client-go", "dynamic-resource-allocation", "kubelet")
FILES = {
    "1.30": ("helper_0.30.go",),
    "1.31": ("helper_0.31.go",),
    "1.32": ("helper_0.32.go",),
    "1.33": ("helper_0.33.go",),
    "1.34": ("helper_0.34.go",),
    "1.35": ("helper_0.34.go",),
    "1.36": ("helper_0.34.go",),
    "1.37": ("helper_0.34.go", "health_0.37.go"),
}
"""The driver's source files for each release. They match the Go package kubeletplugin of that release."""

CRASHED = 3
"""The exit code of the driver after a crash that a test requested."""


def build_driver(release: str) -> Path:
    """Compiles the Go driver for a release; returns the program's path. Skips the test if Go is missing."""
    names = ("main.go", *FILES[release])
    sources = {name: (SOURCES / name).read_text(encoding="utf-8") for name in names}
    return go_programs.build(f"driver-{release}", go_programs.with_staging(release, MODULES), sources)


def start_driver(program: Path, served: Served, *options: str) -> Program:
    """Starts the compiled DRA driver for the node with the name `node`; returns the running program.

    `options`: additional command-line options of the driver.
    """
    data = served.kubelet / "node" / "plugins" / DRIVER
    data.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [program, "-kubeconfig", served.kubeconfig, "-name", DRIVER, "-data", data]
    command += ["-registry", served.kubelet / "node" / "plugins_registry", *options]
    return Program(command, served.folder / "driver.log")


def about(driver: Program, what: str) -> str:
    """Waits until the driver prints a JSON line for the action `what`, such as "prepared".

    Returns the name of the claim in this line.
    """
    return str(told(driver.await_line(f'"what":"{what}"'))["about"])
