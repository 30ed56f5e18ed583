"""Servers that share a database act as one API server."""

import json
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from fakeapi.controlplane import sharing
from fakeapi.registry.custom.definitions import CustomResources
from fakeapi.testing.server import FakeAPI, StartError, StatusError
from tests.postgresql_server import PostgreSQL

Pair = tuple[FakeAPI, FakeAPI]
SERVICES = "/api/v1/namespaces/default/services"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PARTS = "/apis/example.com/v1/namespaces/default/parts"


@pytest.fixture
def pair(postgresql: PostgreSQL) -> Iterator[Pair]:
    place = postgresql.place()
    with ExitStack() as stack:
        first, second = (stack.enter_context(FakeAPI(release="1.33", database=place)) for _ in range(2))
        yield first, second


def definition() -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "parts.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "parts", "kind": "Part"},
            "versions": [version],
        },
    }


def part(name: str) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Part", "metadata": {"name": name}}


def service(name: str) -> dict[str, Any]:
    spec = {"type": "NodePort", "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def test_an_object_is_there_on_the_other_server_at_once(pair: Pair) -> None:
    for number in range(10):
        writer, reader = pair if number % 2 else pair[::-1]
        created = writer.request("POST", SERVICES, service(f"s{number}"))
        assert reader.request("GET", f"{SERVICES}/s{number}") == created


def test_services_made_on_both_servers_at_once_share_no_address_and_no_port(pair: Pair) -> None:
    def create(number: int) -> Any:
        return pair[number % 2].request("POST", SERVICES, service(f"s{number}"))

    with ThreadPoolExecutor(8) as threads:
        made = [*threads.map(create, range(40))]
    assert len({each["spec"]["clusterIP"] for each in made}) == 40
    assert len({each["spec"]["ports"][0]["nodePort"] for each in made}) == 40
    assert len(pair[0].request("GET", "/apis/networking.k8s.io/v1/ipaddresses")["items"]) == 41


def test_a_kind_defined_on_one_server_is_served_by_the_other_and_withdrawn(pair: Pair) -> None:
    first, second = pair
    first.request("POST", DEFINITIONS, definition())
    assert second.request("POST", PARTS, part("a"))["metadata"]["name"] == "a"
    assert "example.com" in [each["name"] for each in second.request("GET", "/apis")["groups"]]
    second.request("DELETE", f"{DEFINITIONS}/parts.example.com")
    with pytest.raises(StatusError) as gone:
        first.request("GET", PARTS)
    assert gone.value.code == 404


def test_a_definition_that_its_server_left_unfinished_is_taken_over(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair
    follow, stuck = CustomResources.follow, list[CustomResources]()

    async def follow_elsewhere(custom: CustomResources, name: str) -> None:
        if custom is not (stuck or [custom])[0]:
            await follow(custom, name)
        elif not stuck:
            stuck.append(custom)

    monkeypatch.setattr(sharing, "TAKEOVER_SECONDS", 0.05)
    monkeypatch.setattr(CustomResources, "follow", follow_elsewhere)
    first.request("POST", DEFINITIONS, definition())
    path = f"{DEFINITIONS}?watch=1&fieldSelector=metadata.name%3Dparts.example.com"
    with urlopen(f"{second.url}{path}", timeout=30) as watch:
        while not is_established(json.loads(watch.readline())["object"]):
            pass
    assert stuck
    for number, server in enumerate(pair):
        assert server.request("POST", PARTS, part(f"p{number}"))["metadata"]["name"] == f"p{number}"


def is_established(found: dict[str, Any]) -> bool:
    conditions = found.get("status", {}).get("conditions") or []
    return {"Established": "True"}.items() <= {each["type"]: each["status"] for each in conditions}.items()


def test_a_quota_made_on_one_server_holds_on_the_other(pair: Pair) -> None:
    first, second = pair
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"count/services": "0"}},
        "status": {"hard": {"count/services": "0"}, "used": {"count/services": "0"}},
    }
    created = first.request("POST", "/api/v1/namespaces/default/resourcequotas", quota)
    path = "/api/v1/namespaces/default/resourcequotas/q/status"
    first.request("PUT", path, {**created, "status": quota["status"]})
    with pytest.raises(StatusError, match="exceeded quota"):
        second.request("POST", SERVICES, service("s"))


def test_a_token_that_one_server_signed_is_known_to_the_other(pair: Pair) -> None:
    first, second = pair
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    first.request("POST", accounts, account)
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = first.request("POST", f"{accounts}/robot/token", request)["status"]["token"]
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {"token": token},
    }
    reviewed = second.request("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)
    assert reviewed["status"]["user"]["username"] == "system:serviceaccount:default:robot"


def test_a_reset_of_one_server_is_that_of_the_other(pair: Pair) -> None:
    first, second = pair
    first.request("POST", DEFINITIONS, definition())
    second.request("POST", PARTS, part("a"))
    second.reset()
    for server in pair:
        assert [each["metadata"]["name"] for each in server.request("GET", DEFINITIONS)["items"]] == []
        with pytest.raises(StatusError):
            server.request("GET", PARTS)
        assert len(server.request("GET", "/api/v1/namespaces")["items"]) == 4
    first.request("POST", DEFINITIONS, definition())
    assert second.request("GET", PARTS)["items"] == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 1}, "--seed is of one server"),
        ({"frozen_at": "2026-01-31T12:00:00Z"}, "--frozen-at is of one server"),
        ({"tls": True}, "one --tls-directory, or end TLS in front of them"),
    ],
)
def test_what_servers_cannot_have_together_is_refused_in_one_line(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        FakeAPI(database="postgresql://127.0.0.1/db", **options).start()
    assert "\n" not in str(refusal.value)


def test_a_server_of_another_release_is_refused_in_one_line(pair: Pair, postgresql: PostgreSQL) -> None:
    place = str(pair[0]._settings.database)
    with pytest.raises(StartError, match="with other settings is at work") as refusal:
        FakeAPI(release="1.31", database=place).start()
    assert "\n" not in str(refusal.value)


def test_a_client_that_trusts_one_server_trusts_all_that_share_the_directory_of_its_ca(
    postgresql: PostgreSQL, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"database": postgresql.place(), "tls": True, "tls_directory": tmp_path / "ca"}
    with FakeAPI(**options) as first, FakeAPI(**options) as second:
        first.request("POST", SERVICES, service("a"))
        trusted = ssl.create_default_context(cafile=str(first.ca_file))
        for server in (first, second):
            with urlopen(f"{server.url}{SERVICES}/a", context=trusted, timeout=30) as answer:
                assert json.load(answer)["metadata"]["name"] == "a"


def test_the_clock_of_one_server_among_several_is_not_moved(pair: Pair) -> None:
    with pytest.raises(RuntimeError, match="several servers share the database"):
        _ = pair[0].clock.now
