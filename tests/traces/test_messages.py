"""What of a message is kept, and what kind of request it was."""

import pytest

from fakeapi.traces.actors import actor
from fakeapi.traces.messages import decoded, is_kubernetes, is_watch, kept


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


def test_a_coding_that_cannot_be_undone_is_none() -> None:
    assert decoded(b"no gzip", "gzip") is None
    assert decoded(b"x", "br") is None
    assert decoded(b"x", "identity") == b"x"


@pytest.mark.parametrize(
    ("agent", "user", "name"),
    [
        (
            "kube-scheduler/v1.31.0 (linux/amd64) kubernetes/9edc/scheduler",
            "u",
            "kube-scheduler/scheduler (u)",
        ),
        ("kubectl/v1.31.0 (linux/amd64) kubernetes/9edc", "", "kubectl"),
        ("Python-urllib/3.11", "system:anonymous", "Python-urllib"),
        ("", "", "unknown"),
    ],
)
def test_an_actor_is_a_program_its_component_and_its_user(agent: str, user: str, name: str) -> None:
    assert actor(agent, user) == name
