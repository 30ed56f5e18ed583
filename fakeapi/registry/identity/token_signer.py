"""TokenSigner: signs the tokens of service accounts, and says whose token one is.

Follows k8s.io/kubernetes `pkg/serviceaccount` (jwt.go, openidmetadata.go). The key is made when it is first
needed; `fakeapi.registry.store` keeps it in the storage with the first token.
"""

import base64
import hashlib
import json
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from fakeapi.machinery.json_types import Object

ISSUER: Final = "https://kubernetes.default.svc"
"""The issuer of tokens, and the audience of those that are for the API itself."""

_ALGORITHM: Final = "RS256"
_KEY_BITS: Final = 2048
TOKEN_LENGTH_MAX: Final = 1 << 16
"""A longer text is nobody's token."""
KNOWN_TOKENS_MAX: Final = 1024
"""Number of tokens with a verified signature to cache; beyond it the cache is emptied."""


def new_key_text() -> str:
    """A new private key, in PEM."""
    return _text_of(_new_key())


def _new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)


def _text_of(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _read_key(text: str) -> rsa.RSAPrivateKey:
    key = load_pem_private_key(text.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey), "made by `new_key_text`"
    return key


class TokenSigner:
    """One key pair: that of a key in PEM, or a new one."""

    def __init__(self, key: str = "") -> None:
        self._key = _read_key(key) if key else _new_key()
        self._public = self._key.public_key()
        spki = self._public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self._id = _encoded(hashlib.sha256(spki).digest())
        self._known: dict[str, Object] = {}

    def key_text(self) -> str:
        """The private key, in PEM."""
        return _text_of(self._key)

    def sign(self, claims: Object) -> str:
        """A JSON Web Token with the claims, and with this issuer."""
        header = {"alg": _ALGORITHM, "kid": self._id}
        parts = (_encoded(_json(header)), _encoded(_json({**claims, "iss": ISSUER})))
        signed = ".".join(parts)
        signature = self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{_encoded(signature)}"

    def claims_of(self, token: str) -> Object | None:
        """The claims of a token that this key has signed; None for any other text."""
        if (known := self._known.get(token)) is not None:
            return known
        signed, _, signature = token.rpartition(".")
        if len(token) > TOKEN_LENGTH_MAX or signed.count(".") != 1 or not token.isascii():
            return None
        try:
            self._public.verify(_decoded(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
            claims: Any = json.loads(_decoded(signed.partition(".")[2]))
        except (InvalidSignature, ValueError):
            return None
        if len(self._known) >= KNOWN_TOKENS_MAX:
            self._known.clear()
        self._known[token] = claims  # what this key has signed was made by `sign`
        return self._known[token]

    def configuration(self, address: str) -> Object:
        """The OpenID configuration of a server at an address such as https://127.0.0.1:6443."""
        return {
            "issuer": ISSUER,
            "jwks_uri": f"{address}/openid/v1/jwks",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [_ALGORITHM],
        }

    def key_set(self) -> Object:
        """The JSON Web Key Set of the public key."""
        numbers = self._public.public_numbers()
        key = {
            "use": "sig",
            "kty": "RSA",
            "kid": self._id,
            "alg": _ALGORITHM,
            "n": _encoded(numbers.n.to_bytes(_KEY_BITS // 8, "big")),
            "e": _encoded(numbers.e.to_bytes(3, "big")),
        }
        return {"keys": [key]}


def _json(value: Object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
