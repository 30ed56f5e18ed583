"""The server's CA: its files, and the TLS certificates that it signs."""

import ssl
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from fakeapi.serving.certificates import CA_CERTIFICATE, CA_KEY, CertificateError, issue


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_ca_that_is_kept_is_used_again(tmp_path: Path) -> None:
    first, second = issue(["localhost"], tmp_path / "new"), issue(["127.0.0.1"], tmp_path / "new")
    assert first.ca == second.ca == (tmp_path / "new" / CA_CERTIFICATE).read_bytes()


def test_without_a_directory_every_server_has_a_ca_of_its_own() -> None:
    assert issue(["localhost"]).ca != issue(["localhost"]).ca


def test_the_key_is_readable_by_its_owner_only_also_where_a_file_was_there(tmp_path: Path) -> None:
    issue(["localhost"], tmp_path)
    assert mode(tmp_path / CA_KEY) == 0o600
    (tmp_path / CA_KEY).chmod(0o644)
    issue(["localhost"], tmp_path)
    assert mode(tmp_path / CA_KEY) == 0o600


@pytest.mark.parametrize("name", [CA_KEY, CA_CERTIFICATE])
def test_files_that_are_no_ca_are_named(tmp_path: Path, name: str) -> None:
    issue(["localhost"], tmp_path)
    (tmp_path / name).write_text("no PEM")
    with pytest.raises(CertificateError, match=rf"{CA_CERTIFICATE} and .*{CA_KEY} are not a CA"):
        issue(["localhost"], tmp_path)


def test_old_versions_of_tls_are_not_spoken() -> None:
    assert issue(["localhost"]).server().minimum_version is ssl.TLSVersion.TLSv1_2


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


def test_a_key_without_its_certificate_is_refused_and_stays(tmp_path: Path) -> None:
    issue(["localhost"], tmp_path)
    (tmp_path / CA_CERTIFICATE).unlink()
    key = (tmp_path / CA_KEY).read_bytes()
    with pytest.raises(CertificateError, match=rf"{CA_KEY} has no {CA_CERTIFICATE} beside it"):
        issue(["localhost"], tmp_path)
    assert (tmp_path / CA_KEY).read_bytes() == key


def test_a_certificate_without_its_key_is_refused(tmp_path: Path) -> None:
    issue(["localhost"], tmp_path)
    (tmp_path / CA_KEY).unlink()
    with pytest.raises(FileNotFoundError, match=CA_KEY):
        issue(["localhost"], tmp_path)


def test_the_key_of_another_ca_is_refused(tmp_path: Path) -> None:
    for name in ("one", "other"):
        issue(["localhost"], tmp_path / name)
    (tmp_path / "other" / CA_KEY).replace(tmp_path / "one" / CA_KEY)
    with pytest.raises(CertificateError, match="the key belongs to another certificate"):
        issue(["localhost"], tmp_path / "one")


FAR = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("end", "extensions", "problem"),
    [
        (datetime(2021, 1, 1, tzinfo=UTC), {"authority": True}, "valid from 2020-01-01 to 2021-01-01"),
        (FAR, {"authority": False}, "may not sign other certificates"),
        (FAR, {"authority": None}, "needs basicConstraints and"),
        (FAR, {"authority": True, "identifier": False}, "and a subjectKeyIdentifier"),
    ],
)
def test_a_certificate_that_no_client_would_trust_is_refused(
    tmp_path: Path, end: datetime, extensions: dict[str, bool | None], problem: str
) -> None:
    write_ca(tmp_path, end, **extensions)
    with pytest.raises(CertificateError, match=problem):
        issue(["localhost"], tmp_path)


def test_a_ca_of_another_program_is_used(tmp_path: Path) -> None:
    write_ca(tmp_path, FAR)
    assert issue(["localhost"], tmp_path).ca == (tmp_path / CA_CERTIFICATE).read_bytes()


def write_ca(
    directory: Path, end: datetime, *, authority: bool | None = True, identifier: bool | None = True
) -> None:
    """Writes a CA certificate and its key into the directory.

    - `end`: the end of the certificate's validity, which starts in 2020
    - `authority`: whether the basic constraints declare a CA; None leaves out the basic constraints
    - `identifier`: whether the certificate has a subject key identifier
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "another")])
    builder = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(end)
    )
    if authority is not None:
        builder = builder.add_extension(x509.BasicConstraints(authority, None), critical=True)
    if identifier:
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
    certificate = builder.sign(key, hashes.SHA256())
    (directory / CA_CERTIFICATE).write_bytes(certificate.public_bytes(Encoding.PEM))
    (directory / CA_KEY).write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    )


def test_a_certificate_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    issue(["localhost"], tmp_path)
    monkeypatch.setattr("fakeapi.serving.certificates.KEY_FILE_BYTES_MAX", 100)
    with pytest.raises(OSError, match="longer than 100 bytes"):
        issue(["localhost"], tmp_path)
