"""With the feature gate ShardedListAndWatch, lists and watches can select a shard of the objects."""

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import pytest

from fakeapi import FakeAPI

HALF = "0x8000000000000000"
SHARDS = (
    f"shardRange(object.metadata.uid, '0x0000000000000000', '{HALF}')",
    f"shardRange(object.metadata.uid, '{HALF}', '0x10000000000000000')",
)
CLAIM = {"spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "gpu"}}]}}}


def claims(api: FakeAPI, **query: str) -> Any:
    url = f"{api.url}/apis/resource.k8s.io/v1/resourceclaims?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(url) as response:
        return [json.loads(line) for line in response] if "watch" in query else json.load(response)


def fill(api: FakeAPI) -> None:
    for number in range(16):
        body = {**CLAIM, "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
        body["metadata"] = {"name": f"a-{number}"}
        url = f"{api.url}/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
        urllib.request.urlopen(
            urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        ).read()


def names(found: Any) -> set[str]:
    return {each["metadata"]["name"] for each in found["items"]}


def test_each_object_is_in_one_shard_and_lists_say_which_they_are_of() -> None:
    with FakeAPI(release="1.37", feature_gates={"ShardedListAndWatch": True}) as api:
        fill(api)
        lower, upper = (claims(api, shardSelector=shard) for shard in SHARDS)
        assert names(lower) | names(upper) == names(claims(api))
        assert not names(lower) & names(upper)
        assert lower["metadata"]["shardInfo"] == {"selector": SHARDS[0]}
        assert "shardInfo" not in claims(api)["metadata"]


def test_a_watch_tells_of_its_shard_alone() -> None:
    with FakeAPI(release="1.37", feature_gates={"ShardedListAndWatch": True}) as api:
        query = {"watch": "1", "timeoutSeconds": "1"}
        query["resourceVersion"] = claims(api)["metadata"]["resourceVersion"]
        fill(api)
        told, listed = [], []
        for shard in SHARDS:
            events = claims(api, shardSelector=shard, **query)
            told.append({event["object"]["metadata"]["name"] for event in events})
            listed.append(names(claims(api, shardSelector=shard)))
        assert told == listed


def test_a_selector_that_does_not_parse_is_an_internal_error() -> None:
    with FakeAPI(release="1.36", feature_gates={"ShardedListAndWatch": True}) as api:
        with pytest.raises(urllib.error.HTTPError) as raised:
            claims(api, shardSelector="f()")
        with raised.value as refusal:
            answer = json.load(refusal)
        assert (answer["code"], answer["message"]) == (
            500,
            'invalid shard selector: unsupported function "f"; only shardRange() and || are allowed',
        )


def test_without_the_gate_the_parameter_says_nothing() -> None:
    with FakeAPI(release="1.37") as api:
        fill(api)
        assert len(claims(api, shardSelector="f()")["items"]) == 16
