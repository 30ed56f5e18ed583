"""The server calls admission and conversion webhooks for custom objects."""

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


def converting(request: Object) -> Object:
    """Returns the response to a ConversionReview. Sets `color` to a text that names the requested version."""
    version = request["desiredAPIVersion"]
    made = [
        {**each, "apiVersion": version, "spec": {**each["spec"], "color": f"as {version.rpartition('/')[2]}"}}
        for each in request["objects"]
    ]
    return {"result": {"status": "Success"}, "convertedObjects": made}


def with_conversion(hook: WebhookServer) -> Object:
    webhook = {"clientConfig": hook.client_config("/convert"), "conversionReviewVersions": ["v1"]}
    hook.answers["/convert"] = converting
    return definition("v1", "v2", conversion={"strategy": "Webhook", "webhook": webhook})


def test_objects_are_converted_by_the_webhook_of_their_definition(api: FakeAPI, hook: WebhookServer) -> None:
    api.install(with_conversion(hook))
    created = api.create(widget(version="v2", size=1))
    assert created["spec"]["color"] == "as v2"  # stored as v1, and converted when it is read
    path = "/apis/example.com/{}/namespaces/default/widgets"
    assert api.request("GET", path.format("v1") + "/w")["spec"]["color"] == "as v1"
    assert api.request("GET", path.format("v2") + "/w")["spec"]["color"] == "as v2"
    api.create(widget("x", version="v1", size=1))
    hook.asked.clear()
    listed = api.request("GET", path.format("v2"))
    assert [each["spec"]["color"] for each in listed["items"]] == ["as v2", "as v2"]
    assert len(hook.asked) <= 1


def test_a_conversion_that_fails_fails_the_read_in_upstream_s_words(
    api: FakeAPI, hook: WebhookServer
) -> None:
    api.install(with_conversion(hook))
    api.create(widget(size=1))
    hook.answers["/convert"] = lambda request: {"result": {"status": "Failed", "message": "no way"}}
    path = "/apis/example.com/v2/namespaces/default/widgets/w"
    refused = refusal(lambda: api.request("GET", path))
    message = "conversion webhook for example.com/v1, Kind=Widget failed: no way"
    assert (refused.code, refused.message) == (500, message)


def test_an_admission_webhook_is_told_what_the_conversion_webhook_makes(
    api: FakeAPI, hook: WebhookServer
) -> None:
    api.install(with_conversion(hook))
    configure(api, "Mutating", webhook(hook.client_config("/m"), rules=[RULE]))
    configure(api, "Validating", webhook(hook.client_config("/v"), rules=[RULE]))
    hook.answers["/m"] = patching({"op": "replace", "path": "/spec/size", "value": 7})
    created = api.create(widget(version="v2", size=1))
    assert created["spec"] == {"size": 7, "color": "as v2"}
    told = {path: request for path, request in hook.asked if path != "/convert"}
    assert told["/m"]["object"]["spec"] == {"size": 1, "color": "as v1"}
    assert told["/v"]["object"]["spec"] == {"size": 7, "color": "as v1"}
