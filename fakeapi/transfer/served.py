"""Discovers the resources of a server that clients can list and create."""

from collections.abc import Container

from fakeapi.clients.discovery import group_versions, served_resources
from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource, version_path
from fakeapi.clients.shapes import malformed
from fakeapi.clients.verbs import Reader
from fakeapi.transfer.bounds import RESOURCES_MAX, VERSIONS_MAX

Served = dict[tuple[str, str], list[ServedResource]]
"""The resources of a server by group and plural name, each in all its versions, preferred version first."""


async def discover(server: Reader, groups: Container[str] | None = None) -> tuple[Served, list[str]]:
    """Returns the resources that clients can list and create, and one line for each failed API version.

    `groups`: the API groups to discover; None for all.

    Raises StatusError if the list of groups fails, if it has more than VERSIONS_MAX versions, or for missing
    authentication (401).
    """
    served: Served = {}
    problems = []
    versions = ["v1", *group_versions(await server.get("/apis"))]
    if len(versions) > VERSIONS_MAX:
        raise malformed(f"lists more than {VERSIONS_MAX} group versions")
    room = RESOURCES_MAX
    for version in versions:
        if groups is not None and version.rpartition("/")[0] not in groups:
            continue
        try:
            body = await server.get(version_path(version))
            resources = served_resources(version, body)
            room -= len(body.get("resources") or ())
            if room < 0:
                raise malformed(f"lists more than {RESOURCES_MAX} resources")
        except StatusError as error:
            if error.code == 401:
                raise
            problems.append(f"{version}: {error}")
            continue
        for resource in resources:
            if {"list", "create"} <= resource.verbs:
                served.setdefault(resource.group_resource, []).append(resource)
    return served, problems
