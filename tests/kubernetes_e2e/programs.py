"""Builds Kubernetes' own end-to-end suite (`e2e.test`) and the programs that the suite needs."""

import os
from dataclasses import dataclass
from pathlib import Path

from tests.interop import go_programs
from tests.interop.go_programs import kubernetes_version

BUILDS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fakeapi" / "e2e"
"""The folder of compiled programs.

It is outside the repository, so that new clones can reuse the programs.
"""

SUITE = "k8s.io/kubernetes/test/e2e"
AGNHOST = "k8s.io/kubernetes/test/images/agnhost"
GINKGO = "github.com/onsi/ginkgo/v2/ginkgo"
MANAGER = "kube-controller-manager"
RUNTIME_RELEASE = "1.35"
"""The release of k8s.io/kubelet to compile: the last release with the streaming server.

This server works with the clients of all releases.
"""

RUNTIME_MODULES = ("api", "client-go", "cri-api", "kubelet")

_HERE = Path(__file__).parent
_MANAGER_SOURCE = _HERE.parent / "interop" / "components" / MANAGER / "main.go"


@dataclass(frozen=True)
class Programs:
    """The paths of the compiled programs that the end-to-end tests of one release need."""

    suite: Path
    """The path of the suite, Kubernetes' `e2e.test`."""
    ginkgo: Path
    """The path of ginkgo, which runs the specs of the suite in several processes."""
    containers: Path
    """The path of the fake container runtime."""
    agnhost: Path
    """The path of the program in the image agnhost, with which most containers of the suite run."""
    manager: Path
    """The path of kube-controller-manager, which runs the controllers of workloads."""


def build(release: str) -> Programs:
    """Compiles the missing programs for a release; returns the paths of all programs.

    Takes half an hour without Go's build cache. Raises BuildFailed if Go cannot compile a program.
    """
    go_mod = go_programs.with_kubernetes(release)
    sources = {"suite.go": f'package program\n\nimport _ "{SUITE}"\n'}
    compiled = ("test", "-vet=off", "-c", "-ldflags", _named(release))
    return Programs(
        suite=go_programs.build(
            f"suite-{release}", go_mod, sources, builds=BUILDS, command=compiled, package=SUITE
        ),
        ginkgo=go_programs.build(f"ginkgo-{release}", go_mod, sources, builds=BUILDS, package=GINKGO),
        containers=build_containers(),
        agnhost=go_programs.build(f"agnhost-{release}", go_mod, sources, builds=BUILDS, package=AGNHOST),
        manager=go_programs.build(
            f"{MANAGER}-{release}",
            go_mod,
            {"main.go": _MANAGER_SOURCE.read_text(encoding="utf-8")},
            builds=BUILDS,
        ),
    )


def build_containers() -> Path:
    folder = _HERE / "containers"
    sources = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.go"))}
    go_mod = go_programs.with_staging(RUNTIME_RELEASE, RUNTIME_MODULES, go="1.25.0")
    return go_programs.build("containers", go_mod, sources, builds=BUILDS)


def _named(release: str) -> str:
    """Returns the linker options that set the suite's version and leave out debug information."""
    package = "k8s.io/component-base/version"
    major, minor = release.split(".")
    values = {"gitVersion": kubernetes_version(release), "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s", "-w", *(f"-X {package}.{name}={value}" for name, value in values.items())])
