"""The published Go modules of each release: which versions are used, and where Go keeps them."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAST_PATCHES = {
    "1.27": 16,
    "1.28": 15,
    "1.29": 15,
    "1.30": 14,
    "1.31": 14,
    "1.32": 13,
    "1.33": 13,
    "1.34": 12,
    "1.35": 8,
    "1.36": 5,
    "1.37": 1,
}
"""The patch that each release's tables are compiled from: the last one whose modules the proxy serves."""

NAMES = (
    "kubernetes",
    "api",
    "apimachinery",
    "apiserver",
    "apiextensions-apiserver",
    "kube-aggregator",
    "client-go",
    "component-base",
    "controller-manager",
)

PACKAGES = {
    "k8s.io/api/": "",
    "k8s.io/apiextensions-apiserver/pkg/apis/": "",
    "k8s.io/kube-aggregator/pkg/apis/": "",
    "k8s.io/apimachinery/pkg/apis/": "",
    "k8s.io/apimachinery/pkg/api/resource": "resource",
    "k8s.io/apimachinery/pkg/runtime": "runtime",
    "k8s.io/apimachinery/pkg/types": "types",
    "k8s.io/apimachinery/pkg/util/intstr": "intstr",
}
"""How import paths begin, and what the tables call the packages: `k8s.io/api/core/v1` is `core/v1`."""

FETCH_SECONDS = 120
"""For one module; Go waits for ever where a proxy does not answer."""

_OWN_GROUPS = ("apiextensions-apiserver", "kube-aggregator")
"""Modules beside `api` that have groups of their own, under `pkg/apis`."""


class ModuleError(Exception):
    """A module does not hold what it should."""


@dataclass(frozen=True)
class Modules:
    """Where the modules of one release lie, by name, and when the release was tagged."""

    release: str
    folders: dict[str, Path]
    time: str

    @property
    def version(self) -> str:
        return f"v{self.release}.{LAST_PATCHES[self.release]}"

    @property
    def kubernetes(self) -> Path:
        return self.folders["kubernetes"]

    @property
    def api(self) -> Path:
        return self.folders["api"]

    @property
    def go_version(self) -> str:
        return "go" + (self.kubernetes / ".go-version").read_text().strip()

    def folder(self, package: str) -> Path:
        """Where a package lies, by the tables' name for it: `core/v1`, `runtime`. Raises ModuleError."""
        for prefix, name in PACKAGES.items():
            module, _, path = prefix.removeprefix("k8s.io/").partition("/")
            if name and name != package:
                continue
            if module in self.folders:
                folder = self.folders[module] / path / ("" if name else package)
                if any(folder.glob("*.go")):
                    return folder
        raise ModuleError(f"{self.release}: no package {package}")

    def api_packages(self) -> dict[str, str]:
        """The packages of served types by group version: `core/v1` by `v1`, `rbac/v1` by its whole name."""
        found: dict[str, str] = {}
        roots = [self.api, *(self.folders[name] / "pkg/apis" for name in _OWN_GROUPS)]
        for root in roots:
            for path in sorted(root.glob("*/v*/register.go")):
                _, _, rest = path.read_text().partition('GroupName = "')
                group, version = rest.partition('"')[0], path.parent.name
                found[f"{group}/{version}" if group else version] = f"{path.parent.parent.name}/{version}"
        return found


def package_of(path: str) -> str | None:
    """The tables' name for an import path; None for a path that no served type comes from."""
    for prefix, name in PACKAGES.items():
        if name and path == prefix:
            return name
        if not name and path.startswith(prefix):
            return path.removeprefix(prefix)
    return None


def download(release: str) -> Modules:
    """The modules from Go's module cache, fetched where they are not there.

    Raises SubprocessError where Go cannot fetch one, or not within FETCH_SECONDS. The sum database is not
    asked about modules of Kubernetes, since it lacks some of the patches that the proxy has.
    """
    found: dict[str, Any] = {}
    for name in NAMES:
        minor = release.partition(".")[2]
        version = f"v{'1' if name == 'kubernetes' else '0'}.{minor}.{LAST_PATCHES[release]}"
        with tempfile.TemporaryDirectory() as outside_any_module:
            output = subprocess.run(
                ["go", "mod", "download", "-json", f"k8s.io/{name}@{version}"],
                cwd=outside_any_module,
                check=True,
                capture_output=True,
                env={**os.environ, "GONOSUMDB": "k8s.io/*"},
                timeout=FETCH_SECONDS,
            ).stdout
        found[name] = json.loads(output)
    return Modules(
        release,
        {name: Path(module["Dir"]) for name, module in found.items()},
        time=json.loads(Path(found["kubernetes"]["Info"]).read_text())["Time"],
    )
