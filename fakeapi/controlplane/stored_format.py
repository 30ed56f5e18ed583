"""The format of stored keys and values, and the migration of databases in older formats.

`fakeapi_storage` records the format in the database and migrates an older one when it opens the database. A
change to the keys or values of objects that databases may hold needs a new format and a migration from the
last one.

Format 1 stored objects in the oldest version that the release served, under keys that named this version:
`/resource.k8s.io/v1alpha3/resourceclaims/NAMESPACE/NAME`. A blank at the end of a row's value meant that it
contains an opaque value exactly as a driver wrote it. Since format 2 objects are stored in the hub version of
their kind, under keys that name no version: `/resource.k8s.io/resourceclaims/NAMESPACE/NAME`.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from fakeapi.kinds import definition_of
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.conversion import IDENTITY
from fakeapi.registry.stored import form as stored_form
from fakeapi.registry.stored.form import AS_WRITTEN
from fakeapi.registry.stored.keys import first_keys
from fakeapi.releases import Kind, load_release
from fakeapi_storage import Format, OpenFailed, Storage

RELEASE_LABEL = "release"
"""The label of a database for the release that wrote it; "" for a server that serves several releases."""

_RELEASES_OF_FORMAT_1: Mapping[str, str] = MappingProxyType(
    {"v1alpha2": "1.30", "v1alpha3": "1.33", "v1": "1.33"}
)
"""By version, a release that knows all kinds that format 1 stored in this version.

PodSchedulingContext in v1alpha3 is only in 1.31.
"""


def to_hub(key: str, value: bytes) -> tuple[str, bytes]:
    """Migrates a row from format 1 to format 2. Raises KeyError for a kind that format 1 never stored."""
    _, group, version, resource, rest = key.split("/", 4)
    kind = _kind("" if group == "core" else group, version, resource)
    definition = definition_of(kind)
    hub_key = f"{definition.prefix}{rest}"
    if not value:
        return hub_key, value
    if value.endswith(b" "):
        value = AS_WRITTEN + value[:-1]
    obj = stored_form.decode_value(value, kind.schema)
    converted = definition.conversions.get(version, IDENTITY).to_hub(obj)
    return hub_key, stored_form.encode_value({**converted, "apiVersion": definition.hub_api_version})


@lru_cache(maxsize=64)  # few kinds, many rows
def _kind(group: str, version: str, resource: str) -> Kind:
    for release in (_RELEASES_OF_FORMAT_1[version], "1.31"):
        try:
            return load_release(release).kind(group, version, resource)
        except KeyError:
            continue
    raise KeyError(f"{group}/{version} {resource}")


STORED_FORMAT = Format(version=2, migrations={1: to_hub})


class UnservedObjects(OpenFailed):
    """The database has objects of a kind that the server does not serve."""


async def check_stored(storage: Storage, catalogue: Catalogue, location: str, release: str) -> None:
    """Refuses a database with objects that this server cannot serve; labels it with the server's release.

    `release` is "" for a server that serves several. Raises UnservedObjects, StorageFailed.
    """
    written_by = storage.labels.get(RELEASE_LABEL, "")
    try:
        keys = first_keys(storage)
    except ValueError as error:
        raise UnservedObjects(location, str(error)) from error
    for key in keys:
        if not catalogue.stores(key.resource, key.prefix):
            resource_name = key.qualified + (" of v1alpha2" if key.is_classic else "")
            how = f"with --release {written_by}" if written_by else "without --release"
            raise UnservedObjects(
                location, f"it has objects of {resource_name}, which this server does not serve: start {how}"
            )
    if written_by != release or RELEASE_LABEL not in storage.labels:
        await storage.set_labels({**storage.labels, RELEASE_LABEL: release})
