"""The CA of a server, and where it is kept."""

import ssl
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from fakeapi.serving.certificates import CA_CERTIFICATE, CA_KEY, CertificateError, issue


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_ca_that_is_kept_is_used_again(tmp_path: Path) -> None:
    first, second = issue(["localhost"], tmp_path / "new"), issue(["127.0.0.1"], tmp_path / "new")
    assert first.ca == second.ca == (tmp_path / "new" / CA_CERTIFICATE).read_bytes()


def test_without_a_directory_every_server_has_a_ca_of_its_own() -> None:
    assert issue(["localhost"]).ca != issue(["localhost"]).ca


@pytest.mark.parametrize("certificate_too", [True, False])
def test_the_key_is_readable_by_its_owner_only_also_where_a_file_was_there(
    tmp_path: Path,
    certificate_too: bool,  # noqa: FBT001 - pytest
) -> None:
    issue(["localhost"], tmp_path)
    (tmp_path / CA_KEY).chmod(0o644)
    if not certificate_too:
        (tmp_path / CA_CERTIFICATE).unlink()
    issue(["localhost"], tmp_path)
    assert mode(tmp_path / CA_KEY) == 0o600


@pytest.mark.parametrize("name", [CA_KEY, CA_CERTIFICATE])
def test_files_that_are_no_ca_are_named(tmp_path: Path, name: str) -> None:
    issue(["localhost"], tmp_path)
    (tmp_path / name).write_text("no PEM")
    with pytest.raises(CertificateError, match=rf"{CA_CERTIFICATE} and .*{CA_KEY} are not a CA"):
        issue(["localhost"], tmp_path)


def test_old_versions_of_tls_are_not_spoken() -> None:
    assert issue(["localhost"]).server.minimum_version is ssl.TLSVersion.TLSv1_2


def test_servers_that_start_together_with_a_new_directory_make_one_ca(tmp_path: Path) -> None:
    together = Barrier(8)

    def start(_: int) -> bytes:
        together.wait()
        return issue(["localhost"], tmp_path / "new").ca

    with ThreadPoolExecutor(8) as threads:
        assert {*threads.map(start, range(8))} == {(tmp_path / "new" / CA_CERTIFICATE).read_bytes()}
    issue(["localhost"], tmp_path / "new")


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        issue(["localhost"], tmp_path / "file")
