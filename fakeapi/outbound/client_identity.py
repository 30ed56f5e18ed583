"""ClientIdentity: the certificate that this server presents to other API servers."""

import ssl
from pathlib import Path

from fakeapi.followed_files import FollowedFiles
from fakeapi.key_files import load_key_pair


class KeyPair:
    """A client certificate and its private key, as the files contained them at one time.

    Each KeyPair is equal only to itself, so a TLS context can be cached for a KeyPair.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        """Raises the errors of `load_key_pair` if the files are unusable."""
        self._files = certificate, key
        self.add_to(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))

    def add_to(self, context: ssl.SSLContext) -> None:
        """Makes a TLS context present the certificate. Raises the errors of `load_key_pair`."""
        load_key_pair(context, *self._files)


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
