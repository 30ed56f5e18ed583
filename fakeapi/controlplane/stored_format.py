"""The format of stored keys and values, and the migration of databases in older formats.

`fakeapi_storage` records the format in the database, and migrates an older format when it opens the database.
If you change keys or values of stored objects, add a new format and a migration from the previous format.

Format 1 stored objects in the oldest API version that the release served. The keys contained this version:
`/resource.k8s.io/v1alpha3/resourceclaims/NAMESPACE/NAME`. A space at the end of a value meant that a
RawExtension in the object was not compact JSON. Since format 2, objects are stored in the hub version of
their kind. The keys contain no version: `/resource.k8s.io/resourceclaims/NAMESPACE/NAME`.
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
"""The name of a database label. Its value is the release that wrote the database.

The value is "" if a server of several releases wrote the database.
"""

_RELEASES_OF_FORMAT_1: Mapping[str, str] = MappingProxyType(
    {"v1alpha2": "1.30", "v1alpha3": "1.33", "v1": "1.33"}
)
"""For each API version, a release with all kinds that format 1 stored in this version.

Exception: only 1.31 has PodSchedulingContext in v1alpha3.
"""


def to_hub(key: str, value: bytes) -> tuple[str, bytes]:
    """Migrates the storage key and the value of an object from format 1 to format 2.

    Raises KeyError if format 1 never stored objects of this kind.
    """
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


@lru_cache(maxsize=64)  # many rows have the same kind
def _kind(group: str, version: str, resource: str) -> Kind:
    for release in (_RELEASES_OF_FORMAT_1[version], "1.31"):
        try:
            return load_release(release).kind(group, version, resource)
        except KeyError:
            continue
    raise KeyError(f"{group}/{version} {resource}")


STORED_FORMAT = Format(version=2, migrations={1: to_hub})


class UnservedObjects(OpenFailed):
    """Raised if the database contains objects of a kind that the server does not serve."""


async def check_stored(storage: Storage, catalogue: Catalogue, location: str, release: str) -> None:
    """Raises UnservedObjects if the database contains objects that this server cannot serve.

    Otherwise labels the database with `release`; "" means a server of several releases. `location`: the name
    of the database for error messages. Raises StorageFailed if the label cannot be stored.
    """
    written_by = storage.labels.get(RELEASE_LABEL, "")
    try:
        keys = first_keys(storage)
    except ValueError as error:
        raise UnservedObjects(location, str(error)) from error
    for key in keys:
        if not catalogue.stores(key.resource, key.prefix):
            resource_name = key.qualified + (" of v1alpha2" if key.is_classic else "")
            remedy = f"with --release {written_by}" if written_by else "without --release"
            raise UnservedObjects(
                location,
                f"it has objects of {resource_name}, which this server does not serve: start {remedy}",
            )
    if written_by != release or RELEASE_LABEL not in storage.labels:
        await storage.set_labels({**storage.labels, RELEASE_LABEL: release})
