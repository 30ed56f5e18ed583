"""ServedKinds: finds the resource of a kind in the discovery documents of a server."""

from collections.abc import Iterable, Mapping
from typing import Any

from fakeapi.clients.discovery import (
    AGGREGATED_MEDIA_TYPES,
    aggregated_resources,
    preferred_versions,
    served_resources,
)
from fakeapi.clients.errors import StatusError
from fakeapi.clients.served_resource import ServedResource, version_path
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.suggestions import did_you_mean
from fakeapi.releases.offered import GROUPS
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.wire import Wire

__tracebackhide__ = hides_expected_errors


class ServedKinds:
    """The kinds that a server serves. Caches each resource after its first use.

    Requests for discovery documents trigger no faults, and the journal does not contain them.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str | None], ServedResource] = {}

    def find(self, wire: Wire, kind: str, api_version: str | None = None) -> ServedResource:
        """Returns the resource of a kind.

        - `kind`: as in a manifest (`ResourceClaim`) or as kubectl accepts it (`resourceclaims`, `pods`, `po`,
          `deployments.apps`).
        - `api_version`: such as "apps/v1"; None for the version that the server prefers.

        Raises ValueError for a kind that the server does not serve, and suggests a similar kind. Raises
        TypeError if the kind is not text, and StatusError if the server refuses a request for discovery.
        """
        key = kind, api_version
        if key not in self._known:
            self._known[key] = self._discover(wire, kind, api_version)
        return self._known[key]

    def _discover(self, wire: Wire, kind: str, api_version: str | None) -> ServedResource:
        if not isinstance(kind, str):
            raise TypeError(f"the kind is text such as 'ResourceClaim', not {kind!r:.100}")
        resources = _in_order(wire) if api_version is None else _of_named_version(wire, api_version)
        for resource in resources:
            if kind in (resource.kind, resource.qualified) or kind in resource.names:
                return resource
        where = f" in {api_version}" if api_version else ""
        hint = did_you_mean(kind, _names_like(kind, resources))
        raise ValueError(f"the server has no kind {kind!r}{where}{hint}")


def items_of(listed: Mapping[str, Any], resource: ServedResource) -> list[Object]:
    """Returns the items of a list. Adds apiVersion and kind to each item, because lists omit them."""
    return [{"apiVersion": resource.api_version, "kind": resource.kind, **item} for item in listed["items"]]


def check_subresource(resource: ServedResource, subresource: str) -> None:
    """Raises ValueError if a resource has no subresource of this name; "" is the object itself.

    Accepts every name if the discovery documents list no subresources of the resource.
    """
    known = resource.subresources
    if subresource and known and subresource not in known:
        hint = did_you_mean(subresource, known) or f"; it has {', '.join(sorted(known))}"
        raise ValueError(f"{resource.plural} has no subresource {subresource!r}{hint}")


def _names_like(kind: str, resources: Iterable[ServedResource]) -> set[str]:
    """Returns the names to suggest for an unknown kind: kinds for a capitalized name, otherwise plurals."""
    return {resource.kind if kind[:1].isupper() else resource.plural for resource in resources}


def _in_order(wire: Wire) -> list[ServedResource]:
    """Returns the resources of a server. In each group, resources of the preferred version come first.

    Without aggregated discovery, returns only the resources of the core group and of preferred versions.
    """
    core, groups = (
        wire.request("GET", path, accept=AGGREGATED_MEDIA_TYPES, observes=True) for path in ("/api", "/apis")
    )
    in_core, in_groups = aggregated_resources(core), aggregated_resources(groups)
    if in_core is None or in_groups is None:
        versions = ["v1", *preferred_versions(groups)]
        return [each for version in versions for each in _of_version(wire, version)]
    preferred: dict[str, str] = {}
    for resource in in_groups:
        preferred.setdefault(resource.group, resource.version)
    later = [each for each in in_groups if each.version != preferred[each.group]]
    return [*in_core, *(each for each in in_groups if each.version == preferred[each.group]), *later]


def _of_named_version(wire: Wire, api_version: str) -> list[ServedResource]:
    """Returns the resources of an API version.

    Raises StatusError with code 404 if the server does not serve the version. The error names the versions of
    its group, or a similar group.
    """
    try:
        return _of_version(wire, api_version)
    except StatusError as error:
        if error.code != 404:
            raise
        refused = error
    served = {resource.api_version: resource.group for resource in _in_order(wire)}
    group = api_version.rpartition("/")[0]
    of_group = [version for version, name in served.items() if name == group]
    hint = f"; the server serves {', '.join(of_group)}" if of_group else did_you_mean(api_version, served)
    hints = [f"{api_version} is not served{hint}"]
    if not of_group and group not in GROUPS:
        hints.append('install the definition of a custom kind first: fakeapi.install("crd.yaml")')
    message = refused.message.strip()
    raise StatusError(refused.code, refused.status, message, request=refused.request, hints=hints)


def _of_version(wire: Wire, api_version: str) -> list[ServedResource]:
    body = wire.request("GET", version_path(api_version), observes=True)
    return served_resources(api_version, body)
