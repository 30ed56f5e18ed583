"""ClientIdentity: the certificate that this server presents to other API servers."""

import ssl
from pathlib import Path

from fakeapi.followed_files import FollowedFiles
from fakeapi.inputfile import KEY_FILE_BYTES_MAX, read_regular


class KeyPair:
    """A client certificate and its private key, as the files contained them at one time.

    Each KeyPair is equal only to itself, so a TLS context can be cached for a KeyPair.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        """Raises OSError for an unreadable file, and ValueError if the files are not a certificate and its
        key.
        """
        for file in (certificate, key):
            read_regular(file, KEY_FILE_BYTES_MAX)
        self._files = certificate, key
        self.add_to(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))

    def add_to(self, context: ssl.SSLContext) -> None:
        """Makes a TLS context present the certificate.

        Raises OSError or ValueError if the files have become unusable.
        """
        certificate, key = self._files
        try:
            context.load_cert_chain(certificate, key, password="")
        except ssl.SSLError as error:
            raise ValueError(f"{certificate} and {key} are not a certificate and its key: {error}") from error


class ClientIdentity:
    """The certificate that kube-apiserver's flags `--proxy-client-cert-file` and `-key-file` name.

    Reads the files again after each change. Raises the errors of KeyPair.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._current = FollowedFiles(lambda: KeyPair(certificate, key), [certificate, key])

    @property
    def key_pair(self) -> KeyPair:
        """The usable certificate and key that were read last."""
        return self._current()
