"""Tests can query the requests in the journal and make assertions about them."""

from typing import Any

import pytest

from fakeapi.journal.entry import Bodies, Entry, Record
from fakeapi.journal.pattern import PatternError, RequestPattern
from fakeapi.journal.requests import Requests, VerificationFailed

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims"


def entry(number: int, verb: str, path: str, code: int = 200, agent: str = "driver/v1") -> Entry:
    record = Record(
        0.0, 0.0, "GET", path.encode(), b"", verb, "me", agent.encode(), code, 0, ("", 0, 0), (), None
    )
    return Entry(number, record, Bodies())


ENTRIES = [
    entry(1, "create", CLAIMS, 201),
    entry(2, "update", f"{CLAIMS}/a/status", 409),
    entry(3, "get", f"{CLAIMS}/a"),
    entry(4, "update", f"{CLAIMS}/a/status"),
    entry(5, "delete", "/api/v1/namespaces/ns/pods/p", agent="kubelet/v1.33"),
    entry(6, "get", "/version"),
]
REQUESTS = Requests(lambda: ENTRIES)


@pytest.mark.parametrize(
    ("pattern", "numbers"),
    [
        ("*", [1, 2, 3, 4, 5, 6]),
        ("* *", [1, 2, 3, 4, 5]),
        ("write", [1, 2, 4, 5]),
        ("create,get", [1, 3, 6]),
        ("* resourceclaims", [1, 3]),
        ("* resourceclaims/status", [2, 4]),
        ("* resourceclaims/*", [2, 4]),
        ("* */status", [2, 4]),
        ("* resourceclaims.resource.k8s.io/status", [2, 4]),
        ("* pods.resource.k8s.io", []),
        ("* * p", [5]),
        ("* * n?/a", [2, 3, 4]),
        ("* * other/*", []),
    ],
)
def test_a_pattern_chooses_by_verb_resource_and_object(pattern: str, numbers: list[int]) -> None:
    assert [each.number for each in REQUESTS.filter(pattern)] == numbers


def test_filters_add_up() -> None:
    assert [each.number for each in REQUESTS.filter("update").filter(code=409)] == [2]
    assert [each.number for each in REQUESTS.filter(agent="kubelet/*", group="")] == [5]
    assert len(REQUESTS.filter(user="nobody")) == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("remove pods", "no verb 'remove'; there are get, list"),
        ("", "'' is not of the form"),
        ("get pods a b", "'get pods a b' is not of the form"),
    ],
)
def test_a_pattern_without_sense_is_refused(text: str, problem: str) -> None:
    with pytest.raises(PatternError) as caught:
        RequestPattern.parse(text)
    assert str(caught.value).startswith(problem)


def test_members_of_a_pattern_are_text_and_agree() -> None:
    with pytest.raises(PatternError, match="name is text, not 3"):
        RequestPattern(name=3)  # type: ignore[arg-type] # that is the point
    with pytest.raises(PatternError, match="is not of the group"):
        RequestPattern(resource="pods.apps", group="batch")


def test_what_was_verified_is_returned() -> None:
    assert [each.number for each in REQUESTS.verify("update resourceclaims/status", times=2)] == [2, 4]
    assert [each.number for each in REQUESTS.verify("update *", code=409)] == [2]
    assert REQUESTS.verify("get nodes", at_most=1) == []
    assert len(REQUESTS.verify(at_least=6)) == 6
    REQUESTS.none("patch", "list")


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, "expected at least 1 of patch resourceclaims/status; there were 0"),
        ({"times": 3}, "expected exactly 3 of patch resourceclaims/status; there were 0"),
        ({"at_least": 1, "at_most": 4}, "expected 1 to 4 of patch resourceclaims/status; there were 0"),
    ],
)
def test_a_failed_count_shows_what_is_nearest(counts: dict[str, Any], expected: str) -> None:
    with pytest.raises(VerificationFailed) as caught:
        REQUESTS.verify("patch resourceclaims/status", **counts)
    first, _, *nearest = str(caught.value).splitlines()
    assert first == expected
    assert [line.split()[0] for line in nearest] == ["#1", "#2", "#3", "#4", "#5", "#6"]


def test_what_should_not_have_come_is_shown() -> None:
    with pytest.raises(VerificationFailed, match=r"expected none of delete pods; there were 1\n +#5 .* ns/p"):
        REQUESTS.none("delete pods")


def test_requests_are_verified_in_their_order_whatever_came_between() -> None:
    found = REQUESTS.verify("create *", "update resourceclaims/status", "delete pods")
    assert [each.number for each in found] == [1, 2, 5]
    with pytest.raises(VerificationFailed, match=r"missing: create \* after #5"):
        REQUESTS.verify("delete pods", "create *")
    with pytest.raises(ValueError, match="one pattern"):
        REQUESTS.verify("get", "list", times=1)


def test_the_core_group_makes_a_request_more_similar() -> None:
    pods, claims = ENTRIES[4], ENTRIES[0]
    core = RequestPattern(group="")
    assert (core.likeness(pods), core.likeness(claims)) == (1, 0)


def test_of_many_requests_only_the_nearest_are_shown() -> None:
    many = Requests(lambda: [entry(n, "get", f"/api/v1/nodes/n{n}") for n in range(1, 100)] + [ENTRIES[4]])
    with pytest.raises(VerificationFailed) as caught:
        many.verify("delete pods other")
    lines = str(caught.value).splitlines()
    assert len(lines) == 12
    assert any("#5 " in line for line in lines)


def test_the_text_has_the_last_requests_and_counts_the_others() -> None:
    assert REQUESTS.text(2).splitlines()[0] == "(4 earlier requests)"
    assert [line.split()[0] for line in REQUESTS.text(2).splitlines()[1:]] == ["#5", "#6"]
    assert REQUESTS.filter("list").text() == ""
