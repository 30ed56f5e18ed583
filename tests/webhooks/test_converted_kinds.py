"""A conversion webhook converts custom objects between their API versions."""

from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.testing.server import FakeAPI
from tests.registry.custom.world import DEFINITIONS, WIDGETS, definition, version, widget
from tests.webhooks.server import WebhookServer

NEW = WIDGETS.replace("/v1/", "/v2/")
OPEN = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}


def converting(hook: WebhookServer) -> dict[str, Any]:
    webhook = {"clientConfig": hook.client_config(), "conversionReviewVersions": ["v1"]}
    versions = [{**version("v1"), "schema": OPEN}, {**version("v2", storage=False), "schema": OPEN}]
    return definition(versions=versions, conversion={"strategy": "Webhook", "webhook": webhook})


def renamed(review: dict[str, Any]) -> dict[str, Any]:
    """Renames the field `size` of v1 to `width` of v2, or back; returns the ConversionReview's response."""
    target = review["desiredAPIVersion"]
    old, new = ("width", "size") if target.endswith("v1") else ("size", "width")
    objects = []
    for each in review["objects"]:
        spec = dict(each.get("spec") or {})
        if old in spec:
            spec[new] = spec.pop(old)
        objects.append({**each, "apiVersion": target, "spec": spec})
    return {"uid": review["uid"], "result": {"status": "Success"}, "convertedObjects": objects}


@pytest.fixture
def served(api: FakeAPI, hook: WebhookServer) -> FakeAPI:
    hook.answers["/"] = renamed
    api.request("POST", DEFINITIONS, converting(hook))
    return api


def test_every_verb_shows_and_takes_objects_in_its_version(served: FakeAPI) -> None:
    created = served.request("POST", NEW, widget(api_version="example.com/v2", spec={"width": 3}))
    assert created["spec"] == {"width": 3}
    assert served.request("GET", f"{WIDGETS}/w")["spec"] == {"size": 3}
    assert [each["spec"] for each in served.request("GET", NEW)["items"]] == [{"width": 3}]
    patched = served.request(
        "PATCH", f"{NEW}/w", {"spec": {"width": 4}}, content_type="application/merge-patch+json"
    )
    assert (patched["spec"], patched["metadata"]["generation"]) == ({"width": 4}, 2)
    applied = served.request(
        "PATCH",
        f"{WIDGETS}/w?fieldManager=m&force=true",
        widget(spec={"size": 5}),
        content_type="application/apply-patch+yaml",
    )
    assert applied["spec"] == {"size": 5}
    assert served.request("GET", f"{NEW}/w")["spec"] == {"width": 5}
    served.request("DELETE", f"{NEW}/w")
    assert served.request("GET", WIDGETS)["items"] == []


@pytest.mark.parametrize(("release", "line"), [("1.31", 100), ("1.34", 110), ("1.37", 111)])
def test_an_unknown_kind_names_the_line_of_the_scheme(
    fakeapi_factory: Any, hook: WebhookServer, release: str, line: int
) -> None:
    server: FakeAPI = fakeapi_factory(release=release)
    server.request("POST", DEFINITIONS, converting(hook))
    hook.raw["/"] = (200, {}, b'{"kind": "Review", "apiVersion": "apiextensions.k8s.io/v1"}')
    server.request("POST", WIDGETS, widget())
    with pytest.raises(StatusError, match=rf'scheme\.go:{line}"$'):
        server.request("GET", f"{NEW}/w")


def test_what_a_webhook_cannot_convert_is_an_error_of_the_server(
    served: FakeAPI, hook: WebhookServer
) -> None:
    served.request("POST", WIDGETS, widget(spec={"size": 3}))
    hook.answers["/"] = lambda review: {
        "uid": review["uid"],
        "result": {"status": "Failure", "message": "no width"},
    }
    with pytest.raises(StatusError, match=r"conversion webhook for .* failed: no width") as refused:
        served.request("GET", f"{NEW}/w")
    assert refused.value.code == 500
    assert served.request("GET", f"{WIDGETS}/w")["spec"] == {"size": 3}
