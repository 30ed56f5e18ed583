"""Keys that sign service account tokens: RSA and elliptic curves.

Follows k8s.io/client-go `util/keyutil` for files, and k8s.io/kubernetes `pkg/serviceaccount` for key ids and
algorithms. ECDSA signatures in a JSON Web Token are two numbers of equal length (RFC 7518, section 3.4).
"""

import base64
import hashlib
import re
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey

_BLOCK: Final = lazy_pattern(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)
_CURVES: Final[dict[str, tuple[str, str, hashes.HashAlgorithm]]] = {
    "secp256r1": ("ES256", "P-256", hashes.SHA256()),
    "secp384r1": ("ES384", "P-384", hashes.SHA384()),
    "secp521r1": ("ES512", "P-521", hashes.SHA512()),
}
"""The algorithm, the name in a JSON Web Key, and the hash of each elliptic curve by OpenSSL's name."""


def read_private_key(pem: bytes) -> PrivateKey:
    """Returns the RSA or EC private key in a PEM text. Raises ValueError if the text has no usable key."""
    try:
        key = load_pem_private_key(pem, None)
    except (TypeError, UnsupportedAlgorithm) as error:  # an encrypted key, or an unsupported curve
        raise ValueError(str(error)) from error
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in _CURVES:
        return key
    if isinstance(key, rsa.RSAPrivateKey):
        return key
    raise ValueError("the key is neither an RSA key nor an EC key of P-256, P-384 or P-521")


def read_public_keys(pem: bytes) -> list[PublicKey]:
    """Returns the public key of each public key, private key and certificate in a PEM text.

    Ignores other PEM blocks, and public keys and certificates with other algorithms. Raises ValueError for a
    block that cannot be read, for a private key with another algorithm, and for a text without a key.
    """
    keys: list[PublicKey] = []
    for block in _BLOCK.finditer(pem):
        kind, text = block[1], block[0]
        key: object
        try:
            if kind == b"CERTIFICATE":
                key = x509.load_pem_x509_certificate(text).public_key()
            elif kind.endswith(b"PUBLIC KEY"):
                key = load_pem_public_key(text)
            elif kind.endswith(b"PRIVATE KEY"):
                key = read_private_key(text).public_key()
            else:
                continue
        except UnsupportedAlgorithm:
            continue
        if isinstance(key, rsa.RSAPublicKey) or (
            isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name in _CURVES
        ):
            keys.append(key)
    if not keys:
        raise ValueError("data does not contain any valid RSA or ECDSA public keys")
    return keys


def key_id(key: PublicKey) -> str:
    """Returns the `kid` of a key: the SHA-256 of its SubjectPublicKeyInfo, in base64url."""
    spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return encode_segment(hashlib.sha256(spki).digest())


def algorithm(key: PublicKey) -> str:
    """Returns the `alg` of tokens that this key verifies, such as RS256 or ES384."""
    return "RS256" if isinstance(key, rsa.RSAPublicKey) else _CURVES[key.curve.name][0]


def signature_of(key: PrivateKey, signed: bytes) -> bytes:
    """Returns the signature of `signed` as a JSON Web Token contains it, before base64 encoding."""
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
    bits = key.curve.key_size
    r, s = decode_dss_signature(key.sign(signed, ec.ECDSA(_CURVES[key.curve.name][2])))
    return b"".join(number.to_bytes((bits + 7) // 8, "big") for number in (r, s))


def is_signed_by(key: PublicKey, signature: bytes, signed: bytes) -> bool:
    """Whether `signature` is a signature of `signed` with this key."""
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
            return True
        bits = key.curve.key_size
        size = (bits + 7) // 8
        if len(signature) != 2 * size:
            return False
        r, s = (int.from_bytes(part, "big") for part in (signature[:size], signature[size:]))
        key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(_CURVES[key.curve.name][2]))
    except InvalidSignature:
        return False
    return True


def web_key(key: PublicKey, name: str) -> Object:
    """Returns a public key as a JSON Web Key. `name`: the `kid` of the key."""
    if isinstance(key, rsa.RSAPublicKey):
        rsa_numbers = key.public_numbers()
        modulus = rsa_numbers.n.to_bytes((key.key_size + 7) // 8, "big")
        exponent = rsa_numbers.e.to_bytes((rsa_numbers.e.bit_length() + 7) // 8, "big")
        return {
            "use": "sig",
            "kty": "RSA",
            "kid": name,
            "alg": algorithm(key),
            "n": encode_segment(modulus),
            "e": encode_segment(exponent),
        }
    size = (key.curve.key_size + 7) // 8
    numbers = key.public_numbers()
    x, y = (encode_segment(number.to_bytes(size, "big")) for number in (numbers.x, numbers.y))
    curve = _CURVES[key.curve.name][1]
    return {"use": "sig", "kty": "EC", "kid": name, "crv": curve, "alg": algorithm(key), "x": x, "y": y}


def encode_segment(data: bytes) -> str:
    """Encodes bytes as a segment of a JSON Web Token: base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
