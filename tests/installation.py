"""Builds the fakeapi package and installs it in a virtual environment, as users do."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Installation:
    """The built wheel, and the `bin` folder of a virtual environment in which the wheel is installed.

    The environment has the wheel, its dependencies in the versions of requirements.lock, and no other
    packages.
    """

    wheel: Path
    bin: Path

    def run(self, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [self.bin / command[0], *command[1:]],
            capture_output=True, text=True, timeout=60, check=False, env=self.environment(**environment),
            cwd=self.bin.parent,
        )  # fmt: skip

    def environment(self, **more: str) -> dict[str, str]:
        """Returns the environment variables of this process, without PYTHON* and FAKEAPI*.

        Therefore the installed package cannot find the source tree. `more`: variables to add.
        """
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "FAKEAPI"))}
        return {**kept, **more}


def install(directory: Path) -> Installation:
    """Builds the source distribution and the wheel, and installs the wheel; returns the installation.

    The wheel is installed in a new virtual environment below `directory`.
    """
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(directory), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=120)
    (wheel,) = directory.glob("*.whl")
    environment = directory / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=60)
    python = environment / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "-q", "--python", python, "install", "--no-deps", "--no-index", wheel],
        check=True,
        timeout=60,
    )
    (site_packages,) = environment.glob("lib/python*/site-packages")
    _link_locked_dependencies(site_packages)
    return Installation(wheel, environment / "bin")


def _link_locked_dependencies(site_packages: Path) -> None:
    """Links the packages of requirements.lock from this process's environment into `site_packages`.

    This needs no network.
    """
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for name in re.findall(r"^([A-Za-z0-9_.-]+)==", lock, re.MULTILINE):
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            continue  # a dependency on other platforms
        for part in {
            file.parts[0] for file in installed.files or () if file.parts[0] not in {"..", "__pycache__"}
        }:
            link = site_packages / part
            if not link.exists():
                link.symlink_to(Path(str(installed.locate_file(part))))
