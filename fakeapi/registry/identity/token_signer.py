"""TokenSigner: signs service account tokens and verifies them.

Follows k8s.io/kubernetes `pkg/serviceaccount` (jwt.go, openidmetadata.go). The server generates the key when
it first needs one. `fakeapi.registry.identity.account_tokens` stores the key with the first token.
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
"""The issuer of all tokens, and the audience of tokens for the API server."""

_ALGORITHM: Final = "RS256"
_KEY_BITS: Final = 2048
TOKEN_LENGTH_MAX: Final = 1 << 16
"""Maximum length of a token in characters. Longer tokens are invalid."""
KNOWN_TOKENS_MAX: Final = 1024
"""Maximum number of verified tokens in the cache. A full cache is cleared."""


def new_key_text() -> str:
    """Generates an RSA private key and returns it in PEM format."""
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
    """Signs and verifies tokens with an RSA private key.

    `key`: the key in PEM format; "" generates a new key.
    """

    def __init__(self, key: str = "") -> None:
        self._key = _read_key(key) if key else _new_key()
        self._public = self._key.public_key()
        spki = self._public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self._id = _encoded(hashlib.sha256(spki).digest())
        self._known: dict[str, Object] = {}

    def key_text(self) -> str:
        """Returns the private key in PEM format."""
        return _text_of(self._key)

    def sign(self, claims: Object) -> str:
        """Returns a JSON Web Token with the claims and the issuer ISSUER."""
        header = {"alg": _ALGORITHM, "kid": self._id}
        parts = (_encoded(_json(header)), _encoded(_json({**claims, "iss": ISSUER})))
        signed = ".".join(parts)
        signature = self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{_encoded(signature)}"

    def claims_of(self, token: str) -> Object | None:
        """Returns the claims of a token that this key has signed; None for all other texts."""
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
        self._known[token] = claims  # signed, so `sign` created the claims and they have this type
        return self._known[token]

    def configuration(self, address: str) -> Object:
        """Returns the OpenID configuration of a server.

        `address`: the URL of the server, such as https://127.0.0.1:6443.
        """
        return {
            "issuer": ISSUER,
            "jwks_uri": f"{address}/openid/v1/jwks",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [_ALGORITHM],
        }

    def key_set(self) -> Object:
        """Returns the JSON Web Key Set with the public key."""
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
