"""Long responses become 429 when the unsent bytes of other responses reach the server's limit."""

from collections.abc import Iterator

import httpx
import pytest

from fakeapi import FakeAPI
from fakeapi.clients.control import ControlClient, ControlError

BOUNDS = "fakeapi.serving.response_bytes"
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "long"}, "data": {"a": "x" * 300_000}}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAPI]:
    """Starts a server with a long object, two snapshots and 300 recorded requests.

    Then lets the server refuse to buffer any bytes of a response.
    """
    with FakeAPI() as api:
        with ControlClient(api.url) as client:
            api.create(MAP)
            client.put("/snapshots/old")
            api.update(MAP | {"data": {"a": "y" * 300_000}})
            client.put("/snapshots/new")
            for _ in range(300):
                api.get("Namespace", "default")
        monkeypatch.setattr(f"{BOUNDS}.ResponseBytes.fits", lambda bytes_, size: not size)
        monkeypatch.setattr(f"{BOUNDS}.ROOM_SECONDS", 0.0)
        yield api


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/history", {"resource": "configmaps", "namespace": "default", "name": "long"}),
        ("/requests", {"last": 300}),
        ("/snapshots/old/file", {}),
        ("/snapshots/diff", {"old": "old", "new": "new"}),
    ],
)
def test_a_long_response_of_the_control_api_is_429_without_memory_for_it(
    api: FakeAPI, path: str, query: dict[str, object]
) -> None:
    with ControlClient(api.url) as client:
        with pytest.raises(ControlError) as refusal:
            client.get(path, **query)
        assert refusal.value.code == 429
        assert "try again" in str(refusal.value)
        assert client.get("/requests", last=10)["requests"]
        assert client.get("/snapshots/diff", old="new", new="new")["items"] == []


def test_a_429_of_the_control_api_has_retry_after(api: FakeAPI) -> None:
    answer = httpx.get(f"{api.url}/_fakeapi/snapshots/old/file")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert answer.json()["reason"] == "TooManyRequests"


@pytest.mark.parametrize(("path", "code"), [("/openapi/v2", 429), ("/version", 200), ("/apis", 200)])
def test_a_long_openapi_document_is_429_without_memory_for_it(api: FakeAPI, path: str, code: int) -> None:
    assert httpx.get(f"{api.url}{path}").status_code == code
