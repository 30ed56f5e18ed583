"""WebhookClients: finds the addresses of webhooks, and calls them.

Follows k8s.io/apiserver `pkg/util/webhook/client.go`, and `pkg/util/proxy` for services. In a fake cluster,
no process listens at the address of a service. A service without a URL in `ServiceUrls` refuses connections,
like a service without endpoints.
"""

import asyncio
import base64
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as escaped
from urllib.parse import unquote, urlsplit

from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.webhooks.answers import ReviewType, UnusableAnswer, read_answer
from fakeapi.registry.webhooks.outbound import ServiceUrls
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

HTTPS = 443
SECONDS = 30.0
"""Timeout in seconds of calls without timeoutSeconds."""

_UNESCAPED = "/$&+,;=:@-._~!*'()"
_ROUTED = ("ClusterIP", "LoadBalancer", "NodePort")


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
        self._services = services
        self._objects = objects
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
            return Endpoint(_normal(config.get("url") or ""), authority)
        port = service.get("port") or HTTPS
        host = f"{service.get('name', '')}.{service.get('namespace', '')}.svc:{port}"
        path = service.get("path") or ""
        service_url = self._url_of(service)
        if service_url is None:
            return Endpoint(_normal(f"https://{host}{path}"), authority)
        parts = urlsplit(service_url)
        dial = (parts.scheme, parts.hostname or "", parts.port or (HTTPS if parts.scheme == "https" else 80))
        return Endpoint(_normal(f"https://{host}{parts.path}{path}"), authority, dial)

    def _url_of(self, service: Mapping[str, Any]) -> str | None:
        """Returns the URL that `ServiceUrls` has for a service; None if there is none."""
        port = service.get("port") or HTTPS
        return self._services.find(service.get("namespace", ""), service.get("name", ""), port)

    def _check_route(self, config: Mapping[str, Any]) -> None:
        """Raises Unreachable if the `clientConfig` names a Service without a URL in `ServiceUrls`."""
        reference = config.get("service")
        if reference is None or self._url_of(reference) is not None:
            return
        name, port = reference.get("name", ""), reference.get("port") or HTTPS
        service = self._objects.get("", "services", reference.get("namespace", ""), name)
        if service is None:
            raise Unreachable(f"service {quote(name)} not found")
        raise Unreachable(_problem_of_service(name, port, service["spec"]))


def _problem_of_service(name: str, port: int, spec: Object) -> str:
    """Returns the error for a connection to a Service that exists but has no URL in `ServiceUrls`."""
    kind = spec.get("type", "")
    if kind == "ClusterIP" and spec.get("clusterIP") == "None":
        return 'cannot route to service with ClusterIP "None"'
    if kind == "ExternalName":
        return f"dial tcp {spec.get('externalName', '')}:{port}: connect: connection refused"
    if kind not in _ROUTED:
        return f"unsupported service type {quote(kind)}"
    if all(entry.get("port") != port for entry in spec.get("ports") or ()):
        return f"no service port {port} found for service {quote(name)}"
    address = spec.get("clusterIP", "")
    host = f"[{address}]" if ":" in address else address
    return f"dial tcp {host}:{port}: connect: connection refused"


def _normal(url: str) -> str:
    """Normalizes the path of a URL like client-go: unescapes it, removes extra slashes, escapes it again."""
    parts = urlsplit(url)
    path = "/" + unquote(parts.path).strip("/")
    while "//" in path:
        path = path.replace("//", "/")
    return f"{parts.scheme}://{parts.netloc}{escaped(path, safe=_UNESCAPED)}"
