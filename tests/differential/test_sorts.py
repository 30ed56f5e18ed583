"""The random stories of each sort: equal seeds give equal stories."""

import json
from typing import Any

import pytest

from fakeapi.machinery.schema.protobuf_encoding import encode, wrap
from fakeapi.releases import load_release
from tests.differential.exchanges.bases import driven_kinds
from tests.differential.exchanges.protobuf import ProtobufReader
from tests.differential.exchanges.run import retagged
from tests.differential.exchanges.sorts import SORTS
from tests.differential.exchanges.waiting import waits

KINDS = driven_kinds([*load_release("1.37").kinds])


def stories(sort: str, seed: int, count: int = 30) -> list[Any]:
    write = SORTS[sort](KINDS, seed)
    return [write(number).story for number in range(1, count + 1)]


@pytest.mark.parametrize("sort", SORTS)
def test_equal_seeds_give_equal_stories(sort: str) -> None:
    assert stories(sort, 7) == stories(sort, 7)
    assert stories(sort, 7) != stories(sort, 8)


@pytest.mark.parametrize("sort", SORTS)
def test_a_repeated_story_shares_no_name_with_the_first(sort: str) -> None:
    for number, story in enumerate(stories(sort, 7), 1):
        if all("/flowschemas/exempt?dryRun=All" in request["target"] for request in story):
            continue  # both servers have this FlowSchema, and a dry run does not change it
        again = retagged(story, number, 3)
        assert f"q{number}x3" in json.dumps(again)
        assert f"q{number}-" not in json.dumps(again).replace(f"q{number}x3", "")


def test_a_custom_story_creates_the_definition_of_its_objects() -> None:
    for story in stories("custom", 7):
        definition = story[1]["body"]
        assert definition["kind"] == "CustomResourceDefinition"
        assert f"/apis/{definition['spec']['group']}/v1" in story[3]["target"]


def test_a_watched_story_has_one_watch_until_its_end() -> None:
    for story in stories("watches", 7):
        assert [request["until"] for request in story if "until" in request] == [1000]


def test_a_policy_validates_only_the_namespace_of_its_story() -> None:
    for number, story in enumerate(stories("policies", 7), 1):
        target = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
        (binding,) = [request["body"] for request in story if request["target"] == target]
        selector = binding["spec"]["matchResources"]["namespaceSelector"]
        assert selector == {"matchLabels": {"kubernetes.io/metadata.name": f"q{number}"}}


def test_a_request_is_repeated_until_a_definition_is_served() -> None:
    conditions = [{"type": "Established", "status": "True"}]
    established = {"status": 200, "body": {"status": {"conditions": conditions}}}
    answers = iter(
        [
            {"status": 200, "body": {"status": {}}},
            established,
            established,
            {"status": 404, "body": {}},
            {"status": 200, "body": {}},
        ]
    )
    assert waits({"method": "GET", "target": "/d", "until_served": "/c"}, lambda _: next(answers))
    assert next(answers, None) is None
    assert not waits({"method": "GET", "target": "/d"}, lambda _: {})


def test_a_response_in_protobuf_is_read_as_its_object() -> None:
    release = load_release("1.37")
    reader = ProtobufReader(release)
    config_map = next(kind for kind in release.kinds if kind.kind == "ConfigMap")
    obj = {"metadata": {"name": "a"}, "data": {"a": "b"}}
    read = reader.read(wrap("ConfigMap", "v1", encode(obj, config_map.schema)))
    assert (read["kind"], read["apiVersion"], read["data"]) == ("ConfigMap", "v1", {"a": "b"})
    assert read["metadata"]["name"] == "a"
    assert reader.read(wrap("Other", "v1", b"")) == {"kind": "Other", "apiVersion": "v1", "bytes": ""}
