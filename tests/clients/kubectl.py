"""Runs kubectl as a subprocess with the kubeconfig of one server."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI

KUBECTL = shutil.which("kubectl")

TIMEOUT_SECONDS = 60

VERSIONS = {"1.30": "v1alpha2", "1.31": "v1alpha3", "1.33": "v1alpha3"}

needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")


class Kubectl:
    """Runs kubectl with one server, its own kubeconfig and its own cache directory."""

    def __init__(self, api: FakeAPI, release: str, home: Path) -> None:
        self.api, self.release, self.home = api, release, home
        self.api_version = f"resource.k8s.io/{VERSIONS[release]}"
        self._environment = {"HOME": str(home), "KUBECONFIG": str(api.kubeconfig), "PATH": os.environ["PATH"]}

    def run(self, *arguments: str, code: int = 0, **environment: str) -> str:
        """Runs kubectl and asserts that its exit code is `code`; returns its output.

        If `code` is not 0, the output includes stderr. `environment`: additional environment variables.
        """
        done = subprocess.run(
            self.command(*arguments),
            check=False,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            env={**self._environment, **environment},
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + (done.stderr if code else "")

    def command(self, *arguments: str) -> list[str]:
        assert KUBECTL is not None
        return [KUBECTL, *arguments]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self._environment,
        )

    def manifest(self, name: str, **metadata: Any) -> str:
        """Writes a manifest of a ResourceClaim to a file; returns the file's path.

        `metadata`: additional metadata of the claim.
        """
        device = {"name": "gpu", "deviceClassName": "gpu.example.com", "allocationMode": "All"}
        older = self.api_version.endswith("v1alpha2")
        spec: dict[str, Any] = {"resourceClassName": "gpu.example.com"} if older else {}
        if not older:
            spec = {"devices": {"requests": [device]}}
        path = self.home / f"{name}.json"
        claim = {
            "apiVersion": self.api_version,
            "kind": "ResourceClaim",
            "metadata": {"name": name, **metadata},
            "spec": spec,
        }
        path.write_text(json.dumps(claim))
        return str(path)

    def create(self, name: str, **metadata: Any) -> str:
        self.run("create", "-f", self.manifest(name, **metadata))
        return name

    def metadata(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get(
            "resourceclaims", name, namespace="default", api_version=self.api_version
        )["metadata"]
        return found
