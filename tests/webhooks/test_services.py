"""The option `webhook_services` sets the addresses of webhooks that are Kubernetes Services."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from fakeapi.cli.main import main
from fakeapi.clients.control import ControlClient, ControlError
from fakeapi.registry.webhooks.outbound import SERVICES_MAX, ServiceUrlError, ServiceUrls
from fakeapi.testing.server import FakeAPI
from tests.webhooks.conftest import config_map, configure, refusal, webhook
from tests.webhooks.server import WebhookServer

START = 'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: '


def service(ca: bytes = b"", **more: Any) -> dict[str, Any]:
    config: dict[str, Any] = {"service": {"namespace": "ns", "name": "hook", **more}}
    return {**config, "caBundle": base64.b64encode(ca).decode()} if ca else config


def test_a_service_is_called_at_its_url_and_known_by_its_own_name(
    webhooks: Callable[..., WebhookServer], fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = webhooks(names=("hook.ns.svc",))
    api = fakeapi_factory(webhook_services=[f"ns/hook={server.url}"])
    configure(api, "Validating", webhook(service(server.ca, path="/v", port=8443)))
    api.create(config_map())
    assert server.targets == ["/v?timeout=10s"]
    assert server.headers[0]["Host"] == "hook.ns.svc:8443"


def test_a_certificate_of_the_url_is_not_one_of_the_service(
    webhooks: Callable[..., WebhookServer], fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = webhooks()
    api = fakeapi_factory(webhook_services=[f"ns/hook={server.url}"])
    configure(api, "Validating", webhook(service(server.ca)))
    why = "tls: failed to verify certificate: x509: certificate is valid for localhost, not hook.ns.svc"
    message = refusal(lambda: api.create(config_map())).message
    assert message == f'{START}Post "https://hook.ns.svc:443/?timeout=10s": {why}'


def test_plain_http_saves_the_certificates_and_a_path_comes_first(
    webhooks: Callable[..., WebhookServer], fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = webhooks(tls=False)
    api = fakeapi_factory(
        webhook_services=[f"ns/hook:443={server.url}/prefix/", "ns/hook=http://127.0.0.1:1"]
    )
    configure(api, "Validating", webhook(service(path="/v")))
    api.create(config_map())
    assert server.targets == ["/prefix/v?timeout=10s"]


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (None, 'service "hook" not found'),
        ({"clusterIP": "None"}, 'cannot route to service with ClusterIP "None"'),
        ({"clusterIP": "10.0.0.77"}, "dial tcp 10.0.0.77:443: connect: connection refused"),
        ({"ports": [{"port": 80}]}, 'no service port 443 found for service "hook"'),
        (
            {"type": "ExternalName", "externalName": "a.example"},
            "dial tcp a.example:443: connect: connection refused",
        ),
    ],
)
def test_a_service_without_a_url_cannot_be_reached(api: FakeAPI, spec: Any, why: str) -> None:
    api.create_namespace("ns")
    if spec is not None:
        body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hook", "namespace": "ns"}}
        api.create({**body, "spec": {"ports": [{"port": 443}], **spec}})
    configure(api, "Validating", webhook(service(path="/v")))
    refused = refusal(lambda: api.create(config_map()))
    assert refused.message == f'{START}Post "https://hook.ns.svc:443/v?timeout=10s": {why}'


def test_texts_that_say_where_services_are() -> None:
    urls = ServiceUrls.parse(["a/b=https://h:1", "a/b:8443 = http://h:2/p/", "a/c=http://[::1]:3"])
    assert urls.find("a", "b", 443) == "https://h:1"
    assert urls.find("a", "b", 8443) == "http://h:2/p"
    assert urls.find("a", "c", 9) == "http://[::1]:3"
    assert urls.find("b", "b", 443) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a=https://h",
        "a/b",
        "a/=https://h",
        "a/b=h",
        "a/b=ftp://h",
        "a/b:0=https://h",
        "a/b:99999=https://h",
        "a/b:x=https://h",
        "a/b=https://h:0",
        "a/b=https://h:99999",
        "a/b=https://h?q=1",
        "a/b=https://u:p@h",
    ],
)
def test_a_text_that_says_no_such_thing_is_refused(text: str) -> None:
    with pytest.raises(ServiceUrlError, match=r"is not of the form NAMESPACE/NAME\[:PORT\]=URL"):
        ServiceUrls.parse([text])


def test_the_command_refuses_such_a_text() -> None:
    result = CliRunner().invoke(main, ["serve", "--port", "0", "--webhook-service", "odd"])
    assert result.exit_code == 2
    assert "'odd' is not of the form NAMESPACE/NAME[:PORT]=URL" in result.output


def test_a_pattern_is_called_for_all_services_that_match(
    webhooks: Callable[..., WebhookServer], fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = webhooks(names=("hook.ns.svc",))
    api = fakeapi_factory(webhook_services=[f"n*/*ook={server.url}", "ns/other=http://127.0.0.1:1"])
    configure(api, "Validating", webhook(service(server.ca)))
    api.create(config_map())
    assert server.targets == ["/?timeout=10s"]


def test_an_exact_service_comes_before_patterns_and_a_later_pattern_before_an_earlier_one() -> None:
    urls = ServiceUrls.parse(["a/b=http://h:1", "*/*=http://h:2", "a/*:8443=http://h:3"])
    assert urls.find("a", "b", 8443) == "http://h:1"
    assert urls.find("a", "c", 8443) == "http://h:3"
    assert urls.find("a", "c", 443) == "http://h:2"


def test_services_are_added_and_removed_by_the_control_api(
    webhooks: Callable[..., WebhookServer], fakeapi_factory: Callable[..., FakeAPI]
) -> None:
    server = webhooks(names=("hook.ns.svc",))
    api = fakeapi_factory()
    configure(api, "Validating", webhook(service(server.ca)))
    with ControlClient(api.url) as control:
        control.post("/webhook-services", {"service": "*/hook", "url": server.url})
        assert control.get("/webhook-services") == {"services": {"*/hook": server.url}}
        api.create(config_map())
        control.delete("/webhook-services?service=*/hook")
        assert control.get("/webhook-services") == {"services": {}}
        with pytest.raises(ControlError, match="has no URL"):
            control.delete("/webhook-services?service=*/hook")
        with pytest.raises(ControlError, match="is not of the form"):
            control.post("/webhook-services", {"service": "hook", "url": server.url})
    assert 'service "hook" not found' in refusal(lambda: api.create(config_map())).message


def test_no_more_than_the_named_number_of_services_are_added() -> None:
    urls = ServiceUrls()
    for number in range(SERVICES_MAX):
        urls.add(f"ns/{number}=http://127.0.0.1:1")
    urls.add("ns/0=http://127.0.0.1:2")
    with pytest.raises(ServiceUrlError, match="more than 1000 services"):
        urls.add("ns/more=http://127.0.0.1:1")
