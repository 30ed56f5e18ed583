"""fakeapi opens databases of older versions, and keeps their objects, history and resourceVersions."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.errors import StatusError
from tests.http.watching import watch

DATABASES = Path(__file__).parents[2] / "fixtures" / "databases"
NAMES = ["default", "1.27", "1.31", "1.33"]


class Old:
    """A database that an older fakeapi version wrote, and the responses of that version."""

    def __init__(self, name: str, directory: Path) -> None:
        self.database = directory / "old.db"
        self.database.write_bytes(gzip.decompress((DATABASES / f"{name}.db.gz").read_bytes()))
        self.answers: dict[str, Any] = json.loads((DATABASES / f"{name}.json").read_text())
        self.api = self.server()

    def server(self) -> FakeAPI:
        return FakeAPI(database=self.database, release=self.answers["release"])


@pytest.fixture(params=NAMES)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Old]:
    found = Old(request.param, tmp_path)
    with found.api:
        yield found


def test_every_object_equals_the_response_of_the_older_version(old: Old) -> None:
    objects = old.answers["objects"]
    assert {path: old.api.request("GET", path) for path in objects} == objects


def test_lists_have_the_same_objects_and_resource_versions_continue(old: Old) -> None:
    for path, version in old.answers["versions"].items():
        obj = old.api.request("GET", path)
        assert int(obj["metadata"]["resourceVersion"]) >= int(version)
        base, _, resource = path.rpartition("/")
        assert len(obj["items"]) == len(
            [p for p in old.answers["objects"] if p.startswith(f"{base}/") and f"/{resource}/" in p]
        )
    created = old.api.create_namespace("new")
    assert int(created["metadata"]["resourceVersion"]) > max(map(int, old.answers["versions"].values()))


def test_a_watch_starts_from_the_history_of_the_older_version(old: Old) -> None:
    for path, expected in old.answers["events"].items():
        with watch(old.api.url, "resourceVersion=1&timeoutSeconds=60", path=path) as stream:
            events = stream.take(len(expected))
        assert events == [(event["type"], event["object"]) for event in expected]


def test_an_object_of_the_older_version_is_updated_at_its_resource_version(old: Old) -> None:
    path, obj = next(
        item for item in old.answers["objects"].items() if item[0].endswith("/team-a/resourceclaims/changed")
    )
    changed = old.api.request("PUT", path, {**obj, "metadata": {**obj["metadata"], "labels": {"new": "yes"}}})
    assert int(changed["metadata"]["resourceVersion"]) > int(obj["metadata"]["resourceVersion"])
    with pytest.raises(StatusError, match="the object has been modified"):
        old.api.request("PUT", path, obj)


def test_a_second_start_finds_the_database_as_the_first_one_left_it(old: Old) -> None:
    old.api.create_namespace("later")
    before = old.api.request("GET", "/api/v1/namespaces")
    old.api.stop()
    with old.server() as again:
        assert again.request("GET", "/api/v1/namespaces") == before
