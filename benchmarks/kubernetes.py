"""Builds and runs etcd and kube-apiserver on loopback, for comparisons with `make bench ARGS="--beside ..."`.

    python -m benchmarks.kubernetes [--builds FOLDER] [--port PORT]

Go downloads and compiles both programs once from their published modules, in about 15 minutes on two cores.
Then this command prints the options for `make bench` and runs both servers until you interrupt it. `make
bench ARGS=--kubernetes` does all of this itself. etcd runs with `--unsafe-no-fsync`, so it does not wait for
its disk. kube-apiserver serves resource.k8s.io/v1alpha3 with the gate DynamicResourceAllocation.
"""

import argparse
import contextlib
import secrets
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.interop import go_programs
from tests.interop.toolchain import BUILDS

RELEASE = "1.31"
ETCD = "v3.5.21"
PORT = 6443
CLAIMS = (
    "--feature-gates=DynamicResourceAllocation=true",
    "--runtime-config=resource.k8s.io/v1alpha3=true",
)
START_SECONDS = 90.0
STOP_SECONDS = 30.0

_ETCD_SOURCE = """package main

import (
\t"os"

\t"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
"""
_API_SERVER = "k8s.io/kubernetes/cmd/kube-apiserver"
_COMPONENTS = Path(__file__).parents[1] / "tests" / "interop" / "components"


@dataclass(frozen=True)
class Running:
    """A running kube-apiserver with etcd.

    `token` authenticates a cluster administrator. `pids` are the process ids of kube-apiserver and etcd.
    """

    url: str
    token: str
    pids: tuple[int, ...]

    def options(self) -> list[str]:
        """Returns the options that let `benchmarks/run.py` compare fakeapi with this kube-apiserver."""
        pids = [option for pid in self.pids for option in ("--beside-pid", str(pid))]
        return ["--beside", self.url, "--token", self.token, *pids]


def build_etcd(builds: Path) -> Path:
    go_mod = f"module program\n\ngo 1.22.0\n\nrequire go.etcd.io/etcd/server/v3 {ETCD}\n"
    return go_programs.build("etcd", go_mod, {"main.go": _ETCD_SOURCE}, builds=builds)


def build_api_server(builds: Path, release: str = RELEASE) -> Path:
    major, minor = release.split(".")
    version = {"gitVersion": go_programs.kubernetes_version(release), "gitMajor": major, "gitMinor": minor}
    named = [f"-X k8s.io/component-base/version.{name}={value}" for name, value in version.items()]
    return go_programs.build(
        f"kube-apiserver-{release}",
        go_programs.with_kubernetes(release),
        {"use.go": f'package program\n\nimport _ "{_API_SERVER}/app"\n'},
        builds=builds,
        command=("build", "-ldflags", " ".join(["-s", "-w", *named])),
        package=_API_SERVER,
    )


def build_component(name: str, release: str, builds: Path) -> Path:
    """Compiles kube-scheduler or kube-controller-manager; returns the path of the program."""
    source = (_COMPONENTS / name / "main.go").read_text(encoding="utf-8")
    modules = go_programs.with_kubernetes(release)
    return go_programs.build(f"{name}-{release}", modules, {"main.go": source}, builds=builds)


@contextlib.contextmanager
def running(
    etcd: Path,
    api_server: Path,
    port: int,
    *,
    users: Sequence[str] = (),
    authorization: str = "RBAC",
    options: Sequence[str] = CLAIMS,
) -> Iterator[Running]:
    """Runs kube-apiserver on `port` and etcd on the next two ports, with their data in a temporary directory.

    - `users`: additional lines of the token file, in the form `token,name,uid,groups`.
    - `authorization`: value of kube-apiserver's option `--authorization-mode`.
    - `options`: additional options of kube-apiserver.
    """
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        place = Path(name)
        store, peers = (f"http://127.0.0.1:{port + offset}" for offset in (1, 2))
        database = stack.enter_context(
            _process(place / "etcd.log", [str(etcd), *_etcd_options(place, store, peers)])
        )
        token = secrets.token_hex(16)
        lines = [f"{token},bench,bench,system:masters", *users]
        (place / "tokens.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        _write_key(place / "accounts.key")
        named = place / "kube-apiserver"  # the name is the field manager of kube-apiserver's own writes
        named.symlink_to(api_server.resolve())
        command = [str(named), *_api_server_options(place, store, port)]
        command += [f"--authorization-mode={authorization}", *options]
        server = stack.enter_context(_process(place / "server.log", command))
        url = f"https://127.0.0.1:{port}"
        _await_ready(url, token, server, place / "server.log")
        yield Running(url, token, (server.pid, database.pid))


def _etcd_options(place: Path, store: str, peers: str) -> list[str]:
    return [
        f"--data-dir={place / 'etcd'}",
        f"--listen-client-urls={store}",
        f"--advertise-client-urls={store}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        "--unsafe-no-fsync",
        "--log-level=error",
    ]


def _api_server_options(place: Path, store: str, port: int) -> list[str]:
    return [
        f"--etcd-servers={store}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={place / 'certificates'}",
        f"--token-auth-file={place / 'tokens.csv'}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={place / 'accounts.key'}",
        f"--service-account-signing-key-file={place / 'accounts.key'}",
        "--endpoint-reconciler-type=none",
    ]


def _write_key(path: Path) -> None:
    """Writes a new private key in PEM to `path`; kube-apiserver signs service account tokens with it."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))


@contextlib.contextmanager
def _process(log: Path, command: Sequence[str]) -> "Iterator[subprocess.Popen[bytes]]":
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as started:
        try:
            yield started
        finally:
            started.terminate()
            try:
                started.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                started.kill()


def _await_ready(url: str, token: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    asked = urllib.request.Request(f"{url}/readyz", headers={"Authorization": f"Bearer {token}"})
    end = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < end:
        try:
            urllib.request.urlopen(asked, context=trusting, timeout=START_SECONDS).read()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"kube-apiserver does not become ready:\n{log.read_text(errors='replace')[-4000:]}")


def add_options(parser: argparse.ArgumentParser, port: int) -> None:
    """Adds the options `--builds` and `--port` of a command that runs kube-apiserver.

    `port`: the default of `--port`.
    """
    parser.add_argument("--builds", type=Path, default=BUILDS, help="the folder of the compiled programs")
    parser.add_argument("--port", type=int, default=port, help="of kube-apiserver; etcd takes the next two")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser, PORT)
    arguments = parser.parse_args()
    programs = build_etcd(arguments.builds), build_api_server(arguments.builds)
    with running(*programs, arguments.port) as server:
        print(f'make bench ARGS="{" ".join(server.options())}"', flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(1)


if __name__ == "__main__":
    main()
