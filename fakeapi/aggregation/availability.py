"""The availability of an APIService with a Service: the condition Available, and why.

Follows k8s.io/kube-aggregator `pkg/controllers/status/remote`. A Service with a URL in `ServiceUrls` needs no
Service object and no endpoints.
"""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from fakeapi.aggregation.delegated import DelegatedApis
from fakeapi.aggregation.discovered import resources_of
from fakeapi.kinds.apiregistration.api_service import AVAILABLE
from fakeapi.machinery import codec
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.outbound.forwarding import Incoming, Outgoing, forward
from fakeapi.registry.custom.conditions import Condition
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.webhooks.transport import TOO_LATE, BadAuthority, Unreachable

PASSED = Condition(AVAILABLE, "True", "Passed", "all checks passed")

SECONDS = 5.0
"""Time limit in seconds for the request that checks an APIService, as upstream."""

DOCUMENT_BYTES_MAX = 1 << 20
"""Maximum size in bytes of the discovery document of another server.

A longer document counts as a document without resources.
"""

_SLICES = "endpointslices"
_USER = [(b"x-remote-user", b"system:kube-aggregator"), (b"x-remote-group", b"system:masters")]


@dataclass(frozen=True, slots=True)
class Availability:
    """The result of a check: the condition, and the resources that the other server lists.

    `resources`: as in an APIVersionDiscovery; None if the API is not available.
    """

    condition: Condition
    resources: list[Object] | None = None


async def availability(
    api_service: Object, apis: DelegatedApis, objects: ClusterObjects, endpoints: str
) -> Availability:
    """Checks whether the Service of an APIService answers.

    `endpoints`: the resource with the addresses of Services, "endpoints" or "endpointslices".
    """
    spec = api_service["spec"]
    if not apis.has_url(api_service) and (problem := _service_problem(spec["service"], objects, endpoints)):
        return Availability(problem)
    path = f"/apis/{spec['group']}/{spec['version']}"
    url = f"https://{_address(spec['service'], objects)}{path}"
    try:
        if unreachable := apis.problem(api_service):
            raise Unreachable(unreachable)  # noqa: TRY301 - the same message as for a failed connection
        request = Outgoing("GET", path, [*_USER, (b"accept", b"application/json")])
        async with asyncio.timeout(SECONDS):
            trust = apis.trust(api_service)
            response = await forward(apis.endpoint(api_service), request, trust=trust, seconds=SECONDS)
            with closing(response):
                if not 200 <= response.status < 300:
                    return Availability(_failed(url, f"bad status from {url}: {response.status}"))
                return Availability(PASSED, resources_of(await _document(response)))
    except (Unreachable, BadAuthority) as error:
        return Availability(_failed(url, f"Get {quote(url)}: {error}"))
    except TimeoutError:
        return Availability(_failed(url, f"Get {quote(url)}: {TOO_LATE}"))


def _failed(url: str, problem: str) -> Condition:
    message = f"failing or missing response from {url}: {problem}"
    return Condition(AVAILABLE, "False", "FailedDiscoveryCheck", message)


def _address(reference: Object, objects: ClusterObjects) -> str:
    """Returns the host and port of a Service: the cluster IP, or the DNS name of a Service without one."""
    service = objects.get("", "services", reference["namespace"], reference["name"])
    address = "" if service is None else service["spec"].get("clusterIP") or ""
    if address in ("", "None"):
        address = f"{reference['name']}.{reference['namespace']}.svc"
    return f"[{address}]:{reference['port']}" if ":" in address else f"{address}:{reference['port']}"


async def _document(response: Incoming) -> Object:
    """Returns the discovery document of a response; {} for a document that is too long or not an object."""
    body = bytearray()
    async for pieces in response.pieces:
        body += b"".join(pieces)
        if len(body) > DOCUMENT_BYTES_MAX:
            return {}
    try:
        document = codec.decode(bytes(body))
    except codec.JsonError:
        return {}
    return document if isinstance(document, dict) else {}


def _service_problem(reference: Object, objects: ClusterObjects, endpoints: str) -> Condition | None:
    """Returns the condition for a Service that does not exist, or lacks the port or endpoints.

    Returns None if the Service has the port and endpoints, or if its type is not ClusterIP.
    """
    name, namespace, port = reference["name"], reference["namespace"], reference["port"]
    shown = f"service/{name} in {quote(namespace)}"
    service = objects.get("", "services", namespace, name)
    if service is None:
        return Condition(AVAILABLE, "False", "ServiceNotFound", f"{shown} is not present")
    if service["spec"].get("type") != "ClusterIP":
        return None
    ports = (entry for entry in service["spec"].get("ports") or () if entry["port"] == port)
    used = next(ports, None)
    if used is None:
        return Condition(AVAILABLE, "False", "ServicePortError", f"{shown} is not listening on port {port}")
    port_name = used.get("name", "")
    read = _slices if endpoints == _SLICES else _endpoints
    ready = list(read(objects, namespace, name, port_name))
    if not ready:
        return Condition(AVAILABLE, "False", "EndpointsNotFound", f"cannot find {endpoints} for {shown}")
    if not any(ready):
        message = f"{endpoints} for {shown} have no addresses with port name {quote(port_name)}"
        return Condition(AVAILABLE, "False", "MissingEndpoints", message)
    return None


def _slices(objects: ClusterObjects, namespace: str, name: str, port_name: str) -> Iterator[bool]:
    """Yields for each EndpointSlice of a Service whether an endpoint is ready at the named port."""
    for piece in objects.list("discovery.k8s.io", "endpointslices", namespace):
        if (piece["metadata"].get("labels") or {}).get("kubernetes.io/service-name") != name:
            continue
        conditions = (endpoint.get("conditions") or {} for endpoint in piece.get("endpoints") or ())
        is_ready = any(condition.get("ready") is not False for condition in conditions)
        named = (entry for entry in piece.get("ports") or () if entry.get("name") == port_name)
        yield is_ready and any(entry.get("port") is not None for entry in named)


def _endpoints(objects: ClusterObjects, namespace: str, name: str, port_name: str) -> Iterator[bool]:
    """Yields one value: whether the Endpoints have an address with the named port.

    Yields nothing if the Endpoints do not exist.
    """
    endpoints = objects.get("", "endpoints", namespace, name)
    if endpoints is not None:
        yield any(
            subset.get("addresses") and any(port.get("name", "") == port_name for port in subset["ports"])
            for subset in endpoints.get("subsets") or ()
        )
