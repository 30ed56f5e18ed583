"""Traces contain headers, decoded bodies and watches; connection headers are left out."""

import gzip
import zlib

import pytest

from fakeapi.traces.messages import (
    BODY_MAX,
    MEMBERS_MAX,
    Inflater,
    NotDecoded,
    decoded,
    is_kubernetes,
    is_watch,
    kept,
)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/api/v1/pods?watch=true", True),
        ("/api/v1/pods?watch=1", True),
        ("/api/v1/pods?watch", True),
        ("/api/v1/pods?watch=false", False),
        ("/api/v1/pods?watch=0", False),
        ("/api/v1/pods", False),
        ("/api/v1/namespaces/d/pods/watch?pretty=true", False),
        ("/api/v1/namespaces/d/pods/p?watch=true", False),
        ("/api/v1/watch/namespaces/d/pods/p", True),
        ("/apis/resource.k8s.io/v1alpha3/watch/resourceclaims", True),
        ("/version?watch=true", False),
    ],
)
def test_a_watch_is_known_by_its_target(target: str, *, expected: bool) -> None:
    assert is_watch("GET", target) is expected
    assert not is_watch("POST", target)


@pytest.mark.parametrize(
    ("target", "expected"),
    [("/api/v1/pods", True), ("/apis", True), ("/version?timeout=32s", True), ("/apix", False), ("/", False)],
)
def test_a_request_to_kubernetes_is_known_by_its_target(target: str, *, expected: bool) -> None:
    assert is_kubernetes(target) is expected


def test_headers_of_the_connection_are_not_kept() -> None:
    headers = [("Host", "h"), (":path", "/"), ("Accept", "a"), ("Content-Length", "3"), ("Warning", "w")]
    assert kept(headers) == (("accept", "a"), ("warning", "w"))


@pytest.mark.parametrize(
    ("data", "encoding", "why"),
    [
        (b"not gzip", "gzip", "gzip cannot be decoded"),
        (gzip.compress(b"x", mtime=0)[:-3], "gzip", "gzip cannot be decoded"),
        (b"x", "br", "br cannot be decoded"),
        (gzip.compress(bytes(BODY_MAX + 1), mtime=0), "gzip", "too long"),
        (zlib.compress(bytes(BODY_MAX + 1)), "deflate", "too long"),
        (gzip.compress(b"", mtime=0) * (MEMBERS_MAX + 1), "gzip", "gzip cannot be decoded"),
    ],
    ids=["not gzip", "cut off", "unknown", "gzip bomb", "deflate bomb", "many members"],
)
def test_a_body_that_cannot_be_decoded_says_why(data: bytes, encoding: str, why: str) -> None:
    with pytest.raises(NotDecoded, match=why):
        decoded(data, encoding)


def test_a_body_of_the_longest_length_is_decoded() -> None:
    assert len(decoded(gzip.compress(bytes(BODY_MAX)), "gzip")) == BODY_MAX


def test_the_members_of_a_gzip_body_are_joined() -> None:
    assert decoded(gzip.compress(b"a") + gzip.compress(b"b"), "gzip") == b"ab"
    assert decoded(b"x", "identity") == b"x"


def test_a_bomb_is_inflated_no_further_than_asked_for() -> None:
    bomb = gzip.compress(bytes(64 << 20))
    inflater = Inflater("gzip")
    assert len(inflater.inflate(bomb, 1000)) == 1000
    assert not inflater.is_complete
