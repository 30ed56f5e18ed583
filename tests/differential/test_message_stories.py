"""The stories about error messages: the corpus, and the search that extends it. No test needs Go."""

import asyncio
import json
from pathlib import Path

import pytest

from fakeapi.machinery import field_errors
from fakeapi.releases import load_release
from tests.differential.exchanges.corpus import TAG, CorpusSort, read_corpus, story_of, write_corpus
from tests.differential.exchanges.messages import causes_of, messages
from tests.differential.searching.provoking import places_of_entries, provoking
from tests.differential.searching.search import Search
from tests.differential.searching.seeds import read_seeds
from tests.differential.searching.sites import watched_sites
from tests.differential.searching.unreachable import UNREACHABLE, described, reason_of

ENTRIES = read_corpus()
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"a-{TAG}"}, "spec": {"containers": []}}

VERSION = "coordination.k8s.io/v1"


def test_a_story_has_the_names_of_its_number_and_deletes_what_it_stores() -> None:
    create = {"method": "POST", "target": f"/api/v1/namespaces/{TAG}/pods", "body": POD}
    update = {"method": "PUT", "target": f"/api/v1/namespaces/{TAG}/pods/a-{TAG}?dryRun=All", "body": POD}
    story = story_of({"requests": [create, update]}, 7)
    assert TAG not in json.dumps(story)
    assert [(each["method"], each["target"]) for each in story] == [
        ("POST", "/api/v1/namespaces/q7/pods"),
        ("PUT", "/api/v1/namespaces/q7/pods/a-q7?dryRun=All"),
        ("DELETE", "/api/v1/namespaces/q7/pods/a-q7"),
    ]


def test_the_last_request_of_each_story_stores_nothing() -> None:
    last = [entry["requests"][-1] for entry in ENTRIES]
    assert all(request["method"] == "GET" or "?dryRun=All" in request["target"] for request in last)


def test_a_release_gets_the_stories_of_the_kinds_that_it_serves() -> None:
    counts = [len(CorpusSort([*load_release(release).kinds], 1)) for release in ("1.31", "1.34", "1.37")]
    assert 0 < counts[0] < counts[1] < counts[2] <= len(ENTRIES)


def test_equal_entries_give_an_equal_file(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    write_corpus(ENTRIES[:5], first)
    write_corpus(read_corpus(first), second)
    assert first.read_bytes() == second.read_bytes()


def test_a_story_provokes_the_messages_whose_code_runs_and_whose_text_is_in_the_response() -> None:
    spec = {"leaseDurationSeconds": 0}
    lease = {"apiVersion": VERSION, "kind": "Lease", "metadata": {"name": "a"}, "spec": spec}
    create = {
        "method": "POST",
        "target": f"/apis/{VERSION}/namespaces/{TAG}/leases?dryRun=All",
        "body": lease,
    }
    places = asyncio.run(places_of_entries([{"requests": [create]}], "1.37", ""))
    (place,) = places[0]
    assert place.startswith("coordination/")
    assert place in {message.place for message in messages()}


def test_the_watch_of_error_messages_ends_with_its_block() -> None:
    real = field_errors.FieldError
    with watched_sites():
        assert field_errors.FieldError is not real
    assert field_errors.FieldError is real


def test_the_search_finds_stories_that_provoke_missing_messages() -> None:
    async def search() -> Search:
        async with provoking("1.37", "") as provoker:
            searched = Search(
                provoker,
                "1.37",
                "",
                seed=1,
                missing=messages(),
                seeds=read_seeds(),
                only=["leases"],
            )
            await searched.run(50, lambda _: None, sweeps=False)
            return searched

    searched = asyncio.run(search())
    reached = {message.place for message in messages()} - searched.missing.keys()
    assert any(place.startswith("coordination/") for place in reached)
    places = asyncio.run(places_of_entries(searched.found, "1.37", ""))
    assert reached == set().union(*places.values())


@pytest.mark.parametrize(
    ("message", "field", "reason"),
    [
        ("deviceclasses is bad: spec.name: Required value", "spec.name", "FieldValueRequired"),
        ('[spec.a[0].b: Invalid value: "x": too new]', "spec.a[0].b", "FieldValueInvalid"),
    ],
)
def test_a_status_without_causes_has_the_cause_in_its_message(message: str, field: str, reason: str) -> None:
    (cause,) = causes_of({"kind": "Status", "message": message})
    assert (cause.field, cause.reason) == (field, reason)


def test_each_part_of_an_unreachable_message_is_in_a_message_of_its_module() -> None:
    shown: dict[str, list[str]] = {}
    for message in messages():
        shown.setdefault(message.place.partition(":")[0], []).append(described(message))
    for modules in UNREACHABLE.values():
        for module, parts in modules.items():
            assert [part for part in parts if not any(part in text for text in shown[module])] == []


def test_a_message_has_a_reason_only_if_the_table_lists_it() -> None:
    reasons = {message.place.partition(":")[0]: reason_of(message) for message in messages()}
    assert reasons["scheduling/first_workload.py"] in UNREACHABLE
    assert reasons["policy/poddisruptionbudget.py"] == ""
