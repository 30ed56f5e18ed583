"""Files that users name are read only if they are regular files, and only up to a size limit."""

import os
import socket
from pathlib import Path

import pytest

from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig
from fakeapi.clients.target import TargetError
from fakeapi.faults.reading import read_rules
from fakeapi.faults.rules import RuleError
from fakeapi.inputfile import read_regular
from fakeapi.installing.sources import InstallError, manifests_of
from fakeapi.snapshots.content import SnapshotError
from fakeapi.snapshots.file import read as read_snapshot
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import TraceError


def special(directory: Path, kind: str) -> Path:
    path = directory / f"{kind}.yaml"
    match kind:
        case "a FIFO":
            os.mkfifo(path)
        case "a device":
            path = Path("/dev/zero")
        case "a socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(path))
        case _:
            path.mkdir()
    return path


@pytest.mark.parametrize("link_name", ["", "link.yaml"], ids=["named", "linked"])
@pytest.mark.parametrize("kind", ["a FIFO", "a device", "a socket"])
def test_special_files_are_refused_also_through_symbolic_links(
    tmp_path: Path, kind: str, link_name: str
) -> None:
    path = special(tmp_path, kind)
    if link_name:
        link = tmp_path / link_name
        link.symlink_to(path)
        path = link
    with pytest.raises(OSError, match=f"{kind}, not a regular file"):
        read_regular(path, 100)
    with pytest.raises(InstallError, match=f"cannot read .*: {kind}, not a regular file"):
        manifests_of([path])
    with pytest.raises(RuleError, match=kind):
        read_rules(path)
    with pytest.raises(SnapshotError, match=kind):
        read_snapshot(path)
    with pytest.raises(TargetError, match=kind):
        target_of_kubeconfig(path)
    with pytest.raises(TraceError, match=kind):
        open_trace(path)


def test_a_special_file_in_a_directory_of_manifests_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    with pytest.raises(InstallError, match="a FIFO, not a regular file"):
        manifests_of([tmp_path])


def test_a_directory_and_a_path_with_a_nul_are_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path, 100)
    with pytest.raises(OSError, match="null"):
        read_regular(tmp_path / "a\0b", 100)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    assert read_regular(path, 100) == b"x" * 100
    with pytest.raises(OSError, match="longer than 99 bytes"):
        read_regular(path, 99)


def test_a_file_that_hides_its_size_is_read_up_to_its_bound() -> None:
    with pytest.raises(OSError, match="longer than 10 bytes"):
        read_regular(Path("/proc/self/maps"), 10)


def test_certificates_and_tokens_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.clients.target.FILE_BYTES_MAX", 100)
    path = tmp_path / "config"
    path.write_text("{}".ljust(101))
    with pytest.raises(TargetError, match="longer than 100 bytes"):
        target_of_kubeconfig(path)
