"""Requests that the server refuses or cannot serve get the right status codes and messages."""

import asyncio
import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fakeapi.http.filters.errors import unavailable
from fakeapi.registry.verbs.watching import EncodedEventCache
from fakeapi.testing.server import FakeAPI, StatusError
from fakeapi_storage import StorageFailed, StorageFull, StorageReset, writer
from fakeapi_storage import store as storage
from fakeapi_storage.sqlite.log import SqliteLog
from tests.http import wire

NAMESPACES = "/api/v1/namespaces"


@pytest.mark.parametrize("scheme", [b"Bearer ", b"bearer ", b"BEARER "])
def test_the_name_of_the_scheme_is_read_in_any_case(scheme: bytes) -> None:
    with FakeAPI(token="secret") as api:
        headers = [(b"host", b"localhost"), (b"authorization", scheme + b"secret")]
        assert wire.exchange(api.url, wire.head(b"GET", NAMESPACES.encode(), headers)).code == 200


def test_a_token_after_two_spaces_is_none() -> None:
    with FakeAPI(token="secret") as api:
        headers = [(b"host", b"localhost"), (b"authorization", b"Bearer  secret")]
        refused = wire.exchange(api.url, wire.head(b"GET", NAMESPACES.encode(), headers))
    assert refused.code == 401
    assert "extra space before the bearer token" in refused.headers["warning"]


def test_more_writes_than_can_wait_are_too_many_requests(
    fakeapi: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "QUEUE_WRITES_MAX", 0)
    with pytest.raises(StatusError) as caught:
        fakeapi.create_namespace("team")
    assert (caught.value.code, caught.value.reason) == (429, "TooManyRequests")
    assert caught.value.status["details"] == {"retryAfterSeconds": 1}


def test_an_object_larger_than_the_storage_takes_is_refused_in_etcds_words(
    fakeapi: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "VALUE_BYTES_MAX", 100)
    with pytest.raises(StatusError) as caught:
        fakeapi.create_namespace("team")
    assert (caught.value.code, caught.value.message) == (500, "etcdserver: request is too large")


def test_a_full_disk_refuses_writes_as_etcd_does_while_reads_go_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    async def full(log: SqliteLog, rows: object) -> None:
        raise StorageFull("database or disk is full")

    with FakeAPI(database=tmp_path / "cluster.db") as api:
        with monkeypatch.context() as patch:
            patch.setattr(SqliteLog, "append", full)
            for _ in range(3):
                with pytest.raises(StatusError) as caught:
                    api.create_namespace("team")
                assert (caught.value.code, caught.value.reason) == (500, "")
                assert caught.value.message == "etcdserver: mvcc: database space exceeded"
                assert api.get("Namespace", "default")
        assert api.create_namespace("team")
    told = [record.message for record in caplog.records if record.name.startswith("fakeapi_storage")]
    assert told == [
        "writes are not stored and fail, reads go on: database or disk is full",
        "writes are stored again",
    ]


CLAIMS = "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims"
CLAIM = {
    "metadata": {"name": "a"},
    "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "c"}]}},
}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", f"{CLAIMS}/a", None),
        ("DELETE", CLAIMS, None),
        ("PUT", f"{CLAIMS}/a", {**CLAIM, "metadata": {"name": "a", "resourceVersion": "1"}}),
        ("PUT", f"{CLAIMS}/a/status", CLAIM),
    ],
)
def test_what_is_gone_is_told_of_when_that_is_committed(
    method: str, path: str, body: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deleting, waiting = threading.Event(), threading.Event()

    async def lost(log: SqliteLog, rows: object) -> None:
        deleting.set()
        await asyncio.to_thread(waiting.wait, 20)
        raise StorageFailed("as asked")

    def waited(store: storage.Store, revision: int | None = None) -> "asyncio.Future[None]":
        waiting.set()
        return store._writer.wait_committed(revision)

    with FakeAPI(database=tmp_path / "cluster.db") as api, ThreadPoolExecutor(1) as pool:
        api.request("POST", CLAIMS, CLAIM)
        monkeypatch.setattr(SqliteLog, "append", lost)
        monkeypatch.setattr(storage.Store, "wait_committed", waited)
        first = pool.submit(api.request, "DELETE", f"{CLAIMS}/a")
        assert deleting.wait(20)
        try:
            with pytest.raises(StatusError) as caught:
                api.request(method, path, body)
        finally:
            waiting.set()
        with pytest.raises(StatusError):
            first.result()
        assert (caught.value.code, caught.value.message) == (500, "etcdserver: storage failed: as asked")
        assert api.request("GET", f"{CLAIMS}/a")


def test_a_write_that_a_reset_has_overtaken_is_unavailable_and_not_to_be_sent_again() -> None:
    error = unavailable(StorageReset())
    assert (error.code, error.reason, error.retry_after) == (503, "ServiceUnavailable", None)


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_the_first_namespaces_are_not_deleted(fakeapi: FakeAPI, name: str) -> None:
    with pytest.raises(StatusError) as caught:
        fakeapi.delete("Namespace", name)
    assert caught.value.code == 403
    assert caught.value.message == f'namespaces "{name}" is forbidden: this namespace may not be deleted'
    assert fakeapi.get("Namespace", name)


def test_a_watch_that_fails_by_a_mistake_ends_and_the_log_says_why(
    fakeapi: FakeAPI, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(frames: EncodedEventCache, event: object) -> bytes:
        raise RuntimeError("as asked")

    monkeypatch.setattr(EncodedEventCache, "frame", broken)
    with caplog.at_level(logging.ERROR, "fakeapi"):
        answer = wire.exchange(
            fakeapi.url, wire.head(b"GET", f"{NAMESPACES}?watch=1".encode(), [(b"host", b"localhost")])
        )
    assert (answer.code, answer.body) == (200, b"")
    assert "unexpected error in a watch of namespaces" in caplog.text


@pytest.mark.parametrize("levels", [300, 900, 3_000, 9_990])
@pytest.mark.parametrize("media_type", ["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"])
def test_a_patch_nested_deeper_than_python_goes_is_refused_and_no_failure(
    fakeapi: FakeAPI, levels: int, media_type: str
) -> None:
    """Nested values below a limit are dropped as unknown fields; the limit depends on Python's version."""
    head = b'{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default","unknown":'
    body = head + b"[" * levels + b"]" * levels + b"}}"
    headers = [
        (b"host", b"localhost"),
        (b"content-type", f"application/{media_type}".encode()),
        (b"content-length", b"%d" % len(body)),
    ]
    target = f"{NAMESPACES}/default?fieldManager=m".encode()
    answer = wire.exchange(fakeapi.url, wire.head(b"PATCH", target, headers) + body)
    allowed = {400, 500} if media_type == "apply-patch+yaml" else {200, 400}
    assert answer.code in allowed
    assert "unexpected" not in answer.body.decode()
    assert fakeapi.get("Namespace", "default")


MERGE_PATCH = "application/merge-patch+json"
UNKNOWN_FORMAT = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, "
    "application/apply-patch+yaml"
)


@pytest.mark.parametrize(
    ("media_types", "message"),
    [
        (f"text/plain, {MERGE_PATCH}", UNKNOWN_FORMAT),
        (f"{MERGE_PATCH},application/json", UNKNOWN_FORMAT),
        ("text/plain, application/json", "415: Unsupported Media Type"),
        ("*/*", "415: Unsupported Media Type"),
    ],
)
def test_a_patch_of_several_types_is_of_none(fakeapi: FakeAPI, media_types: str, message: str) -> None:
    headers = [(b"host", b"localhost"), (b"content-type", media_types.encode()), (b"content-length", b"2")]
    head = wire.head(b"PATCH", f"{NAMESPACES}/default".encode(), headers)
    answer = wire.exchange(fakeapi.url, head + b"{}")
    status = json.loads(answer.body)
    assert (status["code"], status["message"]) == (415, message)
