"""Checks that a server serves all kinds of a snapshot.

A server cannot return objects of kinds that it does not serve.
"""

from collections.abc import Iterable

from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.stored.keys import ObjectKey, parse_key
from fakeapi.snapshots.content import SnapshotContent, SnapshotError

_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"


def check_served(snapshot: SnapshotContent, catalogue: Catalogue) -> None:
    """Raises SnapshotError if the server cannot serve the kind of an object in the snapshot.

    A kind must be built in, or have a CustomResourceDefinition in the snapshot.
    """
    try:
        keys = [parse_key(entry.key) for entry in snapshot.checkpoint.entries]
    except ValueError as error:
        raise SnapshotError(f"the snapshot is damaged: {error}") from error
    defined = {key.name for key in keys if key.qualified == _DEFINITIONS}
    for kind in _kinds(keys):
        if kind.qualified not in defined and not catalogue.stores(kind.resource, kind.prefix):
            release = f"of release {snapshot.release}" if snapshot.release else "of the default server"
            raise SnapshotError(
                f"the snapshot, {release}, has objects of {kind.qualified}, which this server does not serve"
            )


def _kinds(keys: Iterable[ObjectKey]) -> Iterable[ObjectKey]:
    """Returns one object key for each resource. Ignore the namespaces and names of these keys."""
    return {key.prefix: key for key in keys}.values()
