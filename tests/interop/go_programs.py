"""Builds Go programs with the published modules of Kubernetes. `LAST_PATCHES` sets the patch releases."""

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.interop.toolchain import BUILDS, alone_in, building, require
from tools.modules import LAST_PATCHES

BUILD_SECONDS = 2700
"""Maximum seconds for a Go build.

Even kube-controller-manager needs only a fraction of this time, on two cores and without a build cache.
"""

FETCH_SECONDS = 600
_OLDER = ("cri-client", "csi-translation-lib", "endpointslice", "kube-controller-manager", "kube-scheduler")
ABSENT = {"1.31": dict.fromkeys(_OLDER, "v0.31.4"), "1.33": {"sample-apiserver": "v0.33.4"}}
"""Versions of modules, by release and module, if the Go proxy lacks the module's last patch release."""

_STAGING = re.compile(r"^\s*(k8s\.io/\S+) => \./staging", re.MULTILINE)
_GO = re.compile(r"^go (\S+)", re.MULTILINE)
_ENVIRONMENT = {
    "GOFLAGS": "-mod=mod",
    "GONOSUMDB": "k8s.io/*,sigs.k8s.io/*",  # the checksum database lacks some patch releases
    "GOTOOLCHAIN": "local",
}


class BuildFailed(Exception):
    """Raised if Go cannot compile a program. The message is Go's output, or says that Go took too long."""


def staging_version(release: str) -> str:
    """Returns the version of a release's staging modules (client-go, api, …), such as `v0.33.13`."""
    return f"v0.{release.partition('.')[2]}.{LAST_PATCHES[release]}"


def kubernetes_version(release: str) -> str:
    return f"v{release}.{LAST_PATCHES[release]}"


def with_kubernetes(release: str) -> str:
    """Returns the text of a go.mod for programs that import k8s.io/kubernetes.

    The go.mod replaces each staging module with its published version.
    """
    go_mod = _go_mod_of_kubernetes(release)
    line = _GO.search(go_mod)
    assert line is not None, go_mod
    version = kubernetes_version(release)
    replaced = staging_replacements(release)
    return (
        f"module program\n\ngo {line[1]}\n\nrequire k8s.io/kubernetes {version}\n\nreplace (\n{replaced})\n"
    )


def staging_replacements(release: str) -> str:
    """Returns lines for a go.mod that replace each staging module with its published version."""
    staged, absent = staging_version(release), ABSENT.get(release, {})
    return "".join(
        f"\t{module} => {module} {absent.get(module.removeprefix('k8s.io/'), staged)}\n"
        for module in sorted(set(_STAGING.findall(_go_mod_of_kubernetes(release))))
    )


def _go_mod_of_kubernetes(release: str) -> str:
    module = f"k8s.io/kubernetes@{kubernetes_version(release)}"
    download = json.loads(go(["mod", "download", "-json", module], Path.cwd(), FETCH_SECONDS))
    return Path(download["GoMod"]).read_text(encoding="utf-8")


def with_staging(release: str, modules: Iterable[str], go: str = "1.22.0") -> str:
    """Returns the text of a go.mod for programs that import only staging modules of Kubernetes.

    `modules`: names such as `client-go` and `api`. `go`: the required version of Go.
    """
    version = staging_version(release)
    required = "".join(f"\tk8s.io/{module} {version}\n" for module in sorted(modules))
    return f"module program\n\ngo {go}\n\nrequire (\n{required})\n"


def build(
    name: str,
    go_mod: str,
    sources: Mapping[str, str],
    *,
    builds: Path = BUILDS,
    command: Sequence[str] = ("build",),
    package: str = ".",
) -> Path:
    """Compiles a Go program and returns its path. Reuses a program built before from the same sources.

    - `name`: the name of the program
    - `go_mod`: the text of go.mod
    - `sources`: the text of each source file, by file name
    - `builds`: the folder of compiled programs
    - `command`: the subcommand of Go with options, such as `test -c`
    - `package`: the package to compile

    Skips the test if Go is missing. Raises BuildFailed if the program does not compile.
    """
    require("go")
    version = go(["env", "GOVERSION"], Path.cwd(), FETCH_SECONDS)
    parts = [version, go_mod, *(f"{path}\n{text}" for path, text in sorted(sources.items()))]
    if package != ".":
        parts += [*command, package]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
    folder = builds / f"{name}-{digest}"
    program = folder / "program"
    with alone_in(folder):
        if program.exists():
            return program
        for path, text in {"go.mod": go_mod, **sources}.items():
            (folder / path).write_text(text, encoding="utf-8")
        with building(name):
            go([*command, "-o", "unfinished", package], folder, BUILD_SECONDS)
        (folder / "unfinished").rename(program)
    return program


def go(arguments: list[str], folder: Path, seconds: float) -> str:
    """Runs Go in a folder, for at most `seconds`; returns its output. Raises BuildFailed if Go fails."""
    try:
        done = subprocess.run(
            ["go", *arguments],
            cwd=folder,
            env=os.environ | _ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BuildFailed(
            f"go {' '.join(arguments)} in {folder} was ended after {seconds:.0f} s; what it has compiled "
            "stays in Go's cache, so that it goes on from there the next time"
        ) from None
    if done.returncode:
        raise BuildFailed(f"go {' '.join(arguments)}: {done.stderr[-4000:]}")
    return done.stdout.strip()
