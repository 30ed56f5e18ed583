"""Requests get the status codes, headers and bodies that Kubernetes sends for their path and method."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI, StatusError
from tests.http import wire
from tests.http.malformed.case import CLAIMS, GROUP, MERGE, claim

pytestmark = pytest.mark.fakeapi(release="1.31")


def ask(
    server: FakeAPI, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> wire.Answer:
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {
        "Host": "localhost",
        "Content-Length": str(len(data)),
        "Content-Type": "application/json",
        **(headers or {}),
    }
    pairs = [(name.encode(), value.encode()) for name, value in sent.items()]
    head = wire.head(method.encode(), path.encode(), pairs)
    return wire.exchange(server.url, head + data, without_body=method == "HEAD")


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/healthz/ping", "/readyz/ping"])
@pytest.mark.fakeapi(token="secret", release="1.31")
def test_health_is_told_to_everybody(fakeapi: FakeAPI, path: str) -> None:
    answer = ask(fakeapi, "GET", path)
    assert (answer.code, answer.body) == (200, b"ok")


@pytest.mark.parametrize("path", ["/version", "/apis", GROUP, CLAIMS, f"{CLAIMS}?watch=1", "/surprise"])
@pytest.mark.parametrize(
    "token", [None, "Bearer wrong", "secret", "Basic c2VjcmV0", "Bearer secret2", "Bearer é"]
)
@pytest.mark.fakeapi(token="secret", release="1.31")
def test_everything_else_needs_the_token_where_one_is_set(
    fakeapi: FakeAPI, path: str, token: str | None
) -> None:
    answer = ask(fakeapi, "GET", path, headers={} if token is None else {"Authorization": token})
    assert answer.code == 401
    assert (answer.is_status, answer.json()["reason"]) == (True, "Unauthorized")


def test_the_answer_to_head_is_that_to_get_without_its_body(fakeapi: FakeAPI) -> None:
    answer = ask(fakeapi, "GET", "/apis")
    head = ask(fakeapi, "HEAD", "/apis")
    assert (head.code, head.body) == (200, b"")
    assert head.headers["content-length"] == answer.headers["content-length"]


def test_every_answer_has_an_id_of_its_own_and_is_not_to_be_cached(fakeapi: FakeAPI) -> None:
    answers = [ask(fakeapi, "GET", path) for path in (CLAIMS, CLAIMS, f"{CLAIMS}/missing")]
    assert len({answer.headers["audit-id"] for answer in answers}) == 3
    assert {answer.headers["cache-control"] for answer in answers} == {"no-cache, private"}


def test_a_created_claim_is_201_and_everything_else_that_succeeds_200(fakeapi: FakeAPI) -> None:
    item = f"{CLAIMS}/a"
    assert ask(fakeapi, "POST", CLAIMS, claim({"name": "a"})).code == 201
    obj = ask(fakeapi, "GET", item).json()
    assert ask(fakeapi, "PUT", item, obj).code == 200
    assert ask(fakeapi, "PUT", f"{item}/status", obj).code == 200
    assert ask(fakeapi, "GET", f"{item}/status").json() == obj
    assert ask(fakeapi, "PATCH", item, {}, {"Content-Type": MERGE}).code == 200
    assert ask(fakeapi, "DELETE", item).json()["metadata"]["uid"] == obj["metadata"]["uid"]
    assert ask(fakeapi, "GET", item).code == 404


def test_a_collections_deletion_answers_the_list_of_what_it_selected(fakeapi: FakeAPI) -> None:
    for name, team in (("a", "red"), ("b", "blue"), ("c", "red")):
        fakeapi.create(claim({"name": name, "labels": {"team": team}}))
    fakeapi.create(claim({"name": "a"}), namespace="kube-system")
    deleted = ask(fakeapi, "DELETE", f"{CLAIMS}?labelSelector=team%3Dred").json()
    assert deleted["kind"] == "ResourceClaimList"
    assert [item["metadata"]["name"] for item in deleted["items"]] == ["a", "c"]
    assert [obj["metadata"]["name"] for obj in fakeapi.list("ResourceClaim")] == ["b", "a"]
    dry = ask(fakeapi, "DELETE", CLAIMS, {"dryRun": ["All"]}).json()
    assert [item["metadata"]["name"] for item in dry["items"]] == ["b"]
    assert len(fakeapi.list("ResourceClaim")) == 2


def test_a_version_from_the_future_is_a_timeout_with_a_time_to_wait(fakeapi: FakeAPI) -> None:
    fakeapi.create(claim({"name": "a"}))
    for path in (CLAIMS, f"{CLAIMS}/a"):
        answer = ask(fakeapi, "GET", f"{path}?resourceVersion=1000000")
        assert (answer.code, answer.headers["retry-after"]) == (504, "1")
        assert answer.json()["details"]["retryAfterSeconds"] == 1


def test_pages_follow_each_other_by_the_token_of_the_one_before(fakeapi: FakeAPI) -> None:
    for number in range(5):
        fakeapi.create(claim({"name": f"c{number}"}))
    first = fakeapi.request("GET", CLAIMS, query={"limit": 2})
    assert first["metadata"]["remainingItemCount"] == 3
    fakeapi.delete("ResourceClaim", "c3")
    token = first["metadata"]["continue"]
    rest = fakeapi.request("GET", CLAIMS, query={"limit": 9, "continue": token})
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c2", "c3", "c4"]
    assert rest["metadata"] == {"resourceVersion": first["metadata"]["resourceVersion"]}


def test_an_expired_token_is_410_and_brings_another(with_history: Callable[[int], Any]) -> None:
    server = with_history(20)
    for number in range(3):
        server.create(claim({"name": f"c{number}"}))
    first = server.request("GET", CLAIMS, query={"limit": 1})
    for turn in range(300):
        server.patch("ResourceClaim", "c0", {"metadata": {"labels": {"turn": str(turn)}}})
    with pytest.raises(StatusError) as expired:
        server.request("GET", CLAIMS, query={"limit": 1, "continue": first["metadata"]["continue"]})
    assert (expired.value.code, expired.value.reason) == (410, "Expired")
    token = expired.value.status["metadata"]["continue"]
    rest = server.request("GET", CLAIMS, query={"continue": token})
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c1", "c2"]


@pytest.mark.parametrize(("mode", "code"), [("Ignore", 201), ("Warn", 201), ("Strict", 400), ("", 201)])
def test_unknown_fields_are_told_by_header_or_refused(fakeapi: FakeAPI, mode: str, code: int) -> None:
    query = f"?fieldValidation={mode}" if mode else ""
    answer = ask(fakeapi, "POST", CLAIMS + query, claim({"name": "a"}, surprise=1))
    assert answer.code == code
    warned = answer.headers.get("warning")
    assert warned == (r'299 - "unknown field \"surprise\""' if mode in ("Warn", "") else None)


def test_a_dry_run_changes_nothing_for_any_verb(fakeapi: FakeAPI) -> None:
    obj = fakeapi.create(claim({"name": "a"}))
    before = ask(fakeapi, "GET", CLAIMS).body
    changed = {**obj, "metadata": {**obj["metadata"], "labels": {"a": "b"}}}
    patch = {"metadata": {"labels": {"a": "b"}}}
    for method, path, body, media_type in (
        ("POST", CLAIMS, claim({"name": "b"}), "application/json"),
        ("PUT", f"{CLAIMS}/a", changed, "application/json"),
        ("PATCH", f"{CLAIMS}/a", patch, MERGE),
        ("DELETE", f"{CLAIMS}/a", None, "application/json"),
        ("DELETE", CLAIMS, None, "application/json"),
    ):
        answer = ask(fakeapi, method, f"{path}?dryRun=All", body, {"Content-Type": media_type})
        assert answer.code in (200, 201), answer
        assert ask(fakeapi, "GET", CLAIMS).body == before


def test_the_manager_of_a_write_is_named_by_the_query_or_else_the_user_agent(fakeapi: FakeAPI) -> None:
    ask(fakeapi, "POST", CLAIMS, claim({"name": "a"}), {"User-Agent": "my-driver/v1 (linux)"})
    patch = {"metadata": {"labels": {"a": "b"}}}
    path = f"{CLAIMS}/a?fieldManager=me"
    answer = ask(fakeapi, "PATCH", path, patch, {"Content-Type": MERGE}).json()
    assert [entry["manager"] for entry in answer["metadata"]["managedFields"]] == ["me", "my-driver"]


def test_a_namespace_can_be_created_used_and_is_missing_before(fakeapi: FakeAPI) -> None:
    path = f"{GROUP}/namespaces/team/resourceclaims"
    missing = ask(fakeapi, "POST", path, claim({"name": "a"}))
    assert (missing.code, missing.json()["message"]) == (404, 'namespaces "team" not found')
    assert ask(fakeapi, "GET", path).json()["items"] == []
    fakeapi.create_namespace("team")
    assert ask(fakeapi, "POST", path, claim({"name": "a"})).code == 201


def test_yaml_can_be_sent_and_received(fakeapi: FakeAPI) -> None:
    body = b"metadata: {name: a}\nspec: {devices: {requests: [{name: g, deviceClassName: c.example.com}]}}\n"
    sent = ask(
        fakeapi, "POST", CLAIMS, body, {"Content-Type": "application/yaml", "Accept": "application/yaml"}
    )
    assert (sent.code, sent.headers["content-type"]) == (201, "application/yaml")
    assert b"\n  name: a\n" in sent.body


def test_json_is_indented_where_asked_for(fakeapi: FakeAPI) -> None:
    fakeapi.create(claim({"name": "a"}))
    plain, pretty = ask(fakeapi, "GET", f"{CLAIMS}/a"), ask(fakeapi, "GET", f"{CLAIMS}/a?pretty=1")
    assert plain.json() == pretty.json()
    assert pretty.body.startswith(b'{\n  "kind": "ResourceClaim",\n')
    assert plain.body.startswith(b'{"kind":"ResourceClaim",')


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api", "APIVersions"),
        ("/apis", "APIGroupList"),
        ("/apis/resource.k8s.io", "APIGroup"),
        (GROUP, "APIResourceList"),
        ("/api/v1", "APIResourceList"),
    ],
)
def test_discovery_tells_what_is_served(fakeapi: FakeAPI, path: str, kind: str) -> None:
    answer = ask(fakeapi, "GET", path).json()
    assert answer["kind"] == kind
    if path == GROUP:
        entry = next(each for each in answer["resources"] if each["name"] == "resourceclaims")
        assert entry["namespaced"] is True
        assert {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"} == set(
            entry["verbs"]
        )


@pytest.mark.parametrize("path", [CLAIMS, "/apis", "/healthz", "/surprise"])
@pytest.mark.fakeapi(token="secret", release="1.31")
def test_a_timeout_that_is_no_duration_is_refused_before_anything_else(fakeapi: FakeAPI, path: str) -> None:
    answer = ask(fakeapi, "GET", f"{path}?timeout=soon")
    assert (answer.code, answer.json()["reason"]) == (400, "BadRequest")
    words = 'invalid timeout specified in the request URL - time: invalid duration "soon"'
    assert answer.json()["message"] == words
    assert "warning" not in answer.headers


def test_a_watch_has_no_such_timeout(fakeapi: FakeAPI) -> None:
    answer = ask(fakeapi, "GET", f"{CLAIMS}?watch=1&timeout=soon&resourceVersion=x")
    assert "timeout" not in answer.json()["message"]


OTHER_TYPE = "415: Unsupported Media Type"
NO_PATCH = "the body of the request was in an unknown format - accepted media types include: "


@pytest.mark.parametrize(
    ("content_type", "body", "code", "words"),
    [
        (f"{MERGE};a=b", b"{}", 404, "resourceclaims.resource"),
        (f"{MERGE} ;a=b", b"{}", 415, NO_PATCH),
        (f"{MERGE},text/plain", b"{}", 415, NO_PATCH),
        (f"text/plain, {MERGE}", b"{}", 415, NO_PATCH),
        ("text/plain", b"{}", 415, OTHER_TYPE),
        ("text/plain", b"", 406, "406: Not Acceptable\n\nAvailable representations: "),
    ],
)
def test_a_patch_passes_the_router_by_any_of_its_types_and_the_handler_by_its_first_to_the_letter(
    fakeapi: FakeAPI, content_type: str, body: bytes, code: int, words: str
) -> None:
    answer = ask(fakeapi, "PATCH", f"{CLAIMS}/missing", body, {"Content-Type": content_type})
    assert answer.code == code
    assert answer.json()["message"].startswith(words)


@pytest.mark.fakeapi(release="1.32")
def test_an_unsafe_deletion_is_asked_for_in_vain_where_the_gate_is_off(fakeapi: FakeAPI) -> None:
    options = {"ignoreStoreReadErrorWithClusterBreakingPotential": True, "dryRun": ["All"]}
    assert ask(fakeapi, "DELETE", f"{CLAIMS}/missing", options).code == 404


def test_a_get_looks_at_its_version_before_it_looks_for_the_object(fakeapi: FakeAPI) -> None:
    answer = ask(fakeapi, "GET", f"{CLAIMS}/missing?resourceVersion=abc")
    assert (answer.code, "resourceVersion: Invalid value" in answer.json()["message"]) == (500, True)


@pytest.mark.parametrize(
    ("export", "code"), [("true", 400), ("", 400), ("x", 400), ("false", 404), ("0", 404)]
)
def test_an_export_is_no_longer_supported(fakeapi: FakeAPI, export: str, code: int) -> None:
    assert ask(fakeapi, "GET", f"{CLAIMS}/missing?export={export}").code == code


def test_a_namespace_that_is_a_step_in_a_path_is_an_invalid_key(fakeapi: FakeAPI) -> None:
    answer = ask(fakeapi, "GET", f"{GROUP}/namespaces/%2e%2e/resourceclaims/x")
    assert (answer.code, answer.json()["message"]) == (500, 'invalid key: "/resourceclaims/../x"')


@pytest.mark.parametrize(("node", "pages"), [("node-1", 1), ("", 2)])
def test_a_page_of_the_slices_of_one_node_promises_no_others(fakeapi: FakeAPI, node: str, pages: int) -> None:
    slices = f"{GROUP}/resourceslices"
    for name, place in (("a", {"nodeName": "node-1"}), ("b", {"allNodes": True}), ("c", {"allNodes": True})):
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": "gpu.example.com", "pool": pool, "devices": [], **place}
        assert ask(fakeapi, "POST", slices, {"metadata": {"name": name}, "spec": spec}).code == 201
    page = ask(fakeapi, "GET", f"{slices}?limit=1&fieldSelector=spec.nodeName={node}").json()
    assert (len(page["items"]), "continue" in page["metadata"]) == (1, pages > 1)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("sendInitialEvents=true", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"),
        (
            "resourceVersionMatch=Exact",
            (
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
                "resourceVersion is provided"
            ),
        ),
        (
            "resourceVersionMatch=Exact&watch=1",
            (
                "[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless "
                "sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "
                '"Exact": supported values: "NotOlderThan"]'
            ),
        ),
    ],
)
def test_an_old_watch_path_is_held_to_the_rules_of_lists_unless_it_says_that_it_watches(
    fakeapi: FakeAPI, query: str, message: str
) -> None:
    answer = ask(fakeapi, "GET", f"{GROUP}/watch/resourceclaims?{query}")
    assert (answer.code, answer.json()["message"]) == (
        422,
        f'ListOptions.meta.k8s.io "" is invalid: {message}',
    )


def test_a_path_that_watches_nothing_is_told_with_its_query_as_text_for_browsers(fakeapi: FakeAPI) -> None:
    path = f"{GROUP}/watch?a=<b>&c"
    shown = f"{GROUP}/watch?a=&lt;b&gt;&amp;c"
    why = f"failed to create RequestInfo: unable to determine kind and namespace from url, {shown}"
    assert ask(fakeapi, "GET", path).body.decode() == f'Internal Server Error: "{shown}": {why}\n'


@pytest.mark.parametrize("name", ["/x", "/x/status", "/x?watch=1"])
def test_a_path_that_leaves_out_its_namespace_is_told_so(fakeapi: FakeAPI, name: str) -> None:
    answer = ask(fakeapi, "GET", f"{GROUP}/namespaces//resourceclaims{name}")
    assert (answer.code, answer.json()["message"]) == (400, "Namespace parameter required.")


def test_a_collection_whose_path_leaves_out_its_namespace_is_listed_but_not_deleted(fakeapi: FakeAPI) -> None:
    claims = f"{GROUP}/namespaces//resourceclaims"
    assert ask(fakeapi, "GET", claims).json()["kind"] == "ResourceClaimList"
    assert ask(fakeapi, "DELETE", claims).json()["message"] == "Namespace parameter required."
    refused = ask(fakeapi, "POST", claims, claim({"name": "x"}))
    assert (refused.code, refused.json()["details"]["causes"][0]["field"]) == (422, "metadata.namespace")
    assert ask(fakeapi, "GET", f"{GROUP}/namespaces//deviceclasses").code == 404
