"""A create of a review, such as a SubjectAccessReview, returns a result and stores nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from tests.http.asking import ask
from tests.http.conftest import SmallServer

AUTHENTICATION, AUTHORIZATION = "/apis/authentication.k8s.io/v1", "/apis/authorization.k8s.io/v1"
PODS = {"namespace": "default", "verb": "get", "resource": "pods"}
PATH = {"path": "/healthz", "verb": "get"}


@pytest.fixture
def server(with_history: Callable[[int], SmallServer]) -> SmallServer:
    return with_history(100)


def review(server: SmallServer, path: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    version = path.split("/")[2] + "/v1"
    body = {"apiVersion": version, "kind": kind, "metadata": {}, "spec": spec}
    answer: dict[str, Any] = server.request("POST", path, body)
    return answer


@pytest.mark.parametrize(
    ("path", "kind", "spec"),
    [
        ("subjectaccessreviews", "SubjectAccessReview", {"resourceAttributes": PODS, "user": "jane"}),
        ("subjectaccessreviews", "SubjectAccessReview", {"nonResourceAttributes": PATH, "groups": ["g"]}),
        ("selfsubjectaccessreviews", "SelfSubjectAccessReview", {"resourceAttributes": PODS}),
        (
            "namespaces/default/localsubjectaccessreviews",
            "LocalSubjectAccessReview",
            {"resourceAttributes": PODS, "user": "jane"},
        ),
    ],
)
def test_everything_is_allowed(server: SmallServer, path: str, kind: str, spec: dict[str, Any]) -> None:
    answer = review(server, f"{AUTHORIZATION}/{path}", kind, spec)
    assert answer["status"] == {"allowed": True}
    assert answer["spec"] == spec


def test_a_local_review_is_about_its_own_namespace(server: SmallServer) -> None:
    spec = {"resourceAttributes": {**PODS, "namespace": "elsewhere"}, "user": "jane"}
    with pytest.raises(StatusError) as refused:
        review(
            server,
            f"{AUTHORIZATION}/namespaces/default/localsubjectaccessreviews",
            "LocalSubjectAccessReview",
            spec,
        )
    assert "must match metadata.namespace" in str(refused.value)


def test_a_client_is_an_administrator(server: SmallServer) -> None:
    answer = review(server, f"{AUTHENTICATION}/selfsubjectreviews", "SelfSubjectReview", {})
    assert answer["status"]["userInfo"] == {
        "username": "kubernetes-admin",
        "groups": ["system:masters", "system:authenticated"],
    }


def test_a_token_that_nobody_issued_is_nobodys(server: SmallServer) -> None:
    answer = review(server, f"{AUTHENTICATION}/tokenreviews", "TokenReview", {"token": "x"})
    assert answer["status"] == {"user": {}, "error": "invalid bearer token"}


def test_a_client_may_do_everything(server: SmallServer) -> None:
    path = f"{AUTHORIZATION}/selfsubjectrulesreviews"
    answer = review(server, path, "SelfSubjectRulesReview", {"namespace": "default"})
    assert answer["status"]["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    assert answer["status"]["incomplete"] is False


def test_a_review_is_no_table(server: SmallServer) -> None:
    kind = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    body = {**kind, "spec": {"nonResourceAttributes": PATH}}
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    answer = ask(server, f"{AUTHORIZATION}/selfsubjectaccessreviews", "POST", body, accept=accept)
    assert answer.code == 406
    assert answer.json()["reason"] == "NotAcceptable"
