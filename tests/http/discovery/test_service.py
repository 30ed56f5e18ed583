"""Clients read discovery documents, the version and the health of a server."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from fakeapi.http.discovery.aggregated import aggregated_versions
from fakeapi.releases import KNOWN_RELEASES, load_release
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

GROUP = "resource.k8s.io"
HEALTH = ("/healthz", "/livez", "/readyz")


def aggregated(version: str = "v2", media_type: str = "application/json") -> str:
    return f"{media_type};v={version};g=apidiscovery.k8s.io;as=APIGroupDiscoveryList"


@pytest.fixture(scope="module", params=["1.30", "1.33"])
def server(request: pytest.FixtureRequest) -> Iterator[FakeAPI]:
    with FakeAPI(release=request.param) as started:
        yield started


def resources_of(api: FakeAPI, version: str) -> dict[str, Any]:
    listed = ask(api, f"/apis/{GROUP}/{version}").json()["resources"]
    return {entry["name"]: entry for entry in listed}


def group_of(api: FakeAPI) -> dict[str, Any]:
    items = ask(api, "/apis", accept=aggregated()).json()["items"]
    found: dict[str, Any] = next(each for each in items if each["metadata"]["name"] == GROUP)
    return found


@pytest.mark.parametrize("path", ["/api", "/apis", f"/apis/{GROUP}"])
def test_a_slash_at_the_end_changes_nothing(server: FakeAPI, path: str) -> None:
    plain, slashed = ask(server, path), ask(server, f"{path}/")
    assert plain.code == 200
    assert slashed.json() == plain.json()


def test_a_group_prefers_its_most_stable_version(server: FakeAPI) -> None:
    group = ask(server, f"/apis/{GROUP}").json()
    versions = [each["version"] for each in group["versions"]]
    assert versions in (["v1alpha2"], ["v1beta2", "v1beta1", "v1alpha3"])
    assert group["preferredVersion"] == group["versions"][0]
    groups = {each["name"]: each for each in ask(server, "/apis").json()["groups"]}
    assert groups[GROUP] == {name: group[name] for name in ("name", "versions", "preferredVersion")}


def test_the_document_of_all_groups_says_what_the_single_ones_say(server: FakeAPI) -> None:
    group = group_of(server)
    assert group["metadata"] == {"name": GROUP, "creationTimestamp": None}
    for version in group["versions"]:
        listed = resources_of(server, version["version"])
        named = {each["resource"]: each for each in version["resources"]}
        assert version["freshness"] == "Current"
        assert set(named) == {name for name in listed if "/" not in name}
        for name, each in named.items():
            entry = listed[name]
            assert each["verbs"] == entry["verbs"]
            assert each["scope"] == ("Namespaced" if entry["namespaced"] else "Cluster")
            assert each["responseKind"] == {"group": "", "version": "", "kind": entry["kind"]}
            found = {f"{name}/{sub['subresource']}" for sub in each.get("subresources", ())}
            assert found == {other for other in listed if other.startswith(f"{name}/")}


def test_the_core_group_has_no_name(server: FakeAPI) -> None:
    (core,) = ask(server, "/api", accept=aggregated()).json()["items"]
    assert core["metadata"] == {"creationTimestamp": None}
    short = {each["resource"]: each.get("shortNames") for each in core["versions"][0]["resources"]}
    assert (short["namespaces"], short["pods"], short["bindings"]) == (["ns"], ["po"], None)


def test_a_client_that_has_the_document_is_told_so_and_nothing_else(server: FakeAPI) -> None:
    first = ask(server, "/apis", accept=aggregated())
    assert first.headers["vary"] == "Accept"
    assert first.headers["cache-control"] == "public"
    again = ask(server, "/apis", accept=aggregated(), if_none_match=first.headers["etag"])
    assert (again.code, again.body) == (304, b"")
    assert "content-type" not in again.headers  # a client would replace the type of its cached body
    other = ask(server, "/apis", accept=aggregated(), if_none_match='"other"')
    assert (other.code, other.headers["etag"]) == (200, first.headers["etag"])


def test_the_tag_of_core_and_of_the_groups_differ(server: FakeAPI) -> None:
    tags = {ask(server, path, accept=aggregated()).headers["etag"] for path in ("/api", "/apis")}
    assert len(tags) == 2


def test_the_answer_names_the_form_in_its_type(server: FakeAPI) -> None:
    answer = ask(server, "/apis", accept=aggregated(media_type="application/yaml"))
    expected = "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    assert answer.headers["content-type"] == expected
    assert yaml.safe_load(answer.body)["kind"] == "APIGroupDiscoveryList"


def test_a_client_that_takes_both_gets_one_document_or_many(server: FakeAPI) -> None:
    header = f"{aggregated('v9')},application/json"
    assert ask(server, "/apis", accept=header).json()["kind"] == "APIGroupList"
    assert ask(server, "/apis/", accept=f"{aggregated()},application/json").json()["kind"] == "APIGroupList"
    assert ask(server, "/apis", accept=aggregated("v9")).code == 406


@pytest.mark.parametrize("name", KNOWN_RELEASES)
def test_a_release_knows_the_versions_of_the_document_that_it_had(name: str) -> None:
    found = {version for _, version in aggregated_versions(load_release(name))}
    v2, v2beta1 = "apidiscovery.k8s.io/v2", "apidiscovery.k8s.io/v2beta1"
    expected = {v2beta1} if name < "1.30" else {v2} if name >= "1.33" else {v2, v2beta1}
    assert found == expected


def test_gates_take_the_document_away_and_bring_its_beta_back() -> None:
    assert not aggregated_versions(load_release("1.29", {"AggregatedDiscoveryEndpoint": False}))
    assert len(aggregated_versions(load_release("1.33", {"AggregatedDiscoveryRemoveBetaType": False}))) == 2


@pytest.mark.parametrize("path", ["/api", "/version", "/api/v1"])
@pytest.mark.parametrize("method", ["POST", "HEAD", "OPTIONS", "DELETE"])
def test_what_the_router_knows_is_only_read(server: FakeAPI, path: str, method: str) -> None:
    assert ask(server, path, method).code == 405


@pytest.mark.parametrize("path", ["/", "/apis", f"/apis/{GROUP}", "/healthz", "/openapi/v3"])
@pytest.mark.parametrize("method", ["POST", "HEAD", "OPTIONS"])
def test_what_the_router_does_not_know_takes_any_method(server: FakeAPI, path: str, method: str) -> None:
    assert ask(server, path, method).code == 200


def test_the_version_is_json_for_people_and_nothing_else(server: FakeAPI) -> None:
    answer = ask(server, "/version")
    assert answer.body.startswith(b'{\n  "major": "1",\n')
    refused = ask(server, "/version", accept="application/yaml")
    assert refused.code == 406
    assert yaml.safe_load(refused.body)["message"].endswith("Available representations: application/json")


@pytest.mark.parametrize("path", HEALTH)
def test_a_server_that_answers_is_well(server: FakeAPI, path: str) -> None:
    for asked in (path, f"{path}/ping"):
        answer = ask(server, asked)
        assert (answer.code, answer.body) == (200, b"ok")
    assert ask(server, f"{path}/").code == 404
    assert ask(server, f"{path}/nonsense").code == 404


@pytest.mark.parametrize("path", HEALTH)
def test_a_server_that_is_asked_tells_each_of_its_checks(server: FakeAPI, path: str) -> None:
    *told, last, end = ask(server, f"{path}?verbose").body.decode().split("\n")
    assert (last, end) == (f"{path[1:]} check passed", "")
    checks = [line.removeprefix("[+]").removesuffix(" ok") for line in told]
    assert checks[:3] == ["ping", "log", "etcd"]
    assert ("shutdown" in checks) is (path == "/readyz")
    assert {ask(server, f"{path}/{check}").body for check in checks} == {b"ok"}


def test_checks_are_left_out_when_they_are_known(server: FakeAPI) -> None:
    answer = ask(server, "/livez?verbose&exclude=log&exclude=y&exclude=x").body.decode()
    assert "\n[+]log excluded: ok\n" in answer
    assert '\nwarn: some health checks cannot be excluded: no matches for "x","y"\nlivez check' in answer
    assert ask(server, "/livez?exclude=x").body == b"ok"


def test_every_path_that_is_listed_is_there(server: FakeAPI) -> None:
    paths = ask(server, "/").json()["paths"]
    assert paths == sorted(paths)
    assert {path: ask(server, path).code for path in paths if path != "/openapi/v3/"} == dict.fromkeys(
        (path for path in paths if path != "/openapi/v3/"), 200
    )


def test_health_needs_no_token_and_discovery_does() -> None:
    with FakeAPI(release="1.31", token="secret") as api:
        assert ask(api, "/readyz").code == 200
        assert [ask(api, path).code for path in ("/", "/api", "/apis", "/version", "/openapi/v2")] == [
            401
        ] * 5
        assert ask(api, "/apis", authorization="Bearer secret").code == 200
