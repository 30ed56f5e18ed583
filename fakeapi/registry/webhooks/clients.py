"""WebhookClients: finds the addresses of webhooks, and calls them.

Follows k8s.io/apiserver `pkg/util/webhook/client.go`.
"""

import asyncio
import base64
import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.webhooks.answers import ReviewType, UnusableAnswer, read_answer
from fakeapi.registry.webhooks.outbound import ServiceUrls
from fakeapi.registry.webhooks.service_endpoints import ServiceEndpoints, normal_url
from fakeapi.registry.webhooks.transport import (
    TOO_LATE,
    Answer,
    BadAuthority,
    Endpoint,
    Transport,
    Unreachable,
)

if TYPE_CHECKING:
    from fakeapi.registry.objects import ClusterObjects

SECONDS = 30.0
"""Timeout in seconds of calls without timeoutSeconds."""


class NoClient(Exception):
    """Raised if the configuration of a webhook makes a call impossible. The webhook received no request."""


class CallFailed(Exception):
    """Raised if a webhook did not answer, or if its response is not a valid review.

    `status`: the ApiError if the response has an error status code or an invalid Content-Type; None for all
    other problems.
    """

    def __init__(self, reason: str, status: ApiError | None = None) -> None:
        super().__init__(reason)
        self.status = status


class WebhookClients:
    """Calls webhooks at the address in their `clientConfig`: a URL or a Service."""

    def __init__(
        self, transport: Transport, services: ServiceUrls, objects: "ClusterObjects", heavy: HeavySteps
    ) -> None:
        self._transport = transport
        self._services = ServiceEndpoints(services, objects)
        self._heavy = heavy

    async def call(
        self, config: Mapping[str, Any], review: Object, wanted: ReviewType, seconds: float = SECONDS
    ) -> Object:
        """Sends a review to the webhook of a `clientConfig`, and returns the review in its response.

        - `wanted`: the expected type of the review in the response.
        - `seconds`: the time limit for the whole call, including parsing the response. A thread parses long
          responses.

        Raises NoClient if the configuration makes a call impossible. Raises CallFailed if the webhook does
        not return a valid review in time.
        """
        until = asyncio.get_running_loop().time() + seconds
        endpoint = self._endpoint(config)
        timeout = f"?timeout={math.ceil(seconds)}s"
        target = urlsplit(endpoint.url).path + timeout
        body = codec.encode(review) + b"\n"
        try:
            self._check_route(config)
            answer = await self._transport.post(endpoint, target, body, seconds)
        except BadAuthority as error:
            raise NoClient(f"unable to load root certificates: {error}") from error
        except Unreachable as error:
            raise CallFailed(f"Post {quote(endpoint.url + timeout)}: {error}") from error
        try:
            return await self._read(answer, wanted, until)
        except UnusableAnswer as error:
            raise CallFailed(str(error), error.status) from error

    async def _read(self, answer: Answer, wanted: ReviewType, until: float) -> Object:
        """Decodes a response; `until` is the time limit on the clock of the event loop.

        Raises UnusableAnswer if the response is invalid, or if the time limit passes first.
        """
        try:
            async with asyncio.timeout_at(until):
                return await self._heavy.run(len(answer.body), partial(read_answer, answer, wanted))
        except TimeoutError:
            return read_answer(replace(answer, problem=TOO_LATE), wanted)

    def close(self) -> None:
        """Closes idle HTTP connections."""
        self._transport.close()

    def _endpoint(self, config: Mapping[str, Any]) -> Endpoint:
        authority = base64.b64decode(config.get("caBundle") or "")
        service = config.get("service")
        if service is None:
            return Endpoint(normal_url(config.get("url") or ""), authority)
        return self._services.endpoint(service, authority)

    def _check_route(self, config: Mapping[str, Any]) -> None:
        """Raises Unreachable if the `clientConfig` names a Service without a URL in `ServiceUrls`."""
        reference = config.get("service")
        problem = "" if reference is None else self._services.problem(reference)
        if problem:
            raise Unreachable(problem)
