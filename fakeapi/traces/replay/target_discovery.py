"""Asks a replay target for the resources that it serves and for its current resourceVersion."""

from collections.abc import Iterable

from fakeapi.clients.errors import StatusError
from fakeapi.clients.http import HttpClient, UnsendableRequest
from fakeapi.clients.messages import Headers, Response
from fakeapi.clients.shapes import Resource, ResourceList, checked
from fakeapi.clients.target import TargetError
from fakeapi.machinery.codec import JsonError, decode
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces.analysis.request_facts import version_number

_RELEASE = lazy_pattern(r"1\.\d{1,3}")
_HEADERS: Headers = (("accept", "application/json"), ("user-agent", "fakeapi-replay"))


async def served_paths(client: HttpClient, group_versions: Iterable[str]) -> frozenset[str]:
    """Returns the paths of the resources that a server serves in these API versions and in /api/v1.

    A path is, for example, "/apis/resource.k8s.io/v1alpha3/resourceclaims/status". Raises TargetError if the
    server does not respond, denies access, or is not an API server.
    """
    paths: set[str] = set()
    for root in ("/api/v1", *(path for path in group_versions if path != "/api/v1")):
        try:
            answer = await client.send("GET", root, _HEADERS)
        except UnsendableRequest:  # the path in the trace is not valid HTTP
            continue
        if answer.status in {401, 403}:
            raise TargetError(f"{client.url} does not list its resources: {root} answers {answer.status}")
        if answer.status == 404 and root != "/api/v1":
            continue
        paths.update(f"{root}/{resource.name}" for resource in _resources(client, root, answer))
    return frozenset(paths)


def _resources(client: HttpClient, root: str, answer: Response) -> list[Resource]:
    """Returns the resources and subresources in a discovery response.

    Raises TargetError if the response is not an APIResourceList.
    """
    try:
        body = decode(answer.body)
        if answer.status != 404 and isinstance(body, dict) and body.get("kind") == "APIResourceList":
            return checked(body, ResourceList).resources or []
    except (JsonError, StatusError):
        pass
    start = answer.body[:80].decode("utf-8", "replace")
    raise TargetError(
        f"{client.url} is not a Kubernetes API server: {root} answers {answer.status} {start!r}"
    )


async def release_of(client: HttpClient) -> str:
    """Returns the minor release of a server, such as "1.36"; "" if its /version does not contain one.

    Raises TargetError if the server does not respond with valid HTTP.
    """
    answer = await client.send("GET", "/version", _HEADERS)
    try:
        version = decode(answer.body)
        release = f"{version['major']}.{version['minor']}"
    except (JsonError, KeyError, TypeError):
        return ""
    return release if _RELEASE.fullmatch(release) else ""


async def current_version(client: HttpClient) -> int:
    """Returns the newest resourceVersion of a server; 0 if its response contains none.

    Raises TargetError if the server does not respond with valid HTTP.
    """
    answer = await client.send("GET", "/api/v1/namespaces?limit=1", _HEADERS)
    try:
        version = decode(answer.body)["metadata"]["resourceVersion"]
    except (JsonError, KeyError, TypeError):
        return 0
    return version_number(version) if isinstance(version, str) else 0
