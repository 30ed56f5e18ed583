"""Webhooks asked about custom objects."""

from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.webhooks.conftest import configure, refusal, webhook
from tests.webhooks.server import WebhookServer, denied, patching

Object = dict[str, Any]
GROUP = "example.com"
RULE = {
    "apiGroups": [GROUP],
    "apiVersions": ["v1"],
    "operations": ["*"],
    "resources": ["widgets", "widgets/*"],
}
SPEC = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "minimum": 1},
        "color": {"type": "string", "default": "red"},
        "parts": {"type": "object", "properties": {"count": {"type": "integer", "default": 3}}},
    },
}


def definition(*versions: str, **spec: Any) -> Object:
    schema = {"type": "object", "properties": {"spec": SPEC, "status": {"type": "object"}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": version == versions[0],
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }
                for version in versions
            ],
            **spec,
        },
    }


def widget(name: str = "w", version: str = "v1", **spec: Any) -> Object:
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Widget", "metadata": {"name": name}, "spec": spec}


@pytest.fixture
def widgets(api: FakeAPI) -> FakeAPI:
    api.install(definition("v1", "v2"))
    return api


def test_a_webhook_sees_a_custom_object_with_its_defaults(widgets: FakeAPI, hook: WebhookServer) -> None:
    configure(widgets, "Validating", webhook(hook.client_config(), rules=[RULE]))
    widgets.create(widget(size=1))
    ((_, request),) = hook.asked
    assert request["kind"] == {"group": GROUP, "version": "v1", "kind": "Widget"}
    assert request["object"]["spec"] == {"size": 1, "color": "red"}
    assert request["object"]["apiVersion"] == "example.com/v1"


def test_a_patch_of_a_custom_object_is_pruned_defaulted_and_validated(
    widgets: FakeAPI, hook: WebhookServer
) -> None:
    configure(widgets, "Mutating", webhook(hook.client_config(), rules=[RULE]))
    hook.answers["/"] = patching({"op": "add", "path": "/spec/parts", "value": {"odd": 1}})
    created = widgets.create(widget(size=1))
    assert created["spec"] == {"size": 1, "color": "red", "parts": {"count": 3}}
    hook.answers["/"] = patching({"op": "replace", "path": "/spec/size", "value": 0})
    refused = refusal(lambda: widgets.create(widget("x", size=1)))
    assert refused.code == 422
    assert "spec.size in body should be greater than or equal to 1" in refused.message


def test_updates_of_the_status_of_a_custom_object_are_told(widgets: FakeAPI, hook: WebhookServer) -> None:
    created = widgets.create(widget(size=1))
    configure(widgets, "Validating", webhook(hook.client_config(), rules=[RULE]))
    widgets.update_status({**created, "status": {}})
    widgets.delete("Widget", "w")
    told = [(request["operation"], request.get("subResource", "")) for _, request in hook.asked]
    assert told == [("UPDATE", "status"), ("DELETE", "")]
    assert hook.asked[1][1]["oldObject"]["spec"] == {"size": 1, "color": "red"}


def test_an_equivalent_version_of_a_custom_object_is_told(widgets: FakeAPI, hook: WebhookServer) -> None:
    configure(widgets, "Validating", webhook(hook.client_config(), rules=[RULE]))
    widgets.create(widget(version="v2", size=1))
    ((_, request),) = hook.asked
    assert (request["kind"]["version"], request["requestKind"]["version"]) == ("v1", "v2")
    assert request["object"]["apiVersion"] == "example.com/v1"


def test_a_patch_in_an_equivalent_version_is_converted_back(widgets: FakeAPI, hook: WebhookServer) -> None:
    configure(widgets, "Mutating", webhook(hook.client_config(), rules=[RULE]))
    hook.answers["/"] = patching({"op": "replace", "path": "/spec/size", "value": 7})
    created = widgets.create(widget(version="v2", size=1))
    assert (created["apiVersion"], created["spec"]["size"]) == ("example.com/v2", 7)


def test_definitions_themselves_can_be_refused(api: FakeAPI, hook: WebhookServer) -> None:
    rule = {**RULE, "apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"]}
    configure(api, "Validating", webhook(hook.client_config(), rules=[rule]))
    hook.answers["/"] = denied(message="no widgets")
    assert "no widgets" in refusal(lambda: api.create(definition("v1"))).message
