"""Writes folders with the programs etcd, kube-apiserver and kubectl, for the variable KUBEBUILDER_ASSETS.

A store is a directory of such folders, such as `STORE/k8s/1.34.2-linux-amd64/`. `setup-envtest` has the same
layout, so `setup-envtest use -i --bin-dir STORE` finds the folders too.
"""

import hashlib
import os
import platform
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fakeapi.atomic_file import alone_in, atomic_file, make_directory
from fakeapi.envtest import etcd, kube_apiserver
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.version import __version__

MARK: Final = ".fakeapi"
"""Name of the file that marks a folder as written by fakeapi. The file contains a digest of the programs."""

_NAME: Final = lazy_pattern(r"\d+\.\d+\.\d+-")
"""Matches the version at the start of a folder's name."""

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}


class AssetsError(Exception):
    """Raised if a folder cannot be written or removed. The message is one line."""


@dataclass(frozen=True, slots=True)
class Assets:
    """A folder that fakeapi has written. `version`: the version of its kube-apiserver, such as "1.34.2"."""

    version: str
    folder: Path


def default_store() -> Path:
    """Returns the default store: `fakeapi/envtest` in $XDG_DATA_HOME or in ~/.local/share.

    Differs from the default store of `setup-envtest`, so that real programs and fakeapi's programs stay
    apart.
    """
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "fakeapi" / "envtest"


def prepare(store: Path, version: str) -> Path:
    """Returns the folder with the programs of a version. Writes missing or outdated programs first.

    Programs are outdated if another version of fakeapi, or another Python, wrote them, or if the PATH has
    another kubectl. Several processes may call this function at the same time. Replaces each program
    atomically, so that a running test suite always finds a complete program. Raises AssetsError if the folder
    cannot be written, or has files that fakeapi has not written.
    """
    folder = (store / "k8s" / f"{version}-{_platform()}").absolute()
    programs = _programs(version)
    digest = hashlib.sha256(repr(sorted(programs.items())).encode()).hexdigest()
    try:
        make_directory(folder, 0o755)
        with alone_in(folder):
            mark = folder / MARK
            if not mark.exists() and any(folder.iterdir()):
                raise AssetsError(f"{folder} has files that fakeapi has not written; name another --dir")
            if (
                not mark.exists()
                or mark.read_text(encoding="utf-8") != digest
                or not _are_complete(folder, programs)
            ):
                for name, text in programs.items():
                    with atomic_file(folder / name) as file:
                        file.write(text.encode())
                        os.fchmod(file.fileno(), 0o755)
                with atomic_file(mark) as file:
                    file.write(digest.encode())
                    os.fchmod(file.fileno(), 0o644)
    except OSError as error:
        raise AssetsError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def listed(store: Path) -> list[Assets]:
    """Returns the folders in a store that fakeapi has written, oldest version first.

    Raises AssetsError if the store cannot be read.
    """
    try:
        folders = [mark.parent for mark in (store / "k8s").glob(f"*/{MARK}")]
    except OSError as error:
        raise AssetsError(f"cannot read {store}: {error.strerror}") from error
    assets_in_store = [
        Assets(folder.name.partition("-")[0], folder) for folder in folders if _NAME.match(folder.name)
    ]
    return sorted(assets_in_store, key=lambda assets: [int(part) for part in assets.version.split(".")])


def clean(store: Path) -> list[Assets]:
    """Removes the folders in a store that fakeapi has written, and returns them. Keeps all other files.

    Raises AssetsError if the store cannot be read, or if a folder cannot be removed.
    """
    removed = listed(store)
    for assets in removed:
        try:
            shutil.rmtree(assets.folder)
        except OSError as error:
            raise AssetsError(f"cannot remove {assets.folder}: {error.strerror}") from error
    return removed


def _are_complete(folder: Path, programs: dict[str, str]) -> bool:
    """Whether a folder contains all programs unchanged."""
    files = [folder / name for name in programs]
    return all(os.access(file, os.X_OK) and file.read_text("utf-8") == programs[file.name] for file in files)


def _platform() -> str:
    machine = platform.machine()
    return f"{sys.platform}-{_ARCHITECTURES.get(machine, machine)}"


def _programs(version: str) -> dict[str, str]:
    """Returns the text of each program, by file name.

    etcd and kube-apiserver are shell scripts that run fakeapi with this Python. kubectl is a script that
    starts the kubectl on the PATH, or fails with a message if the PATH has none.
    """
    release = version.rpartition(".")[0]
    real = _real_kubectl()
    kubectl = f'exec {shlex.quote(str(real))} "$@"' if real else _NO_KUBECTL
    return {
        "etcd": _script("from fakeapi.envtest.etcd import main; main()", etcd.help_text()),
        "kube-apiserver": _script(
            f"from fakeapi.envtest.kube_apiserver import main; main({release!r})",
            kube_apiserver.help_text(release),
        ),
        "kubectl": f"#!/bin/sh\n{kubectl}\n",
    }


def _script(program: str, help_text: str) -> str:
    """Returns a shell script that runs a Python program.

    For `--help` alone, the script prints the text without Python, because envtest requests the help of each
    program before it starts the program.
    """
    # With -P, Python does not import modules from the current directory, which may be the tested project.
    command = shlex.join([sys.executable, "-P", "-c", program])
    return f"""\
#!/bin/sh
# Written by fakeapi {__version__}.
if [ "$*" = --help ]; then
    exec cat <<'END OF HELP'
{help_text}
END OF HELP
fi
FAKEAPI_PARENT=$PPID exec {command} "$@"
"""


def _real_kubectl() -> Path | None:
    """Returns the first kubectl on the PATH outside of fakeapi's folders; None without one."""
    for directory in os.get_exec_path():
        kubectl = Path(directory) / "kubectl"
        if os.access(kubectl, os.X_OK) and not (kubectl.parent / MARK).exists():
            return kubectl.absolute()
    return None


_NO_KUBECTL: Final = """\
echo "kubectl was not on the PATH when fakeapi wrote this folder, and fakeapi has none of its own." >&2
echo "Install it (https://kubernetes.io/docs/tasks/tools/), then run: fakeapi envtest" >&2
exit 127"""
