"""The server compresses large responses for clients that accept gzip."""

import gzip
import json
from collections.abc import Iterator

import pytest

from fakeapi.http.compression import COMPRESSED_FROM, IN_THREAD_FROM, accepts_gzip
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

PATH = "/api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def config_map(name: str, size: int) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "x" * size}}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.33") as started:
        started.create(config_map("large", COMPRESSED_FROM))
        started.create(config_map("small", 1000))
        for number in range(2):
            started.create(config_map(f"list-{number}", IN_THREAD_FROM // 2))
        yield started


@pytest.mark.parametrize("accept", ["application/json", "application/yaml", PROTOBUF])
@pytest.mark.parametrize("path", [f"{PATH}/large", PATH])
def test_what_is_large_is_compressed_when_asked(server: FakeAPI, path: str, accept: str) -> None:
    plain = ask(server, path, accept=accept)
    packed = ask(server, path, accept=accept, accept_encoding="deflate, gzip")
    assert "content-encoding" not in plain.headers
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert packed.headers["content-type"] == plain.headers["content-type"]
    assert len(packed.body) < len(plain.body) // 10
    assert gzip.decompress(packed.body) == plain.body


@pytest.mark.parametrize("path", [f"{PATH}/small", f"{PATH}/nothing", "/openapi/v2", "/readyz"])
def test_what_is_small_or_no_object_is_sent_as_it_is(server: FakeAPI, path: str) -> None:
    assert "content-encoding" not in ask(server, path, accept_encoding="gzip").headers


def test_a_watch_is_never_compressed(server: FakeAPI) -> None:
    answer = ask(server, f"{PATH}?watch=1&timeoutSeconds=1", accept_encoding="gzip")
    assert "content-encoding" not in answer.headers
    assert len(answer.body.splitlines()) == 4


def test_a_body_of_the_size_itself_is_not_compressed_and_one_byte_more_is(server: FakeAPI) -> None:
    other = len(ask(server, f"{PATH}/small").body) - 1000
    found = set()
    for size in range(COMPRESSED_FROM - other - 8, COMPRESSED_FROM - other + 9):
        server.create(config_map("sized", size))
        plain = ask(server, f"{PATH}/sized")
        packed = ask(server, f"{PATH}/sized", accept_encoding="gzip")
        found.add((len(plain.body) > COMPRESSED_FROM, "content-encoding" in packed.headers))
        ask(server, f"{PATH}/sized", "DELETE")
    assert found == {(False, False), (True, True)}


def test_a_gate_switches_compression_off() -> None:
    with FakeAPI(release="1.33", feature_gates={"APIResponseCompression": False}) as server:
        server.create(config_map("large", COMPRESSED_FROM))
        answer = ask(server, f"{PATH}/large", accept_encoding="gzip")
        assert "content-encoding" not in answer.headers
        assert json.loads(answer.body)["metadata"]["name"] == "large"


@pytest.mark.parametrize("header", ["gzip", "br , gzip", "gzip,deflate"])
def test_gzip_is_accepted_by_its_bare_name(header: str) -> None:
    assert accepts_gzip(header)


@pytest.mark.parametrize("header", ["", "gzip;q=1.0", "*", "x-gzip", "deflate"])
def test_nothing_else_accepts_gzip(header: str) -> None:
    assert not accepts_gzip(header)
