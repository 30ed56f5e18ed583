"""Converts custom objects between versions, with the conversion strategy None or Webhook.

Follows k8s.io/apiextensions-apiserver `pkg/apiserver/conversion`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.rerun import Rerun

if TYPE_CHECKING:
    from fakeapi.registry.webhooks.conversion import ConversionWebhook

KEPT_MAX = 4096
"""Maximum number of converted objects in the cache of one CRD, unless one list has more objects.

The cache is cleared before it would exceed the maximum.
"""


class Conversions:
    """Converts the custom objects of one CustomResourceDefinition between its versions.

    With the strategy None, a conversion changes only apiVersion. With the strategy Webhook, results are
    cached.
    """

    def __init__(self, webhook: "ConversionWebhook | None" = None) -> None:
        self._webhook = webhook
        self._kept: dict[tuple[bytes, str], bytes] = {}

    @property
    def waits(self) -> bool:
        """Whether conversion calls a webhook."""
        return self._webhook is not None

    def convert(self, obj: Object, api_version: str) -> Object:
        """Returns an object in another version. With the strategy None, the result shares nested values with
        `obj`.

        Raises Rerun if the cache does not contain the webhook's result. The code that catches Rerun awaits
        the webhook, and calls this method again.
        """
        if obj.get("apiVersion") == api_version:
            return obj
        if self._webhook is None:
            return {**obj, "apiVersion": api_version}
        key = codec.encode(obj), api_version
        kept = self._kept.get(key)
        if kept is None:
            raise Rerun(lambda: self._fetch([obj], api_version, ""))
        result: Object = codec.decode(kept)
        return result

    async def fetch_list(self, objects: Sequence[Object], api_version: str, list_kind: str) -> None:
        """Converts the objects of a list with one webhook call, and caches the results.

        Does nothing with the strategy None. Raises ApiError 500 if the webhook fails.
        """
        if self._webhook is not None and objects:
            await self._fetch(objects, api_version, list_kind)

    async def _fetch(self, objects: Sequence[Object], api_version: str, list_kind: str) -> None:
        from fakeapi.registry.webhooks.conversion import ConversionFailed  # noqa: PLC0415 - few definitions use webhooks

        assert self._webhook is not None, "asked for without a webhook"
        try:
            if list_kind:
                results = await self._webhook.convert_list(objects, api_version, list_kind)
            else:
                results = [await self._webhook.convert(objects[0], api_version)]
        except ConversionFailed as error:
            raise ApiError(500, "", str(error)) from error
        if len(self._kept) + len(results) > KEPT_MAX:
            self._kept.clear()
        for obj, converted in zip(objects, results, strict=True):
            self._kept[codec.encode(obj), api_version] = codec.encode(converted)
