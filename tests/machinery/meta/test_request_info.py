"""Request paths are parsed into resource, namespace, name and subresource."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.meta.request_info import RequestInfo, first_values, parse, verb_of

G = "resource.k8s.io"


@pytest.mark.parametrize(
    ("path", "info"),
    [
        ("/apis/g", RequestInfo("g")),
        ("/apis/g/", RequestInfo("g")),
        ("/apis/g/v", RequestInfo("g", "v")),
        ("/api/v1", RequestInfo("", "v1")),
        ("/apis/g/v/claims", RequestInfo("g", "v", "claims")),
        ("/apis/g/v/namespaces/ns/claims", RequestInfo("g", "v", "claims", "ns", in_namespace=True)),
        ("/apis/g/v/namespaces/ns/claims/", RequestInfo("g", "v", "claims", "ns", in_namespace=True)),
        ("/apis/g/v/namespaces/ns/claims/x", RequestInfo("g", "v", "claims", "ns", "x", in_namespace=True)),
        (
            "/apis/g/v/namespaces/ns/claims/x/status",
            RequestInfo("g", "v", "claims", "ns", "x", "status", in_namespace=True),
        ),
        ("/apis/g/v/watch/claims", RequestInfo("g", "v", "claims", watched=True)),
        (
            "/apis/g/v/watch/namespaces/ns/claims/x",
            RequestInfo("g", "v", "claims", "ns", "x", watched=True, in_namespace=True),
        ),
        ("/apis/g/v/namespaces//claims", RequestInfo("g", "v", "claims", in_namespace=True)),
        ("/apis/g/v/watch", RequestInfo("g", "v", watched=True)),
        ("/api/v1/namespaces", RequestInfo("", "v1", "namespaces")),
        ("/api/v1/namespaces/ns", RequestInfo("", "v1", "namespaces", "", "ns")),
        ("/api/v1/namespaces/ns/status", RequestInfo("", "v1", "namespaces", "", "ns", "status")),
        ("/api/v1/namespaces/ns/finalize", RequestInfo("", "v1", "namespaces", "", "ns", "finalize")),
        ("/api/v1/namespaces/ns/pods", RequestInfo("", "v1", "pods", "ns", in_namespace=True)),
        (
            "/apis/g/v/claims/x/status/a/b",
            RequestInfo("g", "v", "claims", "", "x", "status", tail=("a", "b")),
        ),
        ("/api", None),
        ("/apis", None),
        ("/", None),
        ("", None),
        ("/version", None),
        ("/apiserver/x", None),
    ],
)
def test_a_path_is_taken_apart(path: str, info: RequestInfo | None) -> None:
    assert parse(path) == info


@settings(max_examples=100)
@given(path=st.text(st.sampled_from("/ap is.%\0é"), max_size=30).map(lambda text: f"/apis/{text}"))
def test_no_path_is_too_odd_to_be_taken_apart(path: str) -> None:
    found = parse(path)
    assert found is None or found.group == path.strip("/").split("/")[1]


@pytest.mark.parametrize(
    ("method", "target", "verb"),
    [
        ("GET", "/api/v1/pods", "list"),
        ("HEAD", "/api/v1/pods", "list"),
        ("GET", "/api/v1/pods?watch=true", "watch"),
        ("GET", "/api/v1/pods?watch", "watch"),
        ("GET", "/api/v1/pods?watch=0", "list"),
        ("GET", "/api/v1/pods?watch=False&watch=1", "list"),
        ("GET", "/api/v1/pods?labelSelector=watch", "list"),
        ("GET", "/api/v1/watch/pods", "watch"),
        ("GET", "/api/v1/watch/namespaces/ns/pods/p", "watch"),
        ("GET", "/api/v1/namespaces/ns/pods/p", "get"),
        ("GET", "/api/v1/namespaces/ns/pods/p?watch=true", "get"),
        ("POST", "/api/v1/namespaces/ns/pods", "create"),
        ("POST", "/api/v1/namespaces/ns/pods/p/eviction", "create"),
        ("PUT", "/api/v1/namespaces/ns/pods/p/status", "update"),
        ("PATCH", "/api/v1/namespaces/ns/pods/p", "patch"),
        ("DELETE", "/api/v1/namespaces/ns/pods/p", "delete"),
        ("DELETE", "/api/v1/namespaces/ns/pods", "deletecollection"),
        ("TRACE", "/api/v1/pods", ""),
        ("GET", "/apis/g/v", "get"),
        ("GET", "/version", "get"),
    ],
)
def test_a_request_has_the_verb_that_authorizers_and_audit_logs_name(
    method: str, target: str, verb: str
) -> None:
    path, _, query = target.partition("?")
    assert verb_of(method, parse(path), query) == verb


def test_of_a_repeated_parameter_the_first_value_counts() -> None:
    assert first_values("a=1&b=&a=2") == {"a": "1", "b": ""}
