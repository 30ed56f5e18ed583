"""Servers of each API version accept the sample manifests of this version."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from fakeapi.testing.server import FakeAPI

MANIFESTS = Path(__file__).parents[2] / "fixtures" / "manifests"
RELEASES = {"v1alpha2": ("1.27", "1.28", "1.29", "1.30"), "v1alpha3": ("1.31", "1.32", "1.33")}
CASES = [
    pytest.param(release, path, id=f"{release}-{path.stem}")
    for version, releases in RELEASES.items()
    for release in releases
    for path in sorted((MANIFESTS / version).glob("*.yaml"))
]


def test_every_manifest_belongs_to_a_version_that_is_served() -> None:
    assert sorted(path.name for path in MANIFESTS.iterdir()) == sorted(RELEASES)
    assert len(list(MANIFESTS.glob("*/*.yaml"))) >= 12


def without_nulls(value: Any) -> Any:
    """Returns a copy of a JSON value without null fields.

    Since 1.32, Kubernetes' encoder writes `adminAccess: null` if the field is not set.
    """
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("release", "path"), CASES)
def test_a_manifest_is_accepted_strictly_and_its_status_kept(
    release: str, path: Path, fakeapi_factory: Any
) -> None:
    api: FakeAPI = fakeapi_factory(release=release)
    manifest: dict[str, Any] = yaml.safe_load(path.read_text())
    created = api.create(path, fieldValidation="Strict")
    assert created["apiVersion"] == f"resource.k8s.io/{path.parent.name}"
    assert created["metadata"]["name"].startswith(
        manifest["metadata"].get("name") or manifest["metadata"]["generateName"]
    )
    assert not created.get("status")
    if "status" in manifest:
        updated = api.update_status({**created, "status": manifest["status"]})
        assert without_nulls(updated["status"]) == manifest["status"]
    assert [claim["metadata"]["name"] for claim in api.list("ResourceClaim")] == [created["metadata"]["name"]]
