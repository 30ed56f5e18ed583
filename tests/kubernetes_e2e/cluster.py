"""Runs a cluster for the e2e suite: fakeapi, kube-controller-manager, and a container runtime for DRA."""

import secrets
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import trustme

from tests.interop.processes import Program, Served
from tests.kubernetes_e2e.programs import MANAGER, Programs

OPTIONS = ("--authorization", "rbac", "--enable-admission-plugins", "ServiceAccount,NodeRestriction")
"""The server's options for a cluster as the e2e suite expects it."""

NODES = ("n1", "n2", "n3")
OURS = (
    "clusterrole-aggregation-controller",
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "device-taint-eviction-controller",
    "disruption-controller",
    "endpoints-controller",
    "endpointslice-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "podgroup-protection-controller",
    "replicaset-controller",
    "replicationcontroller-controller",
    "resourceclaim-controller",
    "resourcequota-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
    "statefulset-controller",
    "ttl-after-finished-controller",
    "volumeattributesclass-protection-controller",
)
"""Controllers that kube-controller-manager must not run, because fakeapi runs its own."""

UNKNOWN = {"1.33": {"podgroup-protection-controller"}, "1.34": {"podgroup-protection-controller"}}
"""Controllers that kube-controller-manager does not have, by release. It exits if it shall not run them."""

BEHAVIOUR = """\
containers:
- {stopAfter: 1s, stopExitCode: 0}
- {image: "*/pause:*", after: never}
"""
"""Simulated containers take a moment to end, because the suite looks at pods that are ending.

The containers of a Job complete at once, but its specs expect that containers of the image pause run.
"""

NETWORK = ("--run-network", "pod")
VERSIONS = {
    "1.36": ("scheduling.k8s.io/v1alpha2=true",),
    "1.37": ("scheduling.k8s.io/v1beta1=true",),
}
"""API versions to switch on, by release, as `test/e2e/dra/kind.yaml` of Kubernetes does."""

STORAGE_VERSIONS = "internal.apiserver.k8s.io/v1alpha1=true"
STORAGE_VERSIONS_GATE = "StorageVersionAPI"
"""The API version and the gate that the specs about StorageVersions need."""

DRA_GATES = {
    "DRAAdminAccess",
    "DRADeviceTaints",
    "DRAPartitionableDevices",
    "DRAPrioritizedList",
    "DRAResourceClaimDeviceStatus",
    "DynamicResourceAllocation",
}
GATES = {
    "1.33": DRA_GATES,
    "1.34": {
        "DRAConsumableCapacity",
        "DRADeviceBindingConditions",
        "DRADeviceTaints",
        "DRAExtendedResource",
        "DRAPartitionableDevices",
    },
    "1.36": {
        "DRADeviceTaintRules",
        "DRAListTypeAttributes",
        "DRAResourcePoolStatus",
        "DRAWorkloadResourceClaims",
        "GenericWorkload",
    },
    "1.37": {
        "DRADeviceCompatibilityGroups",
        "DRAOptionalNodeOperations",
        "DRAPartitionableDevicesType",
        "DRAResourcePoolStatus",
        "DRAWorkloadResourceClaims",
        "GenericWorkload",
    },
}
"""Feature gates about ResourceClaims to enable, by release. They are off by default."""


class Cluster:
    """Runs all programs of the cluster for the e2e suite.

    `kubeconfig`: a kubeconfig for an administrator. It leads to the server over TLS, or with `runtime` to the
    fake container runtime, which passes requests on.
    """

    def __init__(
        self, release: str, programs: Programs, folder: Path, *, runtime: bool, real: bool = False
    ) -> None:
        """Prepares the cluster.

        - `runtime`: whether the fake container runtime runs, which the suite's DRA driver needs
        - `real`: whether containers of agnhost and busybox run as local processes (the option `--run`)
        """
        self.release, self.folder = release, folder
        self._runtime, self._real = runtime, real
        self._programs = programs
        self._running = ExitStack()
        self._certificate, self._key = folder / "signing.pem", folder / "signing-key.pem"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / ("e2e.kubeconfig" if self._runtime else "kubeconfig")

    def __enter__(self) -> Self:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(self._certificate))
        authority.private_key_pem.write_to_path(str(self._key))
        with ExitStack() as starting:
            gates = self._gates()
            options = ("--controllers", "all", "--nodes", ",".join(NODES), *OPTIONS, *gates, *self._images())
            secure = () if self._runtime else ("--tls", "--client-ca", str(self._certificate))
            server = Served(
                self.folder, self.release, *options, *self._versions(), *secure, tls=not self._runtime
            )
            starting.enter_context(server)
            if self._runtime:
                self._start_runtime(starting, server)
            manager = Program(self._manager(server, gates), self.folder / f"{MANAGER}.log")
            starting.enter_context(manager)
            self._running = starting.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def _start_runtime(self, starting: ExitStack, server: Served) -> None:
        containers: list[str | Path] = [
            self._programs.containers,
            "-server",
            server.url,
            "-directory",
            server.kubelet,
            *(["-real"] if self._real else []),
        ]
        front = starting.enter_context(Program(containers, self.folder / "containers.log"))
        url = front.await_line("http://").strip()
        text = server.kubeconfig.read_text(encoding="utf-8")
        self.kubeconfig.write_text(text.replace(server.url, url), encoding="utf-8")

    def _images(self) -> tuple[str, ...]:
        """Returns the options for containers: the behaviour of simulated containers, or the images that run
        as processes.
        """
        if not self._real:
            behaviour = self.folder / "containers.yaml"
            behaviour.write_text(BEHAVIOUR, encoding="utf-8")
            return ("--containers", str(behaviour))
        agnhost = self.folder / "agnhost"
        agnhost.mkdir()
        shutil.copy(self._programs.agnhost, agnhost / "agnhost")  # all users can read the copy
        images = {"*/agnhost": agnhost, "*/busybox": _busybox(self.folder)}
        return (*(part for image in images.items() for part in ("--run", f"{image[0]}={image[1]}")), *NETWORK)

    def _gates(self) -> tuple[str, ...]:
        gates = GATES.get(self.release, set()) | (set() if self._runtime else {STORAGE_VERSIONS_GATE})
        return ("--feature-gates", ",".join(f"{each}=true" for each in sorted(gates))) if gates else ()

    def _versions(self) -> tuple[str, ...]:
        versions = (*VERSIONS.get(self.release, ()), *(() if self._runtime else (STORAGE_VERSIONS,)))
        return ("--runtime-config", ",".join(versions)) if versions else ()

    def _manager(self, server: Served, gates: tuple[str, ...]) -> list[str | Path]:
        controllers = ["*", *(f"-{name}" for name in OURS if name not in UNKNOWN.get(self.release, ()))]
        return [
            self._programs.manager, "--kubeconfig", server.kubeconfig, "--secure-port", "0", "--v", "2",
            "--controllers", ",".join(controllers), "--flex-volume-plugin-dir", self.folder / "flex",
            "--cluster-signing-cert-file", self._certificate, "--cluster-signing-key-file", self._key,
            "--leader-elect=false", *gates,
        ]  # fmt: skip


def _busybox(folder: Path) -> Path:
    """Returns the directory of the image busybox. Without the program busybox, this is the machine's root."""
    program = shutil.which("busybox")
    if program is None:
        return Path("/")
    programs = folder / "busybox" / "bin"
    programs.mkdir(parents=True)
    subprocess.run([program, "--install", "-s", str(programs)], check=True)
    return programs.parent


def make_folder() -> Path:
    """Creates a temporary directory and returns its path.

    The path is short, because the length of Unix socket paths is limited.
    """
    folder = Path(tempfile.gettempdir(), secrets.token_hex(2))
    folder.mkdir()
    return folder
