"""TokenSettings: the issuers, audiences and keys with which a server signs and verifies its tokens."""

from typing import Final

import msgspec

ISSUER: Final = "https://kubernetes.default.svc"
"""The default issuer of tokens, and the default audience of tokens: the API server itself."""


class TokenSettings(msgspec.Struct, frozen=True):
    """The issuers, audiences and keys with which a server signs and verifies service account tokens.

    - `issuers`: the accepted issuers of tokens. New tokens have the first issuer.
    - `audiences`: the accepted audiences of tokens for the API server. A TokenRequest without audiences gets
      these audiences. Empty means the first issuer.
    - `signing_key`: the private key, RSA or EC, in PEM; "" for a key that the server generates and stores.
    - `public_keys`: PEM texts with further keys or certificates that may have signed a token.
    """

    issuers: tuple[str, ...] = (ISSUER,)
    audiences: tuple[str, ...] = ()
    signing_key: str = ""
    public_keys: tuple[bytes, ...] = ()

    @property
    def api_audiences(self) -> list[str]:
        """The accepted audiences of tokens for the API server itself."""
        return list(self.audiences or self.issuers[:1])


DEFAULT_TOKEN_SETTINGS: Final = TokenSettings()
