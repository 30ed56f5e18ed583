"""Mutating webhooks: their patches, the order of calls, and reinvocation."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.webhooks.conftest import RULE, config_map, configure, refusal, webhook
from tests.webhooks.server import WebhookServer, allowed, denied, patching

Object = dict[str, Any]
START = 'Internal error occurred: failed calling webhook "hook.example.com": '


def label(name: str) -> Object:
    """Returns a JSON patch operation that adds a label to an object that already has labels."""
    return {"op": "add", "path": f"/metadata/labels/{name}", "value": "x"}


def test_a_patch_changes_a_new_object(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching({"op": "add", "path": "/data", "value": {"a": "b"}})
    created = api.create(config_map(), fieldManager="me")
    assert created["data"] == {"a": "b"}
    assert "managedFields" not in created["metadata"]
    assert hook.asked[0][1]["object"]["metadata"] == {
        "name": "m",
        "namespace": "default",
        "creationTimestamp": None,
    }


def test_a_patch_changes_updates_patches_and_applies(api: FakeAPI, hook: WebhookServer) -> None:
    created = api.create(config_map(labels={"a": "1"}))
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching(label("seen"))
    updated = api.update({**created, "data": {"a": "1"}})
    assert updated["metadata"]["labels"] == {"a": "1", "seen": "x"}
    patched = api.patch("ConfigMap", "m", {"metadata": {"labels": {"seen": None}}})
    assert patched["metadata"]["labels"] == {"a": "1", "seen": "x"}
    applied = api.patch(
        "ConfigMap", "n", config_map("n", labels={"b": "1"}), type="apply", fieldManager="me", force="true"
    )
    assert applied["metadata"]["labels"] == {"b": "1", "seen": "x"}
    assert hook.asked[-1][1]["operation"] == "CREATE"
    assert hook.asked[-1][1]["options"] == {
        "kind": "CreateOptions",
        "apiVersion": "meta.k8s.io/v1",
        "fieldManager": "me",
    }


OTHER_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request"


def test_a_patch_cannot_move_an_object_to_another_namespace(api: FakeAPI, hook: WebhookServer) -> None:
    created = api.create(config_map())
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching({"op": "add", "path": "/metadata/namespace", "value": "kube-system"})
    writes: list[Callable[[], Any]] = [
        lambda: api.create(config_map("n")),
        lambda: api.create({**config_map(), "metadata": {"generateName": "n-"}}),
        lambda: api.create(config_map("n"), dryRun="All"),
        lambda: api.update({**created, "data": {"a": "1"}}),
        lambda: api.patch("ConfigMap", "m", {"data": {"a": "1"}}),
        lambda: api.patch("ConfigMap", "m", config_map(), type="apply", fieldManager="me"),
        lambda: api.patch("ConfigMap", "n", config_map("n"), type="apply", fieldManager="me"),
    ]
    for write in writes:
        refused = refusal(write)
        assert (refused.code, refused.reason, refused.message) == (400, "BadRequest", OTHER_NAMESPACE)
    assert [item["metadata"]["name"] for item in api.list("ConfigMap", namespace="default")] == ["m"]


def test_a_namespace_that_a_patch_removes_is_filled_in_again(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching({"op": "remove", "path": "/metadata/namespace"})
    created = api.create(config_map())
    assert api.update({**created, "data": {"a": "1"}})["metadata"]["namespace"] == "default"


def test_a_namespace_that_a_patch_adds_to_a_cluster_scoped_object_is_dropped(
    api: FakeAPI, hook: WebhookServer
) -> None:
    rule = {**RULE, "resources": ["namespaces"]}
    configure(api, "Mutating", webhook(hook.client_config(), rules=[rule]))
    hook.answers["/"] = patching({"op": "add", "path": "/metadata/namespace", "value": "kube-system"})
    created = api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}})
    assert "namespace" not in created["metadata"]


def test_a_patch_names_a_new_object_and_cannot_rename_a_stored_one(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching({"op": "add", "path": "/metadata/name", "value": "renamed"})
    api.create(config_map())
    stored = api.get("ConfigMap", "renamed")
    hook.answers["/"] = patching({"op": "add", "path": "/metadata/name", "value": "again"})
    refused = refusal(lambda: api.update({**stored, "data": {"a": "1"}}))
    assert (refused.code, refused.reason) == (422, "Invalid")
    assert "metadata.name: Invalid value" in refused.message


def test_a_patch_cannot_choose_uid_or_resource_version(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    uid: Object = {"op": "add", "path": "/metadata/uid", "value": "mine"}
    version: Object = {"op": "add", "path": "/metadata/resourceVersion", "value": "1"}
    hook.answers["/"] = patching(uid)
    created = api.create(config_map())
    assert created["metadata"]["uid"] != "mine"
    refused = refusal(lambda: api.update({**created, "data": {"a": "1"}}))
    assert (refused.code, refused.reason) == (422, "Invalid")
    assert "metadata.uid: Invalid value" in refused.message
    hook.answers["/"] = patching(version)
    assert refusal(lambda: api.update({**created, "data": {"a": "1"}})).code == 409
    refused = refusal(lambda: api.create(config_map("n")))
    assert refused.message == "resourceVersion should not be set on objects to be created"


def test_what_a_patch_adds_is_defaulted_and_validated(api: FakeAPI, hook: WebhookServer) -> None:
    rule = {**RULE, "resources": ["pods"]}
    configure(api, "Mutating", webhook(hook.client_config(), rules=[rule]))
    container = {"name": "side", "image": "car"}
    hook.answers["/"] = patching({"op": "add", "path": "/spec/containers/-", "value": container})
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    created = api.create(pod)
    assert created["spec"]["containers"][1]["terminationMessagePolicy"] == "File"
    hook.answers["/"] = patching({"op": "replace", "path": "/spec/containers/0/name", "value": "No"})
    refused = refusal(lambda: api.create({**pod, "metadata": {"name": "q"}}))
    assert (refused.code, refused.reason) == (422, "Invalid")


def test_webhooks_are_asked_in_the_order_of_names_of_configurations(
    api: FakeAPI, hook: WebhookServer
) -> None:
    names = ("b2", "b1")
    configure(
        api,
        "Mutating",
        *(webhook(hook.client_config(f"/{each}"), f"{each}.example.com") for each in names),
        name="b",
    )
    configure(api, "Mutating", webhook(hook.client_config("/a"), "a.example.com"), name="a")
    hook.answers["/a"] = patching(label("a"))
    hook.answers["/b2"] = patching(label("b2"))
    api.create(config_map(labels={"own": "1"}))
    assert hook.names_asked() == ["/a", "/b2", "/b1"]
    assert [sorted(request["object"]["metadata"]["labels"]) for _, request in hook.asked] == [
        ["own"],
        ["a", "own"],
        ["a", "b2", "own"],
    ]


def test_webhooks_that_want_it_are_asked_again_after_a_change(api: FakeAPI, hook: WebhookServer) -> None:
    configure(
        api,
        "Mutating",
        webhook(hook.client_config("/first"), "first.example.com", reinvocationPolicy="IfNeeded"),
        webhook(hook.client_config("/never"), "never.example.com"),
        webhook(hook.client_config("/changes"), "changes.example.com", reinvocationPolicy="IfNeeded"),
        webhook(hook.client_config("/last"), "last.example.com", reinvocationPolicy="IfNeeded"),
    )
    hook.answers["/changes"] = patching(label("changed"))
    api.create(config_map(labels={"own": "1"}))
    assert hook.names_asked() == ["/first", "/never", "/changes", "/last", "/first"]


def test_nobody_is_asked_again_where_a_patch_changes_nothing(api: FakeAPI, hook: WebhookServer) -> None:
    configure(
        api,
        "Mutating",
        webhook(hook.client_config("/changes"), "changes.example.com"),
        webhook(hook.client_config("/first"), "first.example.com", reinvocationPolicy="IfNeeded"),
        webhook(hook.client_config("/same"), "same.example.com"),
    )
    for path in ("/changes", "/same"):
        hook.answers[path] = patching({"op": "add", "path": "/data", "value": {"a": "b"}})
    api.create(config_map())
    assert hook.names_asked() == ["/changes", "/first", "/same"]


def test_a_selector_sees_what_webhooks_before_have_changed(api: FakeAPI, hook: WebhookServer) -> None:
    selected = {"matchLabels": {"seen": "x"}}
    configure(
        api,
        "Mutating",
        webhook(hook.client_config("/adds"), "adds.example.com"),
        webhook(hook.client_config("/selects"), "selects.example.com", objectSelector=selected),
    )
    hook.answers["/adds"] = patching(label("seen"))
    api.create(config_map(labels={"own": "1"}))
    assert hook.names_asked() == ["/adds", "/selects"]


def test_a_patch_in_another_version_is_converted_back(
    fakeapi_factory: Callable[..., FakeAPI], hook: WebhookServer
) -> None:
    api = fakeapi_factory(release="1.33")
    rule = {
        **RULE,
        "apiGroups": ["resource.k8s.io"],
        "apiVersions": ["v1beta2"],
        "resources": ["resourceclaims"],
    }
    configure(api, "Mutating", webhook(hook.client_config(), rules=[rule]))
    path = "/spec/devices/requests/0/exactly/deviceClassName"
    hook.answers["/"] = patching({"op": "replace", "path": path, "value": "other.example.com"})
    request = {"name": "gpu", "deviceClassName": "gpu.example.com"}
    created = api.create(
        {
            "apiVersion": "resource.k8s.io/v1beta1",
            "kind": "ResourceClaim",
            "metadata": {"name": "c"},
            "spec": {"devices": {"requests": [request]}},
        }
    )
    assert created["apiVersion"] == "resource.k8s.io/v1beta1"
    assert created["spec"]["devices"]["requests"][0]["deviceClassName"] == "other.example.com"


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ("1.33", "Internal error occurred: unexpected end of JSON input"),
        (
            "1.34",
            f"{START}received undecodable patch in webhook response: unexpected end of JSON input",
        ),
    ],
)
def test_a_patch_that_is_not_json_fails_as_in_the_release(
    fakeapi_factory: Callable[..., FakeAPI], hook: WebhookServer, release: str, message: str
) -> None:
    api = fakeapi_factory(release=release)
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = allowed(patch=base64.b64encode(b"[{").decode(), patchType="JSONPatch")
    assert refusal(lambda: api.create(config_map())).message == message


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (
            {"op": "remove", "path": "/data/none"},
            "error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
        ),
        (
            {"op": "add", "path": "/none/a", "value": 1},
            'add operation does not apply: doc is missing path: "/none/a": missing value',
        ),
        (
            {"op": "replace", "path": "/none/a", "value": 1},
            "replace operation does not apply: doc is missing path: /none/a: missing value",
        ),
        (
            {"op": "test", "path": "/kind", "value": "Pod"},
            "testing value /kind failed: test failed",
        ),
        ({"op": "odd", "path": "/kind"}, "Unexpected kind: odd"),
        (
            {"op": "replace", "path": "/data", "value": ["a"]},
            "json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string",
        ),
    ],
)
def test_a_patch_that_does_not_apply_is_an_internal_error(
    api: FakeAPI, hook: WebhookServer, operation: Object, why: str
) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching(operation)
    refused = refusal(lambda: api.create(config_map(data={"a": "b"})))
    assert (refused.code, refused.message) == (500, f"Internal error occurred: {why}")


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ({"patch": "W3t9XQ=="}, "webhook returned response.patch but not response.patchType"),
        ({"patchType": "JSONPatch"}, "webhook returned response.patchType but not response.patch"),
        ({"patch": "W3t9XQ==", "patchType": ""}, 'webhook returned invalid response.patchType of ""'),
    ],
)
def test_patch_and_type_come_together(api: FakeAPI, hook: WebhookServer, response: Object, why: str) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = allowed(**response)
    refused = refusal(lambda: api.create(config_map()))
    assert refused.message == f"{START}received invalid webhook response: {why}"


def test_an_unknown_type_of_patch_fails_the_call(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = allowed(patch="W3t9XQ==", patchType="Odd")
    assert refusal(lambda: api.create(config_map())).message == f'{START}unsupported patch type "Odd"'


def test_a_delete_cannot_be_changed(api: FakeAPI, hook: WebhookServer) -> None:
    api.create(config_map())
    configure(api, "Mutating", webhook(hook.client_config()))
    hook.answers["/"] = patching(label("x"))
    why = 'admission webhook "hook.example.com" attempted to modify the object'
    assert refusal(lambda: api.delete("ConfigMap", "m")).message == (
        f"Internal error occurred: {why}, which is not supported for this operation"
    )


def test_a_refusal_ends_the_round(api: FakeAPI, hook: WebhookServer) -> None:
    configure(
        api,
        "Mutating",
        webhook(hook.client_config("/a"), "a.example.com"),
        webhook(hook.client_config("/b"), "b.example.com"),
    )
    hook.answers["/a"] = denied(message="no")
    assert refusal(lambda: api.create(config_map())).code == 400
    assert hook.names_asked() == ["/a"]


def test_invalid_managed_fields_of_a_patch_are_taken_back(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    bad = [{"manager": "x", "operation": "Odd", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}}]
    hook.answers["/"] = patching({"op": "replace", "path": "/metadata/managedFields", "value": bad})
    created = api.create(config_map(data={"a": "b"}), fieldManager="me")
    assert [each["manager"] for each in created["metadata"]["managedFields"]] == ["me"]


def test_managed_fields_that_a_patch_adds_stay(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config()))
    fields: Object = {"f:data": {"f:a": {}}}
    added = {
        "manager": "x",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    hook.answers["/"] = patching({"op": "add", "path": "/metadata/managedFields/-", "value": added})
    created = api.create(config_map(data={"a": "b"}), fieldManager="me")
    assert [each["manager"] for each in created["metadata"]["managedFields"]] == ["me", "x"]


def test_a_dry_run_is_refused_for_a_webhook_that_has_side_effects(api: FakeAPI, hook: WebhookServer) -> None:
    configure(api, "Mutating", webhook(hook.client_config(), sideEffects="NoneOnDryRun"))
    api.create(config_map(), dryRun="All")
    assert hook.names_asked() == ["/"]
