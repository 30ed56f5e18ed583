"""A server with `tls_cert` and `tls_key` serves HTTPS with the certificate in these files."""

import ssl
from pathlib import Path

import pytest
import trustme

from fakeapi import followed_files
from fakeapi.testing.server import FakeAPI, StartError


def write(directory: Path, *names: str) -> tuple[Path, Path]:
    issued = trustme.CA().issue_cert(*names)
    certificate, key = directory / "tls.crt", directory / "tls.key"
    issued.cert_chain_pems[0].write_to_path(certificate)
    issued.private_key_pem.write_to_path(key)
    return certificate, key


def test_the_server_presents_the_certificate_of_the_file(tmp_path: Path) -> None:
    certificate, key = write(tmp_path, "somewhere.example.com")
    with FakeAPI(tls_cert=certificate, tls_key=key) as api:
        assert ssl.get_server_certificate(("127.0.0.1", api.port)).split() == certificate.read_text().split()
        assert api.url.startswith("https://")
        assert api.list("pods") == []


def test_a_replaced_certificate_is_used_for_new_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed_files, "CHECK_SECONDS", 0.0)
    certificate, key = write(tmp_path, "127.0.0.1")
    with FakeAPI(tls_cert=certificate, tls_key=key) as api:
        before = ssl.get_server_certificate(("127.0.0.1", api.port))
        write(tmp_path, "127.0.0.1")
        assert ssl.get_server_certificate(("127.0.0.1", api.port)) != before


def test_a_key_beside_the_certificate_is_never_shown(tmp_path: Path) -> None:
    certificate, key = write(tmp_path, "127.0.0.1")
    certificate.write_bytes(certificate.read_bytes() + key.read_bytes())
    with FakeAPI(tls_cert=certificate, tls_key=certificate) as api:
        assert api.ca_file is not None
        assert "PRIVATE" not in api.ca_file.read_text()


def test_the_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    certificate, _ = write(tmp_path, "127.0.0.1")
    _, other = write(tmp_path / "other", "127.0.0.1")
    with pytest.raises(StartError, match="are not a certificate and its key"):
        FakeAPI(tls_cert=certificate, tls_key=other).start()
