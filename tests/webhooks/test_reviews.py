"""The server calls admission webhooks for access and token reviews, although it never stores these."""

from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.webhooks.conftest import configure, refusal, webhook
from tests.webhooks.server import WebhookServer, denied, patching

ACCESS = "authorization.k8s.io"
WHAT = {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "nowhere"}}
REVIEWS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    (ACCESS, "subjectaccessreviews", "SubjectAccessReview", {**WHAT, "user": "u"}),
    (ACCESS, "selfsubjectaccessreviews", "SelfSubjectAccessReview", WHAT),
    (ACCESS, "selfsubjectrulesreviews", "SelfSubjectRulesReview", {"namespace": "default"}),
    (ACCESS, "localsubjectaccessreviews", "LocalSubjectAccessReview", {**WHAT, "user": "u"}),
    ("authentication.k8s.io", "tokenreviews", "TokenReview", {"token": "t"}),
    ("authentication.k8s.io", "selfsubjectreviews", "SelfSubjectReview", {}),
)
OF_REVIEWS = {
    "apiGroups": ["authorization.k8s.io", "authentication.k8s.io"],
    "apiVersions": ["v1"],
    "operations": ["CREATE"],
    "resources": ["*"],
}


def path_of(group: str, resource: str) -> str:
    namespace = "/namespaces/nowhere" if resource.startswith("local") else ""
    return f"/apis/{group}/v1{namespace}/{resource}"


def review(group: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": f"{group}/v1", "kind": kind, **({"spec": spec} if spec else {})}


@pytest.mark.parametrize(("group", "resource", "kind", "spec"), REVIEWS, ids=[each[1] for each in REVIEWS])
def test_a_webhook_may_refuse_a_review(
    api: FakeAPI, hook: WebhookServer, group: str, resource: str, kind: str, spec: dict[str, Any]
) -> None:
    hook.answers["/v"] = denied(message="not asked here")
    configure(api, "Validating", webhook(hook.client_config("/v"), rules=[OF_REVIEWS]))
    refused = refusal(lambda: api.request("POST", path_of(group, resource), review(group, kind, spec)))
    assert refused.message == 'admission webhook "hook.example.com" denied the request: not asked here'
    ((_, request),) = hook.asked
    assert (request["resource"]["resource"], request["operation"]) == (resource, "CREATE")
    assert request["object"].get("spec", {}) == spec | request["object"].get("spec", {})
    assert "name" not in request


def test_a_review_that_is_not_valid_is_refused_before_webhooks_validate_it(
    api: FakeAPI, hook: WebhookServer
) -> None:
    configure(api, "Validating", webhook(hook.client_config("/v"), rules=[OF_REVIEWS]))
    body = review(ACCESS, "SubjectAccessReview", {})
    refused = refusal(
        lambda: api.request("POST", path_of(ACCESS, "subjectaccessreviews"), {**body, "spec": {}})
    )
    assert refused.code == 422
    assert hook.asked == []


def test_a_webhook_may_change_what_a_review_asks(api: FakeAPI, hook: WebhookServer) -> None:
    hook.answers["/m"] = patching(
        {"op": "replace", "path": "/spec/resourceAttributes/fieldSelector", "value": {"rawSelector": "%"}}
    )
    configure(api, "Mutating", webhook(hook.client_config("/m"), rules=[OF_REVIEWS]))
    body = review(ACCESS, "SelfSubjectAccessReview", WHAT)
    body["spec"] = {
        "resourceAttributes": {**WHAT["resourceAttributes"], "fieldSelector": {"rawSelector": "a=b"}}
    }
    answer = api.request("POST", path_of(ACCESS, "selfsubjectaccessreviews"), body)
    assert answer["spec"]["resourceAttributes"]["fieldSelector"] == {"rawSelector": "%"}
    assert answer["status"]["allowed"] is True


def test_a_webhook_is_told_of_a_binding(api: FakeAPI, hook: WebhookServer) -> None:
    hook.answers["/v"] = denied()
    rule = {**OF_REVIEWS, "apiGroups": [""], "resources": ["bindings"]}
    configure(api, "Validating", webhook(hook.client_config("/v"), rules=[rule]))
    body = {"metadata": {"name": "p"}, "target": {"name": "n"}}
    refusal(lambda: api.request("POST", "/api/v1/namespaces/default/bindings", body))
    ((_, request),) = hook.asked
    assert request["resource"] == {"group": "", "version": "v1", "resource": "bindings"}
