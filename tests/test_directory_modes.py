"""Directories that the server creates have the requested permissions, with any umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakeapi import FakeAPI
from fakeapi.atomic_file import make_directory
from fakeapi.serving.certificates import CA_CERTIFICATE, CA_KEY, issue


@pytest.fixture(autouse=True)
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_missing_directories_get_the_mode_and_others_keep_theirs(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir(mode=0o777)
    make_directory(kept / "a" / "b", 0o750)
    make_directory(kept / "a" / "b", 0o700)
    assert [mode(kept), mode(kept / "a"), mode(kept / "a" / "b")] == [0o777, 0o750, 0o750]


def test_a_file_in_the_place_of_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(NotADirectoryError):
        make_directory(tmp_path / "a", 0o700)


def test_the_directories_of_a_kubelet_have_the_modes_of_kubernetes(tmp_path: Path) -> None:
    root = tmp_path / "kubelet"
    with FakeAPI(controllers="all", kubelet_directory=root) as api:
        node = api.node()
        made = [root, root / node.name, *(path for path in root.rglob("*") if path.is_dir())]
    assert len(made) >= 4
    assert {mode(path) for path in made} == {0o750}


def test_the_ca_of_a_tls_directory_is_readable_and_its_key_is_not(tmp_path: Path) -> None:
    issue(["localhost"], tmp_path / "a" / "tls")
    modes = [
        mode(tmp_path / "a"),
        *(mode(tmp_path / "a" / "tls" / name) for name in (".", CA_CERTIFICATE, CA_KEY)),
    ]
    assert modes == [0o755, 0o755, 0o644, 0o600]
