"""The reviews that webhooks receive agree with a kube-apiserver that got the same requests."""

from typing import Any

import httpx
import pytest

from fakeapi.testing.server import FakeAPI
from tests.webhooks.conftest import ADMISSION, RULE, config_map, configure, refusal, webhook
from tests.webhooks.server import WebhookServer, allowed, denied, patching

Object = dict[str, Any]
PODS = {**RULE, "resources": ["pods"]}
OTHER_UID = {"op": "add", "path": "/metadata/uid", "value": "other"}


@pytest.fixture
def managing(fakeapi_factory: Any) -> FakeAPI:
    """Returns a server whose objects have managedFields."""
    server: FakeAPI = fakeapi_factory(release="1.37")
    return server


def pod(name: str = "p", **spec: Any) -> Object:
    containers = [{"name": "main", "image": "x"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": containers, **spec},
    }


def deletes(hook: WebhookServer) -> list[Object]:
    return [request for _, request in hook.asked if request["operation"] == "DELETE"]


def test_the_delete_of_a_pod_without_a_node_is_reviewed_before_both_writes(
    api: FakeAPI, hook: WebhookServer
) -> None:
    api.create(pod())
    configure(api, "Validating", webhook(hook.client_config(), rules=[PODS]))
    api.delete("Pod", "p", options={"gracePeriodSeconds": 5})
    before, marked = deletes(hook)
    assert [request["options"]["gracePeriodSeconds"] for request in (before, marked)] == [0, 0]
    assert "deletionTimestamp" not in before["oldObject"]["metadata"]
    assert marked["oldObject"]["metadata"]["deletionGracePeriodSeconds"] == 0


def test_a_delete_that_waits_for_the_grace_period_is_reviewed_once(api: FakeAPI, hook: WebhookServer) -> None:
    api.create(pod(nodeName="n", terminationGracePeriodSeconds=30))
    configure(api, "Validating", webhook(hook.client_config(), rules=[PODS]))
    api.delete("Pod", "p")
    api.delete("Pod", "p", options={"gracePeriodSeconds": 40})
    assert [request["options"]["gracePeriodSeconds"] for request in deletes(hook)] == [30]


def test_a_negative_grace_period_is_reviewed_as_one_second(api: FakeAPI, hook: WebhookServer) -> None:
    api.create(config_map())
    configure(api, "Validating", webhook(hook.client_config()))
    api.delete("ConfigMap", "m", options={"gracePeriodSeconds": -1})
    assert [request["options"]["gracePeriodSeconds"] for request in deletes(hook)] == [1]


def test_a_delete_that_removes_finalizers_is_reviewed_twice(api: FakeAPI, hook: WebhookServer) -> None:
    created = config_map()
    created["metadata"]["finalizers"] = ["foregroundDeletion"]
    api.create(created)
    configure(api, "Validating", webhook(hook.client_config()))
    api.delete("ConfigMap", "m", options={"propagationPolicy": "Background"})
    assert len(deletes(hook)) == 2


def test_the_delete_of_a_namespace_is_reviewed_once_with_its_uid(api: FakeAPI, hook: WebhookServer) -> None:
    created = api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "own"}})
    rules = [{**RULE, "resources": ["namespaces"]}]
    configure(api, "Validating", webhook(hook.client_config(), rules=rules))
    for _ in range(2):
        api.request("DELETE", "/api/v1/namespaces/own")
    (request,) = deletes(hook)
    assert request["options"]["preconditions"] == {"uid": created["metadata"]["uid"]}


def test_a_renamed_namespace_keeps_its_name_in_later_reviews(api: FakeAPI, hook: WebhookServer) -> None:
    rules = [{**RULE, "resources": ["namespaces"]}]
    configure(
        api,
        "Mutating",
        webhook(hook.client_config("/renames"), "a.example.com", rules=rules),
        webhook(hook.client_config("/later"), "b.example.com", rules=rules),
    )
    hook.answers["/renames"] = patching({"op": "replace", "path": "/metadata/name", "value": "renamed"})
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "own"}})
    _, (_, later) = hook.asked
    assert (later["name"], later["namespace"]) == ("own", "own")
    assert later["object"]["metadata"]["name"] == "renamed"


def test_a_generated_name_of_a_namespace_is_not_the_namespace_of_its_review(
    api: FakeAPI, hook: WebhookServer
) -> None:
    configure(api, "Validating", webhook(hook.client_config(), rules=[{**RULE, "resources": ["namespaces"]}]))
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "n-"}})
    ((_, request),) = hook.asked
    assert request["name"].startswith("n-")
    assert "namespace" not in request


@pytest.mark.parametrize("verb", ["create", "apply"])
def test_a_uid_of_a_patch_reaches_later_webhooks_but_is_not_stored(
    api: FakeAPI, hook: WebhookServer, verb: str
) -> None:
    configure(
        api,
        "Mutating",
        webhook(hook.client_config("/uid"), "a.example.com"),
        webhook(hook.client_config("/later"), "b.example.com"),
    )
    hook.answers["/uid"] = patching(OTHER_UID)
    if verb == "create":
        created = api.create(config_map())
    else:
        created = api.patch("ConfigMap", "m", config_map(), type="apply", fieldManager="me")
    _, (_, later) = hook.asked
    assert later["object"]["metadata"]["uid"] == "other"
    assert created["metadata"]["uid"] != "other"
    assert created["metadata"]["creationTimestamp"]


def test_validating_webhooks_see_the_resource_version_of_a_new_object(
    api: FakeAPI, hook: WebhookServer
) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = denied(message="no")
    created = config_map()
    created["metadata"]["resourceVersion"] = "1"
    refusal(lambda: api.create(created))
    assert hook.asked[0][1]["object"]["metadata"]["resourceVersion"] == "1"


def test_webhooks_see_the_resource_version_of_a_put_that_creates(api: FakeAPI, hook: WebhookServer) -> None:
    rules = [{**RULE, "apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}]
    configure(api, "Mutating", webhook(hook.client_config("/m"), rules=rules), name="one")
    configure(api, "Validating", webhook(hook.client_config("/v"), rules=rules), name="other")
    metadata = {"name": "l", "resourceVersion": "7"}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata}
    api.request("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", lease)
    assert [request["object"]["metadata"]["resourceVersion"] for _, request in hook.asked] == ["7", "7"]


def test_a_webhook_that_renames_an_applied_object_does_not_move_it(api: FakeAPI, hook: WebhookServer) -> None:
    api.create(config_map("renamed"))
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching({"op": "replace", "path": "/metadata/name", "value": "renamed"})
    applied = api.patch("ConfigMap", "m", config_map(), type="apply", fieldManager="me")
    assert applied["metadata"]["name"] == "renamed"
    assert api.request("GET", "/api/v1/namespaces/default/configmaps/m")["metadata"]["name"] == "renamed"


def test_a_review_omits_empty_lists_as_go_does(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config(), rules=[PODS]))
    api.create(pod(imagePullSecrets=[]))
    assert "imagePullSecrets" not in hook.asked[0][1]["object"]["spec"]


def test_a_delete_has_the_warnings_of_webhooks(api: FakeAPI, hook: WebhookServer) -> None:
    api.create(config_map())
    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = allowed(warnings=["be careful", ""])
    answer = httpx.delete(f"{api.url}/api/v1/namespaces/default/configmaps/m")
    assert answer.headers.get_list("warning") == ['299 - "be careful"']


def test_a_denial_with_retry_after_seconds_has_the_header(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Validating", webhook(hook.client_config()))
    hook.answers["/"] = denied(code=429, details={"retryAfterSeconds": 2})
    answer = httpx.post(f"{api.url}/api/v1/namespaces/default/configmaps", json=config_map())
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "2")


def test_the_first_patch_of_a_managed_object_counts_as_a_change(
    managing: FakeAPI, hook: WebhookServer
) -> None:
    configure(
        managing,
        "Mutating",
        webhook(hook.client_config("/first"), "first.example.com", reinvocationPolicy="IfNeeded"),
        webhook(hook.client_config("/same"), "same.example.com"),
    )
    hook.answers["/same"] = patching({"op": "add", "path": "/data", "value": {"a": "b"}})
    managing.request(
        "POST", "/api/v1/namespaces/default/configmaps?fieldManager=me", config_map(data={"a": "b"})
    )
    assert hook.names_asked() == ["/first", "/same", "/first"]


def test_the_first_patch_counts_as_a_change_if_another_manager_applies_equal_fields(
    managing: FakeAPI, hook: WebhookServer
) -> None:
    managing.create(config_map(data={"a": "b"}))
    configure(
        managing,
        "Mutating",
        webhook(hook.client_config("/first"), "first.example.com", reinvocationPolicy="IfNeeded"),
        webhook(hook.client_config("/same"), "same.example.com"),
    )
    hook.answers["/same"] = patching({"op": "add", "path": "/data", "value": {"a": "b"}})
    managing.patch("ConfigMap", "m", config_map(data={"a": "b"}), type="apply", fieldManager="other")
    assert hook.names_asked() == ["/first", "/same", "/first"]


def test_invalid_managed_fields_are_restored_after_both_rounds(
    managing: FakeAPI, hook: WebhookServer
) -> None:
    fields = [{"operation": "Apply", "manager": "m"}]
    configure(
        managing,
        "Mutating",
        webhook(hook.client_config("/bad"), "a.example.com", reinvocationPolicy="IfNeeded"),
        webhook(hook.client_config("/label"), "b.example.com", reinvocationPolicy="IfNeeded"),
    )
    hook.answers["/bad"] = patching({"op": "add", "path": "/metadata/managedFields", "value": fields})
    hook.answers["/label"] = patching({"op": "add", "path": "/metadata/labels", "value": {"a": "b"}})
    managing.request("POST", "/api/v1/namespaces/default/configmaps", config_map())
    assert hook.names_asked() == ["/bad", "/label", "/bad"]


@pytest.mark.parametrize(("release", "line"), [("1.31", 100), ("1.34", 110), ("1.37", 111)])
def test_an_unknown_kind_names_the_line_of_the_scheme(
    fakeapi_factory: Any, hook: WebhookServer, release: str, line: int
) -> None:
    server: FakeAPI = fakeapi_factory(release=release)
    configure(server, "Validating", webhook(hook.client_config()))
    hook.raw["/"] = (200, {}, b'{"kind": "Review", "apiVersion": "admission.k8s.io/v1"}')
    assert refusal(lambda: server.create(config_map())).message.endswith(f'scheme.go:{line}"')
    server.request("DELETE", f"{ADMISSION}/validatingwebhookconfigurations/hooks")
