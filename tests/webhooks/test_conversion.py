"""The server handles responses of conversion webhooks as k8s.io/apiextensions-apiserver does."""

import asyncio
import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from fakeapi.outbound.posting import PostingClient
from fakeapi.registry.custom.conversion import Conversions
from fakeapi.registry.objects import ClusterObjects
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.offloading.rerun import completed
from fakeapi.registry.webhooks.clients import WebhookClients
from fakeapi.registry.webhooks.conversion import ConversionFailed, ConversionWebhook
from fakeapi.registry.webhooks.outbound import ServiceUrls
from fakeapi.releases import load_release
from tests.webhooks.server import WebhookServer

Object = dict[str, Any]
FIXTURE = Path(__file__).parents[2] / "fixtures/webhooks/conversions.json"
CASES: list[Object] = json.loads(FIXTURE.read_text(encoding="utf-8"))
OLD, NEW = "example.com/v1", "example.com/v2"
QUIRKS = load_release("1.34").quirks


def widget(name: str, api_version: str = OLD) -> Object:
    metadata = {
        "name": name,
        "namespace": "ns",
        "uid": f"uid-{name}",
        "resourceVersion": "7",
        "labels": {"a": "b"},
    }
    return {"apiVersion": api_version, "kind": "Widget", "metadata": metadata, "spec": {"x": 1}}


LIST = [widget("a"), widget("b", NEW), widget("c")]


class Converter:
    """Converts widgets with a webhook that always sends the same response text.

    In the text, the request's uid replaces $UID.
    """

    def __init__(self, server: WebhookServer) -> None:
        self.server = server
        self.versions = ["v1"]
        self.uid = ""

    def answer(self, text: str) -> None:
        def replace(path: str) -> None:
            self.uid = self.server.asked[-1][1]["uid"]
            self.server.raw["/"] = (200, {}, text.replace("$UID", self.uid).encode())

        self.server.before = replace

    def run(self, ask: Callable[[ConversionWebhook], Any]) -> Any:
        async def run() -> Any:
            transport = PostingClient()
            config = {"url": self.server.url, "caBundle": base64.b64encode(self.server.ca).decode()}
            clients = WebhookClients(transport, ServiceUrls(), cast(ClusterObjects, None), HeavySteps())
            try:
                return await ask(ConversionWebhook(clients, config, self.versions, QUIRKS))
            finally:
                transport.close()

        return asyncio.run(run())


@pytest.fixture
def converter(hook: WebhookServer) -> Converter:
    return Converter(hook)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_answer_is_taken_or_refused_as_upstream_does(converter: Converter, case: Object) -> None:
    converter.answer(case["answer"])
    converter.versions = [case["version"]]
    try:
        if case["list"]:
            result = converter.run(lambda webhook: webhook.convert_list(LIST, NEW, "WidgetList"))
        else:
            result = converter.run(lambda webhook: webhook.convert(widget("a"), NEW))
        error = ""
    except ConversionFailed as failed:
        result, error = None, str(failed)
    assert error == case["error"].replace("$UID", converter.uid)
    if not error:
        assert result == (case["result"]["items"] if case["list"] else case["result"])


def test_the_objects_of_other_versions_are_sent_in_one_request(converter: Converter) -> None:
    converter.answer(next(case["answer"] for case in CASES if case["name"] == "list fine"))
    converter.run(lambda webhook: webhook.convert_list(LIST, NEW, "WidgetList"))
    ((_, request),) = converter.server.asked
    assert request == {"uid": converter.uid, "desiredAPIVersion": NEW, "objects": [LIST[0], LIST[2]]}
    assert converter.server.targets == ["/?timeout=30s"]


def test_nobody_is_asked_about_objects_of_the_right_version(converter: Converter) -> None:
    assert converter.run(lambda webhook: webhook.convert(widget("a", NEW), NEW)) == widget("a", NEW)
    same = [widget("a", NEW)]
    assert converter.run(lambda webhook: webhook.convert_list(same, NEW, "WidgetList")) == same
    empty = {"kind": "Widget", "apiVersion": OLD}
    assert converter.run(lambda webhook: webhook.convert(empty, NEW)) == {**empty, "apiVersion": NEW}
    assert converter.server.asked == []


def test_a_webhook_that_cannot_be_reached_fails_the_conversion(converter: Converter) -> None:
    converter.server.raw["/"] = (503, {}, b"")
    with pytest.raises(ConversionFailed) as failed:
        converter.run(lambda webhook: webhook.convert(widget("a"), NEW))
    why = "the server is currently unable to handle the request"
    assert str(failed.value) == f"conversion webhook for {OLD}, Kind=Widget failed: {why}"


def test_a_number_of_converted_objects_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.registry.custom.conversion.KEPT_MAX", 2)

    class Webhook:
        calls = 0

        async def convert(self, obj: Object, api_version: str) -> Object:
            self.calls += 1
            return {**obj, "apiVersion": api_version}

    webhook = Webhook()
    conversions = Conversions(cast(ConversionWebhook, webhook))
    for name, calls in (("a", 1), ("b", 2), ("a", 2), ("c", 3), ("a", 4)):
        found = asyncio.run(completed(lambda name=name: conversions.convert(widget(name), NEW)))  # type: ignore[misc]
        assert found == widget(name, NEW)
        assert webhook.calls == calls
