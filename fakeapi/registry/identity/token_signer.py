"""TokenSigner: signs service account tokens and verifies them.

Follows k8s.io/kubernetes `pkg/serviceaccount` (jwt.go, openidmetadata.go). If no key is given or stored, the
server generates a key at the first use. `fakeapi.registry.identity.account_tokens` stores the key with the
first token.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from fakeapi.machinery.json_types import Object
from fakeapi.registry.identity.token_keys import (
    PrivateKey,
    algorithm,
    encode_segment,
    is_signed_by,
    key_id,
    read_private_key,
    read_public_keys,
    signature_of,
    web_key,
)
from fakeapi.registry.identity.token_settings import ISSUER

_KEY_BITS: Final = 2048
TOKEN_LENGTH_MAX: Final = 1 << 16
"""Maximum length of a token in characters. Longer tokens are invalid."""
KNOWN_TOKENS_MAX: Final = 1024
"""Maximum number of verified tokens in the cache. A full cache is cleared."""


def new_key_text() -> str:
    """Generates an RSA private key and returns it in PEM format."""
    return _text_of(rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS))


def _text_of(key: PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


class TokenSigner:
    """Signs service account tokens with an RSA or EC private key, and verifies them.

    - `key`: the private key in PEM; "" generates a new RSA key.
    - `issuers`: the accepted issuers. New tokens have the first issuer.
    - `public_keys`: PEM texts with further keys or certificates that may have signed a token.

    Raises ValueError for an unusable key.
    """

    def __init__(
        self, key: str = "", issuers: Sequence[str] = (ISSUER,), public_keys: Sequence[bytes] = ()
    ) -> None:
        self._key = read_private_key((key or new_key_text()).encode())
        self._issuers = issuers
        public = [self._key.public_key(), *(read for pem in public_keys for read in read_public_keys(pem))]
        self._keys = {key_id(read): read for read in public}
        self._id = key_id(self._key.public_key())
        self._known: dict[str, Object] = {}

    def key_text(self) -> str:
        """Returns the private key in PEM format."""
        return _text_of(self._key)

    def sign(self, claims: Object) -> str:
        """Returns a JSON Web Token with the claims and the first issuer."""
        header = {"alg": algorithm(self._key.public_key()), "kid": self._id}
        parts = (encode_segment(_json(header)), encode_segment(_json({**claims, "iss": self._issuers[0]})))
        signed = ".".join(parts)
        return f"{signed}.{encode_segment(signature_of(self._key, signed.encode()))}"

    def claims_of(self, token: str) -> Object | None:
        """Returns the claims of a token with a valid signature and an accepted issuer; None for other texts.

        Does not check when the token expires.
        """
        if (known := self._known.get(token)) is not None:
            return known
        signed, _, signature = token.rpartition(".")
        if len(token) > TOKEN_LENGTH_MAX or signed.count(".") != 1 or not token.isascii():
            return None
        try:
            decoded = _decoded(signature)
            if not any(is_signed_by(key, decoded, signed.encode()) for key in self._keys.values()):
                return None
            claims: Any = json.loads(_decoded(signed.partition(".")[2]))
        except ValueError:
            return None
        if not isinstance(claims, dict) or claims.get("iss") not in self._issuers:
            return None
        if len(self._known) >= KNOWN_TOKENS_MAX:
            self._known.clear()
        self._known[token] = claims
        return self._known[token]

    def configuration(self, address: str) -> Object:
        """Returns the OpenID configuration of a server.

        `address`: the URL of the server, such as https://127.0.0.1:6443.
        """
        return {
            "issuer": self._issuers[0],
            "jwks_uri": f"{address}/openid/v1/jwks",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": sorted({algorithm(key) for key in self._keys.values()}),
        }

    def key_set(self) -> Object:
        """Returns the JSON Web Key Set with the public keys."""
        return {"keys": [web_key(key, name) for name, key in self._keys.items()]}


def _json(value: Object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
