"""Loads a certificate and its private key from files into a TLS context."""

import ssl
from pathlib import Path

from fakeapi.inputfile import KEY_FILE_BYTES_MAX, read_regular


def load_key_pair(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    """Makes a TLS context present a certificate, whose private key must not be encrypted.

    Raises OSError if a file cannot be read, and ValueError if the files are not a certificate and its key.
    """
    for file in (certificate, key):
        read_regular(file, KEY_FILE_BYTES_MAX)
    try:
        context.load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        raise ValueError(f"{certificate} and {key} are not a certificate and its key: {error}") from error
