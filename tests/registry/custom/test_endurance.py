"""Clients create and delete CustomResourceDefinitions of any size, often or concurrently."""

import gc
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.journal.entry import Bodies
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import (
    ALL_WIDGETS,
    DEFINITIONS,
    WIDGETS,
    conditions,
    definition,
    version,
    widget,
)

NAME = f"{DEFINITIONS}/widgets.example.com"
ROUNDS = 500
SETTLED = 100
MERGE = "application/merge-patch+json"


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell open files")
@pytest.mark.timeout(300)
def test_five_hundred_definitions_that_come_and_go_leave_nothing_behind() -> None:
    sizes: list[tuple[int, int]] = []
    with FakeAPI(release="1.33", history=50) as server:
        for number in range(ROUNDS):
            server.request("POST", DEFINITIONS, definition())
            server.request("POST", WIDGETS, widget())
            server.request("DELETE", NAME)
            if number in (SETTLED, ROUNDS - 1):
                gc.collect()
                kept = sum(1 for each in gc.get_objects() if type(each) is not Bodies)  # not the journal's
                sizes.append((kept, open_files()))
    (objects, files), (more_objects, more_files) = sizes
    assert more_files == files
    assert more_objects - objects < ROUNDS, "nothing is kept of a definition"


def test_of_many_definitions_of_one_kind_that_are_made_at_once_one_is_established(server: FakeAPI) -> None:
    def make(plural: str) -> None:
        server.request("POST", DEFINITIONS, definition(plural, "Widget"))

    plurals = [f"widgets{letter}" for letter in "abcdefgh"]
    threads = [threading.Thread(target=make, args=(plural,)) for plural in plurals]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = server.request("GET", DEFINITIONS)["items"]
    established = [each for each in stored if conditions(each)["Established"][0] == "True"]
    assert (len(stored), len(established)) == (len(plurals), 1)
    for _ in plurals:
        [first] = [
            each["metadata"]["name"]
            for each in server.request("GET", DEFINITIONS)["items"]
            if conditions(each)["Established"][0] == "True"
        ]
        server.request("DELETE", f"{DEFINITIONS}/{first}")
    assert server.request("GET", DEFINITIONS)["items"] == []


def test_a_dry_run_of_a_definition_serves_nothing_and_its_deletion_removes_nothing(server: FakeAPI) -> None:
    server.request("POST", f"{DEFINITIONS}?dryRun=All", definition())
    assert server.request("GET", DEFINITIONS)["items"] == []
    server.request("POST", DEFINITIONS, definition())
    server.request("POST", WIDGETS, widget())
    server.request("DELETE", f"{NAME}?dryRun=All")
    assert len(server.request("GET", ALL_WIDGETS)["items"]) == 1


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {"end": {"type": "string", "default": "x"}}}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"below": schema}}
    return {"openAPIV3Schema": schema}


def test_a_schema_of_twenty_levels_prunes_and_defaults_to_its_end(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition(versions=[{**version(), "schema": nested(19)}]))
    body: dict[str, Any] = {"unknown": 1}
    for _ in range(19):
        body = {"below": body}
    stored = server.request("POST", WIDGETS, widget(**body))
    for _ in range(19):
        stored = stored["below"]
    assert stored == {"end": "x"}


def test_a_schema_beyond_all_bounds_is_refused_and_nothing_is_stored(server: FakeAPI) -> None:
    with pytest.raises(StatusError) as refused:
        server.request("POST", DEFINITIONS, definition(versions=[{**version(), "schema": nested(80)}]))
    assert refused.value.code == 422
    assert server.request("GET", DEFINITIONS)["items"] == []


def test_sixty_four_versions_are_served(server: FakeAPI) -> None:
    versions = [version(f"v{number}", storage=number == 1) for number in range(1, 65)]
    server.request("POST", DEFINITIONS, definition(versions=versions))
    group = server.request("GET", "/apis/example.com")
    assert [each["version"] for each in group["versions"]] == [f"v{number}" for number in range(64, 0, -1)]
    server.request("POST", WIDGETS.replace("v1", "v64"), widget(api_version="example.com/v64"))
    assert server.request("GET", f"{WIDGETS}/w")["apiVersion"] == "example.com/v1"


def test_a_body_as_deep_as_json_may_be_is_pruned_and_kept_where_it_may_be(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    deep: Any = {}
    for _ in range(850):
        deep = {"a": deep}
    for name, spec in (("pruned", {"unknown": deep}), ("kept", {"any": deep})):
        server.request("POST", WIDGETS, json.dumps(widget(name, spec=spec)))
    kept, pruned = server.request("GET", ALL_WIDGETS)["items"]
    assert (kept["spec"]["any"], pruned["spec"]) == (deep, {"size": 3})


def test_definitions_and_objects_are_there_again_after_a_restart(tmp_path: Path) -> None:
    database = tmp_path / "cluster.db"
    with FakeAPI(release="1.33", database=database) as server:
        server.request("POST", DEFINITIONS, definition())
        stored = server.request("POST", WIDGETS, widget())
        before = server.request("GET", NAME)
    with FakeAPI(release="1.33", database=database) as server:
        assert server.request("GET", f"{WIDGETS}/w") == stored
        assert server.request("GET", NAME) == before


def test_a_deletion_that_a_stop_interrupted_goes_on_after_a_restart(tmp_path: Path) -> None:
    database = tmp_path / "cluster.db"
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    with FakeAPI(release="1.33", database=database) as server:
        server.request("POST", DEFINITIONS, definition())
        server.request("POST", WIDGETS, obj)
        server.request("POST", WIDGETS, widget("free"))
        server.request("DELETE", NAME)
    with FakeAPI(release="1.33", database=database) as server:
        assert [each["metadata"]["name"] for each in server.request("GET", ALL_WIDGETS)["items"]] == ["w"]
        server.request("PATCH", f"{WIDGETS}/w", {"metadata": {"finalizers": None}}, content_type=MERGE)
        with pytest.raises(StatusError, match="not found"):
            server.request("GET", NAME)


def test_a_reset_takes_the_kinds_of_definitions_away(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    server.reset()
    with pytest.raises(StatusError) as refused:
        server.request("GET", ALL_WIDGETS)
    assert refused.value.code == 404
    server.request("POST", DEFINITIONS, definition())
    assert server.request("GET", ALL_WIDGETS)["items"] == []


def test_a_new_default_shows_in_objects_that_are_stored(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    server.request("POST", WIDGETS, widget(spec={}))
    stored = server.request("GET", NAME)
    spec = stored["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["colour"]["default"] = "red"
    server.request("PUT", NAME, stored)
    assert server.request("GET", f"{WIDGETS}/w")["spec"] == {"size": 3, "colour": "red"}
