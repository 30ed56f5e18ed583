"""Request bodies are decoded to a canonical object with defaults, or refused with Kubernetes' message."""

import json

import pytest

from fakeapi.machinery.errors import ApiError
from fakeapi.registry.requests.decoding import (
    Unreadable,
    conversion_problem,
    read_object,
    stated_type,
    summary,
    type_of,
)
from fakeapi.registry.requests.options import Warnings
from tests.registry.world import World, in_world

JSON, YAML = "application/json", "application/yaml"


def test_json_and_yaml_of_one_object_are_read_alike_and_defaults_are_filled_in() -> None:
    async def scenario(world: World) -> None:
        text = json.dumps(world.claim("a", labels={"a": "b"})).encode()
        yaml = b"""
metadata: {name: a, labels: {a: b}}
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com
"""
        found = [
            read_object(world.claims.body_type, body, media_type, "Strict", Warnings())
            for body, media_type in ((text, JSON), (yaml, YAML))
        ]
        assert found[0] == found[1]
        assert (found[0]["kind"], found[0]["apiVersion"]) == ("ResourceClaim", "resource.k8s.io/v1alpha3")
        request = found[0]["spec"]["devices"]["requests"][0]
        assert (request["allocationMode"], request["count"]) == ("ExactCount", 1)

    in_world(scenario)


def test_unknown_and_repeated_fields_are_warned_of_refused_or_passed_over_as_asked() -> None:
    body = b'{"metadata":{"name":"a","odd":1},"metadata":{"name":"b"},"spec":{"x":{"y":1}},"z":1}'
    texts = [
        'unknown field "metadata.odd"',
        'duplicate field "metadata"',
        'unknown field "spec.x"',
        'unknown field "z"',
    ]

    async def scenario(world: World) -> None:
        warnings = Warnings()
        warned = read_object(world.claims.body_type, body, JSON, "Warn", warnings)
        assert sorted(warnings.texts) == sorted(texts)
        assert "z" not in warned
        warnings = Warnings()
        assert read_object(world.claims.body_type, body, JSON, "Ignore", warnings) == warned
        assert warnings.texts == []
        with pytest.raises(ApiError) as refused:
            read_object(world.claims.body_type, body, JSON, "Strict", Warnings())
        assert refused.value.code == 400
        assert all(text in refused.value.message for text in texts)

    in_world(scenario)


def test_repeated_keys_of_yaml_are_noticed_too() -> None:
    async def scenario(world: World) -> None:
        warnings = Warnings()
        read_object(
            world.claims.body_type, b"metadata: {name: a}\nmetadata: {name: b}\n", YAML, "Warn", warnings
        )
        assert len(warnings.texts) == 1
        assert 'key "metadata" already set in map' in warnings.texts[0]

    in_world(scenario)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "unexpected end of JSON input (<empty>)"),
        (b"{", "unexpected end of JSON input ({)"),
        (b"[]", "cannot unmarshal array into Go value of type struct"),
        (b'{"kind": 1}', "cannot unmarshal number into Go struct field .kind of type string"),
        (b'{"apiVersion": {}}', "cannot unmarshal object into Go struct field .apiVersion of type string"),
        (b'{"apiVersion": "a/b/c"}', "unexpected GroupVersion string: a/b/c"),
        (b'{"kind": "Surprise"}', 'no kind "Surprise" is registered for version "resource.k8s.io/v1alpha3"'),
        (b'{"metadata": []}', "cannot unmarshal array into Go struct field ResourceClaim.metadata"),
    ],
)
def test_a_body_that_is_no_claim_is_refused_with_what_is_wrong(body: bytes, words: str) -> None:
    async def scenario(world: World) -> None:
        with pytest.raises(ApiError) as refused:
            read_object(world.claims.body_type, body, JSON, "Warn", Warnings())
        assert refused.value.code == 400
        assert words in refused.value.message

    in_world(scenario)


def test_null_is_an_empty_object() -> None:
    async def scenario(world: World) -> None:
        obj = read_object(world.claims.body_type, b"null", JSON, "Strict", Warnings())
        assert obj == world.claims.empty_object()

    in_world(scenario)


def test_the_case_of_kind_and_api_version_is_nothing_and_the_last_of_them_counts() -> None:
    assert stated_type({"kind": "A", "Kind": "B", "KIND": None, "ApiVersion": "v1"}) == ("B", "v1")
    assert stated_type({"Kind": "B", "kind": "A"}) == ("A", "")


def test_an_api_version_without_a_version_is_that_of_the_path_and_one_without_a_group_is_the_cores() -> None:
    async def scenario(world: World) -> None:
        own = (world.claims.kind.kind, world.claims.api_version)
        assert type_of({"apiVersion": "resource.k8s.io/"}, world.claims.body_type) == own
        assert type_of({"apiVersion": "/"}, world.claims.body_type) == own
        assert type_of({"apiVersion": "/v1"}, world.claims.body_type) == (own[0], "v1")

    in_world(scenario)


def test_what_a_body_does_not_say_of_its_type_is_what_the_path_says() -> None:
    async def scenario(world: World) -> None:
        assert type_of({}, world.claims.body_type) == ("ResourceClaim", "resource.k8s.io/v1alpha3")
        assert type_of({"kind": "Pod"}, world.claims.body_type) == ("Pod", "resource.k8s.io/v1alpha3")

    in_world(scenario)
    assert stated_type({}) == stated_type(None) == ("", "")
    with pytest.raises(Unreadable):
        stated_type([])


def test_repeated_members_come_to_the_same_whether_anybody_is_told_of_them_or_not() -> None:
    async def scenario(world: World) -> None:
        body = b'{"metadata":{"name":"a","labels":{"a":"1"},"labels":{"b":"2"}},"spec":{}}'
        for validation in ("Ignore", "Warn"):
            obj = read_object(world.claims.body_type, body, JSON, validation, Warnings())
            assert obj["metadata"]["labels"] == {"a": "1", "b": "2"}

    in_world(scenario)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"", "<empty>"),
        (b"{}", "{}"),
        (b"abc", "616263"),
        (b"{" + b"a" * 40, "{" + "a" * 29 + " ..."),
        (b"\xff" * 40, "ff" * 30 + " ..."),
    ],
)
def test_a_summary_is_the_beginning_as_text_or_in_hexadecimal(body: bytes, shown: str) -> None:
    assert summary(body) == shown


@pytest.mark.parametrize(
    ("api_version", "kind", "problem"),
    [
        ("v1", "Pod", "converting (v1.Pod) to (resource.ResourceClaim): unknown conversion"),
        ("v1", "pod", 'no kind "pod" is registered for version "v1" in scheme'),
        (
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            "converting (v2.HorizontalPodAutoscaler) to (resource.",
        ),
        (
            "resource.k8s.io/v1alpha3",
            "ResourceClaimList",
            "converting (v1alpha3.ResourceClaimList) to (resource.",
        ),
        ("resource.k8s.io/v1alpha3", "DeleteOptions", "converting (v1.DeleteOptions) to (resource."),
        ("unknown.io/v7", "Status", "converting (v1.Status) to (resource."),
        (
            "unknown.io/v7",
            "DeleteOptions",
            'no kind "DeleteOptions" is registered for version "unknown.io/v7" in',
        ),
    ],
)
def test_another_kind_is_told_apart_from_one_that_the_release_does_not_have(
    api_version: str, kind: str, problem: str
) -> None:
    async def scenario(world: World) -> None:
        assert conversion_problem(world.claims.body_type, kind, api_version).startswith(problem)

    in_world(scenario)


def test_each_line_that_yaml_complains_about_is_a_warning_of_its_own() -> None:
    async def scenario(world: World) -> None:
        warnings = Warnings()
        body = b"metadata: {name: a}\nspec: {}\nmetadata: {name: b}\nspec: {}\n"
        read_object(world.claims.body_type, body, YAML, "Warn", warnings)
        assert warnings.texts == [
            'line 3: key "metadata" already set in map',
            'line 4: key "spec" already set in map',
        ]

    in_world(scenario)
