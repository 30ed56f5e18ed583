"""Released DRA drivers from the Go proxy: their source, programs and images."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.interop import go_programs
from tests.interop.go_programs import FETCH_SECONDS


@dataclass(frozen=True)
class ReleasedDriver:
    """Describes one version of a DRA driver.

    - `name`: the name of the project, for the compatibility table.
    - `module`: the path of the Go module, as its go.mod declares it.
    - `go`: the version of Go that its go.mod requires.
    - `release`: the release of Kubernetes that the driver was built for.
    - `image`: the pattern of the driver's image, for the option `run`.
    - `programs`: the package of each program, by the program's path in the image. A package is a directory of
      the module.
    - `files`: directories of the module that the image has too, by their paths in the image.
    - `proxy_module`: the path under which the Go proxy has the module; "" for the same path as `module`.
    - `kubernetes`: the release of Kubernetes whose last patch release replaces a release candidate that the
      driver requires, because the Go proxy need not have candidates; "" for a driver that requires none.
    """

    name: str
    module: str
    version: str
    go: str
    release: str
    image: str
    programs: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    proxy_module: str = ""
    kubernetes: str = ""

    def source(self) -> Path:
        """Downloads the module; returns its directory. Raises BuildFailed if that fails."""
        module = f"{self.proxy_module or self.module}@{self.version}"
        done = go_programs.go(["mod", "download", "-json", module], Path.cwd(), FETCH_SECONDS)
        return Path(json.loads(done)["Dir"])

    def build(self, package: str, name: str = "", command: tuple[str, ...] = ("build",)) -> Path:
        """Compiles a package of the module; returns the path of the program.

        `name`: the name of the program, by default the last part of `package`. `command`: the subcommand of
        Go with its options. Skips the test if Go is missing. Raises BuildFailed if the package does not
        compile.
        """
        name = name or package.rpartition("/")[2]
        return go_programs.build(
            f"{name}-{self.version}", self._go_mod(), {}, command=command, package=f"{self.module}/{package}"
        )

    def _go_mod(self) -> str:
        text = f"module program\n\ngo {self.go}\n\nrequire {self.module} {self.version}\n"
        replaced = ""
        if self.proxy_module:
            replaced += f"\t{self.module} => {self.proxy_module} {self.version}\n"
        if self.kubernetes:
            version = go_programs.kubernetes_version(self.kubernetes)
            replaced += f"\tk8s.io/kubernetes => k8s.io/kubernetes {version}\n"
            replaced += go_programs.staging_replacements(self.kubernetes)
        return f"{text}\nreplace (\n{replaced})\n" if replaced else text

    def make_image(self, folder: Path) -> Path:
        """Puts the compiled programs and the files where the image has them; returns the image's directory.

        `folder`: the directory in which this method creates the directory of the image.
        """
        directory = folder / self.name
        for path, package in self.programs.items():
            program = directory / path
            program.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.build(package), program)
        for path, place in self.files.items():
            shutil.copytree(self.source() / place, directory / path)
        return directory
