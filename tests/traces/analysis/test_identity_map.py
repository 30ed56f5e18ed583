"""A replay converts uids, names and versions between the trace and the tested server."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.traces.analysis.identity_map import STALE_VERSION, UNKNOWN_VERSION, IdentityMap, VersionMap

OLD, NEW = "11111111-2222-4333-8444-555555555555", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"


def claim(name: str, uid: str, version: str, **metadata: Any) -> dict[str, Any]:
    return {
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ns", "uid": uid, "resourceVersion": version, **metadata},
    }


@pytest.fixture
def known() -> IdentityMap:
    identities = IdentityMap()
    identities.learn(
        claim("g-abcde", OLD, "107", generateName="g-", creationTimestamp="2020-01-01T00:00:00Z"),
        claim("g-vwxyz", NEW, "12", generateName="g-", creationTimestamp="2026-01-01T00:00:00Z"),
    )
    return identities


def test_uid_version_and_generated_name_are_rewritten_in_a_body(known: IdentityMap) -> None:
    body = json.dumps(claim("g-abcde", OLD, "107")).encode()
    assert json.loads(known.forward(body)) == claim("g-vwxyz", NEW, "12")


def test_answers_are_told_in_the_words_of_the_trace(known: IdentityMap) -> None:
    body = json.dumps(claim("g-vwxyz", NEW, "12")).encode()
    assert json.loads(known.backward(body)) == claim("g-abcde", OLD, "107")


def test_uids_are_rewritten_wherever_they_stand(known: IdentityMap) -> None:
    body = (
        b'{"ownerReferences":[{"name":"g-abcde","uid":"%s"}],"f":{"k:{\\"uid\\":\\"%s\\"}":{}},"m":"no %s"}'
    )
    uid = OLD.encode()
    new = NEW.encode()
    assert known.forward(body % (uid, uid, uid)) == body.replace(b"g-abcde", b"g-vwxyz") % (new, new, new)


def test_yaml_is_rewritten_too(known: IdentityMap) -> None:
    body = f'metadata:\n  name: g-abcde\n  uid: {OLD}\n  resourceVersion: "107"\n'.encode()
    assert (
        known.forward(body) == f'metadata:\n  name: g-vwxyz\n  uid: {NEW}\n  resourceVersion: "12"\n'.encode()
    )


@pytest.mark.parametrize(
    ("target", "now"),
    [
        ("/apis/g/v1/namespaces/ns/claims/g-abcde/status", "/apis/g/v1/namespaces/ns/claims/g-vwxyz/status"),
        ("/c?watch=1&resourceVersion=107", "/c?watch=1&resourceVersion=12"),
        ("/c?resourceVersion=0&limit=5", "/c?resourceVersion=0&limit=5"),
        ("/c?resourceVersion=", "/c?resourceVersion="),
        ("/c?fieldSelector=metadata.name%3Dg-abcde", "/c?fieldSelector=metadata.name%3Dg-vwxyz"),
        ("/c?labelSelector=a%3Db&x=%C3%A9", "/c?labelSelector=a%3Db&x=%C3%A9"),
        ("/c?fieldManager=g-abcde", "/c?fieldManager=g-abcde"),
    ],
)
def test_targets_are_rewritten_in_path_and_query_and_nowhere_else(
    known: IdentityMap, target: str, now: str
) -> None:
    assert known.target(target) == now


def test_a_version_that_no_answer_told_of_is_that_of_the_last_known_before_it(known: IdentityMap) -> None:
    known.versions.base = 5
    assert known.target("/c?resourceVersion=110") == "/c?resourceVersion=12"
    assert known.target("/c?resourceVersion=3") == "/c?resourceVersion=5"


def test_continue_tokens_are_learned_from_lists() -> None:
    identities = IdentityMap()
    lists = [
        {"metadata": {"resourceVersion": version, "continue": token}, "items": []}
        for version, token in (("9", "b2xk+/="), ("4", "bmV3+/="))
    ]
    identities.learn(*lists)
    assert identities.target("/c?limit=1&continue=b2xk%2B%2F%3D") == "/c?limit=1&continue=bmV3%2B%2F%3D"
    assert identities.target("/c?resourceVersion=9") == "/c?resourceVersion=4"


def test_items_of_lists_and_rows_of_tables_are_learned_by_name() -> None:
    identities = IdentityMap()
    recorded, now = claim("a", OLD, "1"), claim("a", NEW, "2")
    other = claim("b", "0" * 8 + NEW[8:], "3")
    identities.learn({"metadata": {}, "items": [recorded]}, {"metadata": {}, "items": [other, now]})
    assert identities.backward(NEW.encode()) == OLD.encode()
    tables = IdentityMap()
    tables.learn(
        {"metadata": {}, "rows": [{"cells": [], "object": recorded}]},
        {"metadata": {}, "rows": [{"cells": [], "object": now}]},
    )
    assert tables.forward(OLD.encode()) == NEW.encode()


def test_what_is_known_of_either_side_stays(known: IdentityMap) -> None:
    # The recorded update changed nothing and returned the old version. The replayed update created a version.
    known.learn(claim("g-abcde", OLD, "107"), claim("g-vwxyz", NEW, "13"))
    assert known.versions.recorded("13") == UNKNOWN_VERSION
    assert known.versions.exact("107") == "12"


def test_a_given_name_that_differs_is_not_taken_for_a_generated_one() -> None:
    identities = IdentityMap()
    identities.learn(claim("a", OLD, "1"), claim("b", NEW, "1"))
    assert not identities.has_names


def test_unknown_versions_in_bodies_are_replaced_as_asked(known: IdentityMap) -> None:
    body = b'{"metadata":{"resourceVersion":"999"}}'
    assert known.forward(body) == body
    assert known.forward(body, unknown="") == b'{"metadata":{"resourceVersion":""}}'
    assert known.forward(body, unknown=STALE_VERSION) == b'{"metadata":{"resourceVersion":"1"}}'


def test_the_version_in_a_json_patch_is_rewritten(known: IdentityMap) -> None:
    patch = [
        {"op": "test", "path": "/metadata/resourceVersion", "value": "107"},
        {"op": "test", "path": "/metadata/uid", "value": OLD},
        {"op": "add", "path": "/metadata/labels/x", "value": "107"},
    ]
    decoded = json.loads(known.forward_json_patch(json.dumps(patch).encode()))
    assert [each["value"] for each in decoded] == ["12", NEW, "107"]
    assert known.forward_json_patch(b"{") == b"{"


def test_an_objects_own_times_are_sent_as_they_are_now(known: IdentityMap) -> None:
    body = b'{"creationTimestamp": "2020-01-01T00:00:00Z","template":{"creationTimestamp":null}}'
    found = known.forward_times(body, OLD)
    assert found == b'{"creationTimestamp": "2026-01-01T00:00:00Z","template":{"creationTimestamp":null}}'
    assert known.forward_times(body, NEW) == body


@pytest.mark.parametrize("odd", [None, [], "text", 5, {"metadata": 3}, {"metadata": {}, "items": [1, {}]}])
def test_answers_of_any_shape_are_taken(odd: Any) -> None:
    IdentityMap().learn(odd, odd)
    IdentityMap().learn(claim("a", OLD, "1"), odd)
    IdentityMap().learn(odd, claim("a", OLD, "1"))


@settings(max_examples=50, derandomize=True, deadline=None)
@given(st.lists(st.integers(1, 50), unique=True, min_size=1), st.integers(0, 60))
def test_the_nearest_version_is_that_of_the_greatest_known_one_below(known: list[int], asked: int) -> None:
    versions = VersionMap()
    versions.base = 1000
    for old in known:
        versions.learn(str(old), str(old + 2000))
    below = [old for old in known if old <= asked]
    expected = "0" if asked == 0 else str(max(below) + 2000) if below else "1000"
    assert versions.nearest(str(asked)) == expected


def test_a_watch_starts_at_the_version_of_the_list_of_its_collection() -> None:
    identities = IdentityMap()
    identities.versions.learn("9", "90")
    identities.versions.learn_collection("/api/v1/pods", 10, 100)
    identities.versions.learn_collection("/api/v1/pods", 11, 0)
    watch = "/api/v1/pods?watch=true&resourceVersion="
    assert identities.target(f"{watch}10", "/api/v1/pods") == f"{watch}100"
    assert identities.target(f"{watch}11", "/api/v1/pods") == f"{watch}90"
    assert identities.target(f"{watch}10", "/api/v1/nodes") == f"{watch}90"


@settings(max_examples=50, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.uuids(version=4), st.uuids(version=4)), max_size=5, unique=True), st.text())
def test_rewriting_there_and_back_gives_the_same(pairs: list[tuple[Any, Any]], text: str) -> None:
    identities = IdentityMap()
    for number, (old, new) in enumerate(pairs):
        identities.learn(claim(f"n{number}", str(old), ""), claim(f"n{number}", str(new), ""))
    if len({uid for pair in pairs for uid in pair}) < 2 * len(pairs):
        return
    body = json.dumps([text, *(str(old) for old, _ in pairs)]).encode()
    assert identities.backward(identities.forward(body)) == body
