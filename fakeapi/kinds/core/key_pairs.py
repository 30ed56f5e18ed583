"""Validates certificates and their private keys, with the errors of Go's tls.X509KeyPair."""

import re

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from fakeapi.machinery.lazy_pattern import lazy_pattern

_BLOCK = lazy_pattern(rb"-----BEGIN ([^\n-]*)-----\r?\n.*?-----END \1-----", re.DOTALL)
_SUPPORTED = (rsa.RSAPublicKey, ec.EllipticCurvePublicKey, ed25519.Ed25519PublicKey)


def key_pair_problem(certificate: bytes, key: bytes) -> str:
    """Returns Go's error for a PEM certificate and its PEM private key; "" if they are valid and match."""
    block, skipped = _block_of(certificate, "CERTIFICATE")
    if not block:
        return _no_certificate(skipped)
    private, skipped = _block_of(key, "PRIVATE KEY")
    if not private:
        return _no_key(skipped)
    try:
        public = x509.load_pem_x509_certificate(block).public_key()
    except (ValueError, UnsupportedAlgorithm):
        return "x509: malformed certificate"
    try:
        loaded = load_pem_private_key(private, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "tls: failed to parse private key"
    if not isinstance(public, _SUPPORTED):
        return "tls: unknown public key algorithm"
    other = loaded.public_key()
    if type(public) is not type(other):
        return "tls: private key type does not match public key type"
    one, two = (
        public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        for public_key in (public, other)
    )
    return "" if one == two else "tls: private key does not match public key"


def _block_of(text: bytes, suffix: str) -> tuple[bytes, list[str]]:
    """Returns the first PEM block of a type, and the types of the blocks before it.

    `suffix`: the PEM type. `PRIVATE KEY` also selects the types that end with ` PRIVATE KEY`.
    """
    skipped: list[str] = []
    for match in _BLOCK.finditer(text):
        name = match[1].decode(errors="replace")
        if name == suffix or (suffix == "PRIVATE KEY" and name.endswith(f" {suffix}")):
            return match[0], skipped
        skipped.append(name)
    return b"", skipped


def _no_certificate(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in certificate input"
    if len(skipped) == 1 and skipped[0].endswith("PRIVATE KEY"):
        return (
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM "
            "inputs may have been switched"
        )
    return (
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the '
        f"following types: [{' '.join(skipped)}]"
    )


def _no_key(skipped: list[str]) -> str:
    if not skipped:
        return "tls: failed to find any PEM data in key input"
    if skipped == ["CERTIFICATE"]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    return (
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM '
        f"blocks of the following types: [{' '.join(skipped)}]"
    )
