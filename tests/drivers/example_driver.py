"""The released DRA example driver from the Go proxy: its programs, chart, demo and end-to-end suite."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.interop import go_programs
from tests.interop.go_programs import FETCH_SECONDS

MODULE = "sigs.k8s.io/dra-example-driver"
VERSIONS = {"1.32": "v0.1.0", "1.34": "v0.2.1", "1.36": "v0.3.0"}
"""The version of the driver for each release. It was built for this release's clients."""
WITH_SCRIPT = ("1.32", "1.34")
"""The releases whose version of the driver has its end-to-end suite as a shell script."""
NAMESPACE = "dra-example-driver"
IMAGE = "*/dra-example-driver"
HELM = "v4.3.2"
INSTALL_SECONDS = 180
FIXED_DEVICES = {"v0.1.0": 8}
"""The number of devices per node, for versions whose chart cannot set the number."""
_GO = {"v0.1.0": "1.23.1", "v0.2.1": "1.24.0", "v0.3.0": "1.26.0"}


def source(version: str) -> Path:
    """Downloads the module of the driver; returns its directory. Raises BuildFailed if that fails."""
    done = go_programs.go(["mod", "download", "-json", f"{MODULE}@{version}"], Path.cwd(), FETCH_SECONDS)
    return Path(json.loads(done)["Dir"])


def build(version: str, name: str, command: tuple[str, ...] = ("build",), package: str = "") -> Path:
    """Compiles a program of the driver, such as `dra-example-webhook`; returns its path.

    Skips the test if Go is missing. Raises BuildFailed if the program does not compile.
    """
    go_mod = f"module program\n\ngo {_GO[version]}\n\nrequire {MODULE} {version}\n"
    package = package or f"{MODULE}/cmd/{name}"
    return go_programs.build(f"{name}-{version}", go_mod, {}, command=command, package=package)


def image(version: str, folder: Path) -> Path:
    """Puts the programs of the driver into a directory as its image has them; returns the directory."""
    directory = folder / "image"
    programs = directory / "usr" / "bin"
    programs.mkdir(parents=True)
    for name in ("dra-example-kubeletplugin", "dra-example-webhook"):
        shutil.copy(build(version, name), programs / name)
    return directory


def helm() -> Path:
    go_mod = f"module program\n\ngo 1.26.0\n\nrequire helm.sh/helm/v4 {HELM}\n"
    return go_programs.build(f"helm-{HELM}", go_mod, {}, package="helm.sh/helm/v4/cmd/helm")


def install(version: str, kubeconfig: Path, values: Mapping[str, object]) -> None:
    """Installs the chart of the driver, and waits until its pods are ready.

    Raises BuildFailed if helm cannot be built, and AssertionError with helm's words if it fails.
    """
    options = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    chart = source(version) / "deployments" / "helm" / "dra-example-driver"
    command = [
        helm(), "upgrade", "-i", "--create-namespace", "--namespace", NAMESPACE, *options, "--wait",
        "--timeout", f"{INSTALL_SECONDS}s", "dra-example-driver", chart,
    ]  # fmt: skip
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
    done = subprocess.run(
        [str(word) for word in command], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def suite(version: str) -> Path:
    """Compiles the end-to-end suite of the driver; returns its path."""
    command = ("test", "-c", "-vet=off", "-tags", "e2e")
    return build(version, "dra-example-driver-e2e", command, f"{MODULE}/test/e2e")
