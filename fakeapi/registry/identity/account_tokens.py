"""AccountTokens: stores the key that signs service account tokens, and provides the signer."""

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.identity.token_settings import DEFAULT_TOKEN_SETTINGS, TokenSettings
from fakeapi.registry.store import committed
from fakeapi_storage import Storage

if TYPE_CHECKING:
    from fakeapi.registry.identity.token_signer import TokenSigner

SIGNING_KEY = "token-signing-key"
"""The name of the label in the storage that contains the private key."""


class AccountTokens:
    """Provides the signer of service account tokens.

    Stores the signer's key, so that tokens stay valid after a restart, unless `settings` contain a key.
    `key`: the private key in PEM; "" until the storage has a key.
    """

    def __init__(self, storage: Storage, settings: TokenSettings = DEFAULT_TOKEN_SETTINGS) -> None:
        self._storage = storage
        self._settings = settings
        self._keeping = asyncio.Lock()
        self._is_used = False
        self.key = settings.signing_key or storage.labels.get(SIGNING_KEY, "")

    @property
    def audiences(self) -> list[str]:
        """The audiences of tokens for the server itself.

        A TokenRequest without audiences gets these audiences.
        """
        return self._settings.api_audiences

    @property
    def may_exist(self) -> bool:
        """Whether a client can have a token of this server.

        False if neither the settings nor the storage have a key, and `signer` was never used.
        """
        return bool(self.key) or self._is_used or bool(self._settings.public_keys)

    @cached_property
    def signer(self) -> "TokenSigner":
        """The signer, which also verifies tokens. Raises ApiError 500 if the stored or a given key is
        unreadable.
        """
        from fakeapi.registry.identity.token_signer import TokenSigner  # noqa: PLC0415 - loads OpenSSL

        self._is_used = True
        try:
            return TokenSigner(self.key, self._settings.issuers, self._settings.public_keys)
        except ValueError as error:
            why = "the database is damaged: its key for tokens is unreadable; restore it from a copy"
            if self._settings.signing_key or self._settings.public_keys:
                why = f"a given key for service account tokens is unreadable: {error}"
            raise ApiError(500, "", why) from error

    async def keep_key(self) -> None:
        """Stores the generated key, unless the settings or the storage have a key.

        Raises ApiError 500 if the storage fails.
        """
        async with self._keeping:
            if not self.key:
                key = self.signer.key_text()
                await committed(self._storage.set_labels({**self._storage.labels, SIGNING_KEY: key}))
                self.key = key
