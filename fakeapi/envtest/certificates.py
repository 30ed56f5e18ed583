"""Finds or creates the serving certificate of kube-apiserver."""

from pathlib import Path
from typing import Final

from fakeapi.atomic_file import alone_in, atomic_file, make_directory
from fakeapi.envtest.flags import FlagError

DEFAULT_DIRECTORY: Final = "/var/run/kubernetes"
"""Directory of the serving certificate if `--cert-dir` is not set."""

_NAME: Final = "apiserver"
_NAMES: Final = (
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
)


def serving_certificate(certificate: str, key: str, directory: str, host: str) -> tuple[Path, Path]:
    """Returns the paths of the serving certificate and of its private key.

    - `certificate`, `key`: the values of `--tls-cert-file` and `--tls-private-key-file`. If both are "", the
      files are apiserver.crt and apiserver.key in `directory`; creates them if both are missing.
    - `directory`: the value of `--cert-dir`; "" for DEFAULT_DIRECTORY.
    - `host`: the address that the server listens on. A new certificate is valid for this address.

    Follows `MaybeDefaultWithSelfSignedCerts` of k8s.io/apiserver `pkg/server/options`. Raises FlagError if
    only one of `certificate` and `key` is set or exists, and OSError if a new certificate cannot be written.
    """
    if bool(certificate) != bool(key):
        raise FlagError("--tls-cert-file and --tls-private-key-file must be specified together")
    if certificate:
        return Path(certificate), Path(key)
    folder = Path(directory or DEFAULT_DIRECTORY)
    files = folder / f"{_NAME}.crt", folder / f"{_NAME}.key"
    make_directory(folder, 0o755)
    with alone_in(folder):
        existing = [file for file in files if file.exists()]
        if len(existing) == 1:  # do not overwrite the file: it may be the only copy
            raise FlagError(f"error reading {existing[0]}, certificate and key must be supplied as a pair")
        if not existing:
            _create(*files, names=dict.fromkeys((*_NAMES, host)))
    return files


def _create(certificate: Path, key: Path, names: dict[str, None]) -> None:
    import trustme  # noqa: PLC0415 - rarely used, and imports cryptography

    authority = trustme.CA(organization_name="fakeapi")
    issued = authority.issue_cert(*names)
    with atomic_file(key) as file:
        file.write(issued.private_key_pem.bytes())
    with atomic_file(certificate) as file:
        file.write(b"".join(pem.bytes() for pem in issued.cert_chain_pems) + authority.cert_pem.bytes())
    certificate.chmod(0o644)
