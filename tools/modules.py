"""Downloads the published Go modules of each Kubernetes release, and finds the packages in them."""

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
"""The patch release to read for each minor release: the last patch release in the Go module proxy."""

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
"""Prefixes of import paths and their replacements in table names: `k8s.io/api/core/v1` becomes `core/v1`."""

FETCH_SECONDS = 120
"""Maximum seconds to download a module. Without this limit, Go waits forever for the module proxy."""

_OWN_GROUPS = ("apiextensions-apiserver", "kube-aggregator")
"""Modules other than `k8s.io/api` that have their own API groups, in the folder `pkg/apis`."""


class ModuleError(Exception):
    """Raised if the downloaded modules lack an expected package."""


@dataclass(frozen=True)
class Modules:
    """The downloaded Go modules of a release.

    `folders`: the folder of each module by its name. `time`: the time of the release's Git tag.
    """

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
        """Returns the folder of a Go package by its name in the tables, such as `core/v1`.

        Raises ModuleError if no module has the package.
        """
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
        """Maps each group version to the table name of its package: `v1` to `core/v1`."""
        packages: dict[str, str] = {}
        roots = [self.api, *(self.folders[name] / "pkg/apis" for name in _OWN_GROUPS)]
        for root in roots:
            for path in sorted(root.glob("*/v*/register.go")):
                _, _, rest = path.read_text().partition('GroupName = "')
                group, version = rest.partition('"')[0], path.parent.name
                packages[f"{group}/{version}" if group else version] = f"{path.parent.parent.name}/{version}"
        return packages


def package_of(path: str) -> str | None:
    """Returns the table name for an import path; None if the package has no API types."""
    for prefix, name in PACKAGES.items():
        if name and path == prefix:
            return name
        if not name and path.startswith(prefix):
            return path.removeprefix(prefix)
    return None


def download(release: str) -> Modules:
    """Returns the modules of a release from Go's module cache; downloads missing modules.

    Raises SubprocessError if Go cannot download a module within FETCH_SECONDS. Go does not check Kubernetes'
    modules in the checksum database, because that database lacks some patch releases of the proxy.
    """
    downloads: dict[str, Any] = {}
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
        downloads[name] = json.loads(output)
    return Modules(
        release,
        {name: Path(module["Dir"]) for name, module in downloads.items()},
        time=json.loads(Path(downloads["kubernetes"]["Info"]).read_text())["Time"],
    )
