"""Runs a cluster for the e2e suite: fakeapi, kube-controller-manager and a fake container runtime."""

import secrets
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import trustme

from tests.interop.processes import Program, Served
from tests.kubernetes_e2e.programs import MANAGER, Programs

OPTIONS = ("--authorization", "rbac", "--enable-admission-plugins", "ServiceAccount,NodeRestriction")
"""The server's options for a cluster as the e2e suite expects it.

Clients without a token are administrators.
"""

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

BEHAVIOUR = "containers: [{stopAfter: 1s, stopExitCode: 0}]"
"""Simulated containers take a moment to end, because the suite looks at pods that are ending."""

NETWORK = ("--run-network", "pod")
VERSIONS = {"1.37": ("scheduling.k8s.io/v1beta1=true",)}
"""API versions to switch on, by release, as `test/e2e/dra/kind.yaml` of Kubernetes does."""

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

    `kubeconfig`: a kubeconfig that connects to fakeapi through the fake container runtime.
    """

    def __init__(self, release: str, programs: Programs, folder: Path, *, real: bool = False) -> None:
        """`real`: whether containers of agnhost and busybox run as local processes (the option `--run`)."""
        self.release, self.folder = release, folder
        self._real = real
        self._programs = programs
        self._running = ExitStack()

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "e2e.kubeconfig"

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            gates = self._gates()
            versions = VERSIONS.get(self.release)
            served = ("--runtime-config", ",".join(versions)) if versions else ()
            options = ("--controllers", "all", "--nodes", ",".join(NODES), *OPTIONS, *gates)
            server = Served(self.folder, self.release, *options, *served, *self._images())
            starting.enter_context(server)
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
            manager = Program(self._manager(server, gates), self.folder / f"{MANAGER}.log")
            starting.enter_context(manager)
            self._running = starting.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

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
        (agnhost / "agnhost").symlink_to(self._programs.agnhost)
        images = {"*/agnhost": agnhost, "*/busybox": "/"}
        return (*(part for image in images.items() for part in ("--run", f"{image[0]}={image[1]}")), *NETWORK)

    def _gates(self) -> tuple[str, ...]:
        gates = GATES.get(self.release, set())
        return ("--feature-gates", ",".join(f"{each}=true" for each in sorted(gates))) if gates else ()

    def _manager(self, server: Served, gates: tuple[str, ...]) -> list[str | Path]:
        authority = trustme.CA()
        certificate, key = self.folder / "signing.pem", self.folder / "signing-key.pem"
        authority.cert_pem.write_to_path(str(certificate))
        authority.private_key_pem.write_to_path(str(key))
        controllers = ["*", *(f"-{name}" for name in OURS)]
        return [
            self._programs.manager, "--kubeconfig", server.kubeconfig, "--secure-port", "0", "--v", "2",
            "--controllers", ",".join(controllers), "--flex-volume-plugin-dir", self.folder / "flex",
            "--cluster-signing-cert-file", certificate, "--cluster-signing-key-file", key,
            "--leader-elect=false", *gates,
        ]  # fmt: skip


def make_folder() -> Path:
    """Creates a temporary directory and returns its path.

    The path is short, because the length of Unix socket paths is limited.
    """
    folder = Path(tempfile.gettempdir(), secrets.token_hex(2))
    folder.mkdir()
    return folder
