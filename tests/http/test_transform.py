"""Responses and watches can show objects as Tables, or only their metadata."""

from collections.abc import Iterator

import pytest
import yaml

from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.clock.clocks import SeededClockAndNames
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask, watched

CLAIMS = "/apis/resource.k8s.io/v1alpha3/namespaces/tables/resourceclaims"


def accept(kind: str, version: str = "v1", media_type: str = "application/json") -> str:
    return f"{media_type};as={kind};v={version};g=meta.k8s.io"


TABLE, PARTIAL, PARTIAL_LIST = (
    accept(kind) for kind in ("Table", "PartialObjectMetadata", "PartialObjectMetadataList")
)


@pytest.fixture(scope="module")
def clock() -> AdjustableClock:
    """Returns the clock of the server in the fixture `claims`; it runs unless a test freezes it."""
    return AdjustableClock()


@pytest.fixture(scope="module")
def claims(clock: AdjustableClock) -> Iterator[FakeAPI]:
    """Runs a 1.31 server with the ResourceClaims `a` and `b`; the label `is` of each is its name."""
    with FakeAPI(release="1.31", clock=SeededClockAndNames(1, clock)) as api:
        api.create_namespace("tables")
        for name in ("a", "b"):
            api.create(
                {
                    "apiVersion": "resource.k8s.io/v1alpha3",
                    "kind": "ResourceClaim",
                    "metadata": {"name": name, "namespace": "tables", "labels": {"is": name}},
                    "spec": {},
                }
            )
        yield api


def test_a_list_as_a_table_has_columns_rows_and_the_metadata_of_the_list(claims: FakeAPI) -> None:
    table = ask(claims, f"{CLAIMS}?limit=1", accept=TABLE).json()
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert table["metadata"]["remainingItemCount"] == 1
    assert table["metadata"]["continue"]
    names = [(column["name"], column["format"]) for column in table["columnDefinitions"]]
    assert names == [("Name", "name"), ("State", ""), ("Age", "")]
    (row,) = table["rows"]
    assert row["cells"][:2] == ["a", "pending"]
    assert (row["object"]["kind"], row["object"]["apiVersion"]) == ("PartialObjectMetadata", "meta.k8s.io/v1")
    assert row["object"]["metadata"]["labels"] == {"is": "a"}


def test_one_object_is_a_table_of_one_row_at_the_objects_version(claims: FakeAPI) -> None:
    table = ask(claims, f"{CLAIMS}/a", accept=TABLE).json()
    (row,) = table["rows"]
    assert table["metadata"] == {"resourceVersion": row["object"]["metadata"]["resourceVersion"]}


@pytest.mark.parametrize("include", ["", "Metadata", "Object", "None"])
def test_rows_hold_as_much_of_the_object_as_is_asked_for(claims: FakeAPI, include: str) -> None:
    table = ask(claims, f"{CLAIMS}?includeObject={include}&includeObject=Nonsense", accept=TABLE).json()
    expected = {"Object": "ResourceClaim", "None": None}.get(include, "PartialObjectMetadata")
    assert [row["object"] and row["object"]["kind"] for row in table["rows"]] == [expected] * 2


def test_an_include_object_that_is_unknown_is_refused_for_tables_alone(claims: FakeAPI) -> None:
    path = f"{CLAIMS}?includeObject=Everything"
    for refused in (ask(claims, path, accept=TABLE), ask(claims, f"{path}&watch=1", accept=TABLE)):
        assert refused.code == 400
        assert refused.json()["message"] == (
            'Unable to convert to Table as requested: includeObject: Invalid value: "Everything": '
            "must be 'Metadata', 'Object', 'None', or empty"
        )
    assert ask(claims, path).code == 200
    assert ask(claims, path, accept=PARTIAL_LIST).code == 200


def test_an_empty_table_has_no_rows_and_an_empty_metadata_list_has_null(claims: FakeAPI) -> None:
    path = f"{CLAIMS}?labelSelector=is%3Dnothing"
    assert ask(claims, path, accept=TABLE).json()["rows"] == []
    assert ask(claims, path, accept=PARTIAL_LIST).json()["items"] is None


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_metadata_comes_alone_in_both_versions(claims: FakeAPI, version: str) -> None:
    one = ask(claims, f"{CLAIMS}/a", accept=accept("PartialObjectMetadata", version)).json()
    assert set(one) == {"kind", "apiVersion", "metadata"}
    many = ask(claims, CLAIMS, accept=accept("PartialObjectMetadataList", version)).json()
    assert many["apiVersion"] == f"meta.k8s.io/{version}"
    assert many["items"][0] == one


def test_metadata_of_one_object_is_no_list_and_of_a_list_no_object(claims: FakeAPI) -> None:
    of_list, of_object = ask(claims, CLAIMS, accept=PARTIAL), ask(claims, f"{CLAIMS}/a", accept=PARTIAL_LIST)
    assert (of_list.code, of_object.code) == (406, 406)
    assert of_list.json()["message"].endswith("object is a list (*resource.ResourceClaimList)")
    assert of_object.json()["message"].endswith("object is not a list (*resource.ResourceClaim)")


def test_a_status_is_no_table_but_metadata_can_be_had_of_it(claims: FakeAPI) -> None:
    assert ask(claims, f"{CLAIMS}/a/status", accept=TABLE).code == 406
    assert ask(claims, f"{CLAIMS}/a/status", accept=PARTIAL).json()["kind"] == "PartialObjectMetadata"
    assert ask(claims, "/api/v1/namespaces/default/status", accept=TABLE).json()["kind"] == "Table"


def test_writes_and_deletions_answer_as_tables_too(claims: FakeAPI) -> None:
    claim = {"metadata": {"name": "short-lived"}, "spec": {}}
    created = ask(claims, CLAIMS, "POST", claim, accept=TABLE)
    assert (created.code, created.json()["rows"][0]["cells"][0]) == (201, "short-lived")
    deleted = ask(claims, f"{CLAIMS}/short-lived", "DELETE", accept=TABLE)
    assert deleted.json()["rows"][0]["cells"][0] == "short-lived"


def test_a_dry_run_has_no_version_and_neither_has_its_table(claims: FakeAPI) -> None:
    claim = {"metadata": {"name": "never"}, "spec": {}}
    answer = ask(claims, f"{CLAIMS}?dryRun=All", "POST", claim, accept=TABLE)
    assert (answer.code, answer.json()["metadata"]) == (201, {})


def test_a_claim_sent_without_kind_and_version_is_listed_whole(claims: FakeAPI) -> None:
    claim = {"metadata": {"name": "untyped"}, "spec": {}}
    assert ask(claims, CLAIMS, "POST", claim).code == 201
    listed = ask(claims, CLAIMS).json()["items"]
    assert [item["metadata"]["name"] for item in listed] == ["a", "b", "untyped"]
    assert all("kind" not in item for item in listed)
    ask(claims, f"{CLAIMS}/untyped", "DELETE")


def test_a_table_comes_as_yaml_where_yaml_is_asked_for(claims: FakeAPI) -> None:
    answer = ask(claims, CLAIMS, accept=accept("Table", media_type="application/yaml"))
    assert answer.headers["content-type"] == "application/yaml"
    assert [row["cells"][0] for row in yaml.safe_load(answer.body)["rows"]] == ["a", "b"]


def test_columns_are_told_in_a_watchs_first_event_alone(claims: FakeAPI) -> None:
    with watched(claims, f"{CLAIMS}?watch=1", TABLE) as stream:
        (_, first), (_, second) = stream.take(2)
    assert [column["name"] for column in first["columnDefinitions"]] == ["Name", "State", "Age"]
    assert second["columnDefinitions"] is None
    assert [each["rows"][0]["cells"][0] for each in (first, second)] == ["a", "b"]


def test_a_bookmark_is_shown_like_an_object_that_is_not_there(
    claims: FakeAPI, clock: AdjustableClock
) -> None:
    since = ask(claims, f"{CLAIMS}/a").json()["metadata"]["resourceVersion"]
    query = f"timeoutSeconds=60&allowWatchBookmarks=true&resourceVersion={since}"
    with watched(claims, f"{CLAIMS}?watch=1&{query}", TABLE) as stream:
        clock.advance(58)
        bookmark = next(obj for kind, obj in iter(stream.next, None) if kind == "BOOKMARK")
    assert bookmark["rows"][0]["cells"] == ["", "pending", "<unknown>"]
    assert bookmark["rows"][0]["object"]["metadata"]["creationTimestamp"] is None


def test_metadata_lists_cannot_be_watched_and_end_at_the_first_object(claims: FakeAPI) -> None:
    with watched(claims, f"{CLAIMS}?watch=1&timeoutSeconds=30", PARTIAL_LIST) as stream:
        assert (stream.code, stream.rest(), stream.ended) == (200, [], True)


def test_a_watch_as_yaml_is_refused_with_what_can_be_streamed(claims: FakeAPI) -> None:
    refused = ask(claims, f"{CLAIMS}?watch=1", accept="application/yaml")
    assert (refused.code, refused.headers["content-type"]) == (406, "application/yaml")
    assert "application/json;stream=watch" in yaml.safe_load(refused.body)["message"]


def test_where_initial_events_are_streamed_they_are_no_table() -> None:
    query = "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&watch=1"
    path = f"/api/v1/namespaces?{query}"
    with FakeAPI(release="1.32") as api:
        assert ask(api, path, accept=TABLE).code == 406
        with watched(api, path, PARTIAL) as stream:
            objects = [obj for _, obj in stream.take(5)]
    assert {obj["kind"] for obj in objects} == {"PartialObjectMetadata"}
    assert "k8s.io/initial-events-end" in objects[-1]["metadata"]["annotations"]


@pytest.mark.parametrize(
    ("time", "ages"),
    [("0000-01-01T00:00:00Z", "292y"), ("9999-12-31T23:59:59-01:00", "<invalid>")],
)
def test_an_event_of_any_year_is_shown_as_a_table_and_in_protobuf(
    claims: FakeAPI, time: str, ages: str
) -> None:
    claims.create(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": time[:4], "namespace": "tables"},
            "involvedObject": {"kind": "Pod", "name": "a", "namespace": "tables"},
            "lastTimestamp": time,
        }
    )
    path = f"/api/v1/namespaces/tables/events/{time[:4]}"
    (row,) = ask(claims, path, accept=TABLE).json()["rows"]
    assert row["cells"][0] == ages
    assert ask(claims, path, accept="application/vnd.kubernetes.protobuf").code == 200
