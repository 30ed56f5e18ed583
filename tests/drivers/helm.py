"""Builds helm, and installs charts with it."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.interop import go_programs

HELM = "v4.3.2"
INSTALL_SECONDS = 180


def program() -> Path:
    """Compiles helm; returns its path. Skips the test if Go is missing. Raises BuildFailed if that fails."""
    go_mod = f"module program\n\ngo 1.26.0\n\nrequire helm.sh/helm/v4 {HELM}\n"
    return go_programs.build(f"helm-{HELM}", go_mod, {}, package="helm.sh/helm/v4/cmd/helm")


def install(chart: Path, namespace: str, kubeconfig: Path, values: Mapping[str, object]) -> None:
    """Installs or upgrades a chart, and waits until its pods are ready. The release has the chart's name.

    Raises BuildFailed if helm cannot be built, and AssertionError with helm's words if it fails.
    """
    options = [
        word for name, value in values.items() for word in ("--set-json", f"{name}={json.dumps(value)}")
    ]
    command = [
        program(), "upgrade", "-i", "--create-namespace", "--namespace", namespace, *options, "--wait",
        "--timeout", f"{INSTALL_SECONDS}s", chart.name, chart,
    ]  # fmt: skip
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
    done = subprocess.run(
        [str(word) for word in command], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
