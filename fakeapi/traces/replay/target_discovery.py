"""Requests the served resources and the current resourceVersion of a replay target."""

from collections.abc import Iterable

from fakeapi.machinery.codec import JsonError, decode
from fakeapi.traces.analysis.request_facts import version_number
from fakeapi.traces.client.http import HttpClient, UnsendableRequest
from fakeapi.traces.client.target import TargetError
from fakeapi.traces.model import Headers

_HEADERS: Headers = (("accept", "application/json"), ("user-agent", "fakeapi-replay"))


async def served_paths(client: HttpClient, group_versions: Iterable[str]) -> frozenset[str]:
    """Returns the paths of the resources that a server serves in these API versions and in /api/v1.

    An example is "/apis/resource.k8s.io/v1alpha3/resourceclaims/status". Raises TargetError, also for a
    server that is not an API server.
    """
    paths: set[str] = set()
    for root in ("/api/v1", *(path for path in group_versions if path != "/api/v1")):
        try:
            answer = await client.send("GET", root, _HEADERS)
        except UnsendableRequest:  # the path in the trace is not valid HTTP
            continue
        if answer.status in {401, 403}:
            raise TargetError(f"{client.url} does not tell what it serves: {root} answers {answer.status}")
        if answer.status == 404 and root != "/api/v1":
            continue
        try:
            body = decode(answer.body)
        except JsonError:
            body = None
        if answer.status == 404 or not isinstance(body, dict) or body.get("kind") != "APIResourceList":
            start = answer.body[:80].decode("utf-8", "replace")
            raise TargetError(
                f"{client.url} is not a Kubernetes API server: {root} answers {answer.status} {start!r}"
            )
        paths.update(f"{root}/{each['name']}" for each in body.get("resources") or ())
    return frozenset(paths)


async def current_version(client: HttpClient) -> int:
    """Returns the newest resourceVersion of a server; 0 if it is unknown."""
    answer = await client.send("GET", "/api/v1/namespaces?limit=1", _HEADERS)
    try:
        version = decode(answer.body)["metadata"]["resourceVersion"]
    except (JsonError, KeyError, TypeError):
        return 0
    return version_number(version) if isinstance(version, str) else 0
