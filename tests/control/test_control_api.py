"""The control API checks access, reports errors, and has an OpenAPI document."""

import http.client
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.error import HTTPError

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient, ControlError
from fakeapi.control import endpoint


@contextmanager
def controlled(sent: str | None = None, **options: Any) -> Iterator[tuple[FakeAPI, ControlClient]]:
    with FakeAPI(**options) as api, ControlClient(api.url, token=sent) as client:
        yield api, client


def test_the_state_has_the_release_and_the_number_of_objects() -> None:
    with controlled(release="1.33") as (api, client):
        before = client.get("/state")
        api.create_namespace("other")
        state = client.get("/state")
    assert state["release"] == "1.33"
    assert state["objects"] == before["objects"] + 1
    assert int(state["resourceVersion"]) > int(before["resourceVersion"])


def test_a_reset_leaves_a_new_cluster() -> None:
    with controlled() as (api, client):
        api.create_namespace("other")
        client.post("/reset")
        assert "other" not in [each["metadata"]["name"] for each in api.list("Namespace")]


def test_after_a_compaction_everything_older_is_expired() -> None:
    with controlled() as (api, client):
        version = api.create_namespace("first")["metadata"]["resourceVersion"]
        newest = api.create_namespace("second")["metadata"]["resourceVersion"]
        assert client.post("/compaction") == {"resourceVersion": newest}
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": "1"}
        event = api.request("GET", "/api/v1/namespaces", query=query)
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "message"),
    [
        ("GET", "/nothing", None, 404, "the control API has no such path"),
        ("PUT", "/state", None, 405, "the control API does not allow this method"),
        ("GET", "/requests/a%0Ab", None, 404, "the journal has no request"),
        ("POST", "", None, 404, "the control API has no such path"),
        ("GET", "/state?all=1", None, 400, "/state takes no parameters, not all"),
        ("POST", "/compaction", {"revision": 1}, 400, "unknown field `revision`"),
        ("POST", "/compaction", b"{", 400, "the body of POST /compaction"),
        ("POST", "/faults", b"[" * 901 + b"]" * 901, 400, "invalid character ']' exceeded max depth"),
        ("POST", "/faults", b'{"t\x84rget": 1}', 400, "the body of POST /faults: 'utf-8' codec"),
        ("POST", "/compaction", {"resourceVersion": "x"}, 400, "'x' is not a valid resourceVersion"),
        ("POST", "/compaction", {"resourceVersion": "999999"}, 400, "999999 does not exist yet"),
    ],
)
def test_an_invalid_request_is_refused_with_one_line(
    method: str, path: str, body: object, code: int, message: str
) -> None:
    with controlled() as (_, client), pytest.raises(ControlError) as caught:
        client.request(method, path, body)
    assert caught.value.code == code
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_the_token_of_the_server_gives_access() -> None:
    for token in (None, "wrong"):
        with (
            controlled(token, token="secret") as (_, client),
            pytest.raises(ControlError, match="Unauthorized"),
        ):
            client.get("/state")
    with controlled("secret", token="secret") as (_, client):
        assert client.get("/state")["objects"]


@pytest.mark.parametrize("header", ["Origin", "Host"])
def test_web_pages_of_other_sites_are_refused(header: str) -> None:
    with FakeAPI() as api:
        value = "http://evil.example" if header == "Origin" else "evil.example"
        request = urllib.request.Request(f"{api.url}/_fakeapi/state", headers={header: value})
        with pytest.raises(HTTPError) as caught:
            urllib.request.urlopen(request)
        caught.value.close()
    assert caught.value.code == 403


@pytest.mark.parametrize("path", ["/reset", "/compaction", "/clock/freeze", "/faults"])
@pytest.mark.parametrize(
    ("media_type", "body", "is_refused"),
    [
        ("text/plain", b"{}", True),
        ("application/x-www-form-urlencoded", b"", True),
        ("multipart/form-data; boundary=x", b"{}", True),
        ("application/jsonp", b"{}", True),
        (None, b"{}", True),
        ("application/json", b"{}", False),
        ("Application/JSON; charset=utf-8", b"{}", False),
    ],
)
def test_a_post_that_browsers_send_for_other_sites_is_415(
    path: str, media_type: str | None, body: bytes, *, is_refused: bool
) -> None:
    with FakeAPI() as api:
        connection = http.client.HTTPConnection(api.url.removeprefix("http://"), timeout=60)
        headers = {} if media_type is None else {"Content-Type": media_type}
        connection.request("POST", f"/_fakeapi{path}", body, headers)
        response = connection.getresponse()
        status = json.loads(response.read() or b"{}")
        connection.close()
    assert (response.status == 415) == is_refused
    assert (status.get("reason") == "UnsupportedMediaType") == is_refused


def test_a_server_without_the_control_api_answers_404() -> None:
    with controlled(control=False) as (_, client), pytest.raises(ControlError, match="404"):
        client.get("/state")


def test_the_openapi_document_has_every_path_with_its_responses() -> None:
    with controlled() as (_, client):
        document = client.get("/openapi.json")
    assert {"/state", "/reset", "/compaction"} <= document["paths"].keys()
    for operations in document["paths"].values():
        for operation in operations.values():
            assert operation["summary"].endswith(".")
            assert "default" in operation["responses"]


def test_a_server_imports_the_control_api_with_its_first_request() -> None:
    program = """
import sys, urllib.request
from fakeapi import FakeAPI
with FakeAPI() as api:
    urllib.request.urlopen(api.url + "/api/v1/namespaces").read()
    before = {name for name in sys.modules if name.startswith("fakeapi.control.")}
    urllib.request.urlopen(api.url + "/_fakeapi/state").read()
    after = {name for name in sys.modules if name.startswith("fakeapi.control.")}
assert not before and after, (before, after)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_body_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "BODY_MAX", 100)
    with controlled() as (_, client), pytest.raises(ControlError, match="longer than 100 bytes"):
        client.post("/compaction", b" " * 101)
