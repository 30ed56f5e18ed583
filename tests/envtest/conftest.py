"""Fixtures that start etcd and kube-apiserver of an envtest folder, as controller-runtime does."""

import contextlib
import http.client
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fakeapi.envtest import assets
from tests.authentication.client import TLSClient
from tests.authentication.conftest import Authority
from tests.interop.processes import free_port

START_SECONDS = 30.0
STOP_SECONDS = 10.0

Popen = subprocess.Popen[bytes]


class ControlPlane:
    """An etcd and a kube-apiserver with envtest's flags. `folder`: the folder of the programs."""

    def __init__(self, folder: Path, directory: Path) -> None:
        self.folder = folder
        self.directory = directory
        self.data = directory / "etcd"
        self.certificates = directory / "certificates"
        self.certificates.mkdir()
        self.clients = Authority(self.certificates)
        self.etcd_port, self.port = free_port(), free_port()
        self._running: list[Popen] = []

    def start_etcd(self) -> Popen:
        url = f"http://127.0.0.1:{self.etcd_port}"
        return self._start(
            "etcd",
            "--listen-peer-urls=http://localhost:0",
            f"--data-dir={self.data}",
            f"--advertise-client-urls={url}",
            f"--listen-client-urls={url}",
            "--unsafe-no-fsync=true",
        )

    def start_server(self, *flags: str) -> Popen:
        """Starts kube-apiserver, and waits until it is healthy or has ended."""
        process = self._start(
            "kube-apiserver",
            "--allow-privileged=true",
            "--authorization-mode=RBAC",
            "--bind-address=127.0.0.1",
            f"--cert-dir={self.certificates}",
            f"--client-ca-file={self.clients.file}",
            "--disable-admission-plugins=ServiceAccount",
            f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
            f"--secure-port={self.port}",
            f"--service-account-issuer=https://127.0.0.1:{self.port}/",
            "--service-cluster-ip-range=10.0.0.0/24",
            *flags,
        )
        self._wait(process)
        return process

    @property
    def server(self) -> Popen:
        """The process of kube-apiserver."""
        return self._running[1]

    def _start(self, name: str, *flags: str) -> Popen:
        with (self.directory / f"{name}.log").open("ab") as log:
            process = subprocess.Popen([str(self.folder / name), *flags], stdout=log, stderr=log)
        self._running.append(process)
        return process

    def _wait(self, process: Popen) -> None:
        end = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.connect().send("GET", "/healthz").code in (200, 401):
                    return
            time.sleep(0.05)

    def connect(self, certificate: Path | None = None) -> TLSClient:
        """Returns a client of the server, which does not verify the server's certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate is not None:
            context.load_cert_chain(certificate)
        return TLSClient(self.port, context)

    def administrator(self) -> TLSClient:
        return self.connect(self.clients.certificate("admin", "system:masters"))

    def log_of(self, name: str) -> str:
        return (self.directory / f"{name}.log").read_text(encoding="utf-8")

    def stop(self) -> None:
        for process in reversed(self._running):
            process.terminate()
        for process in self._running:
            process.wait(STOP_SECONDS)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assets.prepare(tmp_path_factory.mktemp("store"), "1.34.2")


@pytest.fixture
def control_plane(folder: Path, tmp_path: Path) -> Iterator[ControlPlane]:
    plane = ControlPlane(folder, tmp_path)
    try:
        yield plane
    finally:
        plane.stop()


@pytest.fixture
def started(control_plane: ControlPlane) -> Callable[..., ControlPlane]:
    """Returns a function that starts etcd, and then kube-apiserver with additional flags."""

    def start(*flags: str) -> ControlPlane:
        control_plane.start_etcd()
        control_plane.start_server(*flags)
        return control_plane

    return start
