"""TokenSettings: by whom and for whom a server signs the tokens of service accounts."""

from dataclasses import dataclass
from typing import Final

ISSUER: Final = "https://kubernetes.default.svc"
"""The default issuer of tokens. It is also their default audience, which is the API server itself."""


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """By whom and for whom a server signs the tokens of service accounts.

    - `issuers`: the accepted issuers of tokens. The server signs as the first one.
    - `audiences`: a token for the server itself must have one of these audiences; they are also the default
      of a TokenRequest. Empty stands for the first issuer.
    - `signing_key`: the private key, RSA or EC, in PEM; "" for a key that the server generates and stores.
    - `public_keys`: texts in PEM with more keys or certificates that may have signed a token.
    """

    issuers: tuple[str, ...] = (ISSUER,)
    audiences: tuple[str, ...] = ()
    signing_key: str = ""
    public_keys: tuple[bytes, ...] = ()

    @property
    def api_audiences(self) -> list[str]:
        """The audiences of tokens for the server itself."""
        return list(self.audiences or self.issuers[:1])


DEFAULT_TOKEN_SETTINGS: Final = TokenSettings()
