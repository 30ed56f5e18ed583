"""The server opens databases with older formats, and refuses databases with kinds that its release lacks."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from fakeapi.clock.clocks import SystemClockAndNames
from fakeapi.controlplane.registry import open_registry
from fakeapi.controlplane.stored_format import STORED_FORMAT, UnservedObjects, check_stored
from fakeapi.registry.stored.form import AS_WRITTEN
from fakeapi.releases import served
from fakeapi_storage import open_storage

[MIGRATE] = STORED_FORMAT.steps_from(1) or []
META = {"name": "a", "resourceVersion": ""}


def value(kind: str, version: str, **fields: Any) -> bytes:
    obj = {"kind": kind, "apiVersion": version, "metadata": META, **fields}
    return json.dumps(obj, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("old", "kind", "new"),
    [
        ("/core/v1/namespaces/a", "Namespace", "/core/namespaces/a"),
        (
            "/resource.k8s.io/v1alpha3/resourceclaims/n/a",
            "ResourceClaim",
            "/resource.k8s.io/resourceclaims/n/a",
        ),
        (
            "/resource.k8s.io/v1alpha2/resourceclaims/n/a",
            "ResourceClaim",
            "/resource.k8s.io/classic/resourceclaims/n/a",
        ),
        (
            "/resource.k8s.io/v1alpha3/podschedulingcontexts/n/a",
            "PodSchedulingContext",
            "/resource.k8s.io/podschedulingcontexts/n/a",
        ),
    ],
)
def test_keys_of_format_1_lose_their_version(old: str, kind: str, new: str) -> None:
    takes_devices = kind == "ResourceClaim" and "v1alpha3" in old
    spec: dict[str, Any] = {"devices": {"requests": []}} if takes_devices else {}
    assert MIGRATE(old, value(kind, "x/v1", spec=spec))[0] == new
    assert MIGRATE(old, b"") == (new, b"")


def test_values_of_format_1_become_objects_of_the_hub() -> None:
    request = {"name": "r", "deviceClassName": "c", "allocationMode": "All"}
    spec = {"devices": {"requests": [request]}}
    old = value("ResourceClaim", "resource.k8s.io/v1alpha3", spec=spec)
    new = json.loads(MIGRATE("/resource.k8s.io/v1alpha3/resourceclaims/n/a", old)[1])
    assert (new["apiVersion"], new["metadata"]) == ("resource.k8s.io/internal", META)
    exactly = {"deviceClassName": "c", "allocationMode": "All"}
    assert new["spec"] == {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}


def test_drivers_own_values_of_format_1_stay_as_they_were_written() -> None:
    opaque = {"driver": "d", "parameters": 5}
    spec = {"devices": {"requests": [], "config": [{"opaque": opaque}]}}
    old = value("ResourceClaim", "resource.k8s.io/v1alpha3", spec=spec).replace(b":5", b':{ "a" : 1.50 }')
    new = MIGRATE("/resource.k8s.io/v1alpha3/resourceclaims/n/a", old + b" ")[1]
    assert new.startswith(AS_WRITTEN + b'{"kind"')
    assert b'"parameters":{ "a" : 1.50 }' in new


def test_a_kind_that_no_release_kept_is_not_migrated() -> None:
    with pytest.raises(KeyError):
        MIGRATE("/resource.k8s.io/v1alpha3/surprises/n/a", b"{}")


async def opened(path: Path, release: str | None, keys: tuple[str, ...] = ()) -> dict[str, str]:
    """Opens and checks a database as a server of the release does; returns the labels of the database.

    `release`: None means a server of all API versions. `keys`: storage keys to create in the database.
    """
    storage = await open_storage(path, data_format=STORED_FORMAT)
    try:
        registry = open_registry(storage, served(release), SystemClockAndNames())
        await check_stored(storage, registry.catalogue, str(path), release or "")
        for key in keys:
            await storage.create(key, b"{}")
        return dict(storage.labels)
    finally:
        await storage.close()


def test_a_database_names_the_release_that_served_it_last(tmp_path: Path) -> None:
    for release in ("1.31", None, "1.33"):
        assert asyncio.run(opened(tmp_path / "a.db", release)) == {"release": release or ""}


@pytest.mark.parametrize(
    ("written", "key", "read", "what", "how"),
    [
        (
            "1.30",
            "/resource.k8s.io/classic/resourceclaims/n/a",
            "1.31",
            "resourceclaims.resource.k8s.io of v1alpha2",
            "with --release 1.30",
        ),
        (
            None,
            "/resource.k8s.io/deviceclasses/a",
            "1.30",
            "deviceclasses.resource.k8s.io",
            "without --release",
        ),
    ],
)
def test_a_database_with_objects_that_could_not_be_seen_is_refused_in_a_line(
    tmp_path: Path, written: str | None, key: str, read: str, what: str, how: str
) -> None:
    path = tmp_path / "a.db"
    asyncio.run(opened(path, written, ("/core/namespaces/default", key)))
    with pytest.raises(UnservedObjects) as refused:
        asyncio.run(opened(path, read))
    assert str(refused.value) == (
        f"{path}: it has objects of {what}, which this server does not serve: start {how}"
    )
    assert asyncio.run(opened(path, written)) == {"release": written or ""}, "nothing has changed"


def test_a_database_is_opened_with_every_release_that_serves_its_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    asyncio.run(opened(path, "1.31", ("/resource.k8s.io/resourceclaims/n/a",)))
    for release in ("1.32", "1.33", None, "1.31"):
        asyncio.run(opened(path, release))


def test_a_database_with_a_key_of_no_object_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    asyncio.run(opened(path, "1.33"))

    async def spoil() -> None:
        storage = await open_storage(path, data_format=STORED_FORMAT)
        await storage.create("/nothing", b"{}")
        await storage.close()

    asyncio.run(spoil())
    with pytest.raises(UnservedObjects, match="'/nothing' is not the key of an object"):
        asyncio.run(opened(path, "1.33"))
