"""The controller cert-manager issues Certificates and injects their CA into webhooks."""

import ssl
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.controllers.names import chosen


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(controllers=["cert-manager"]) as api:
        yield api


def certificate(*names: str) -> dict[str, Any]:
    spec = {"dnsNames": list(names), "secretName": "pair", "issuerRef": {"kind": "Issuer", "name": "self"}}
    return {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": {"name": "hook"},
        "spec": spec,
    }


def configuration() -> dict[str, Any]:
    hook = {
        "name": "a.example.com",
        "clientConfig": {"service": {"namespace": "default", "name": "hook"}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "hook", "annotations": {"cert-manager.io/inject-ca-from": "default/hook"}},
        "webhooks": [hook, {**hook, "name": "b.example.com"}],
    }


def secret(api: FakeAPI) -> dict[str, bytes]:
    found = api.request("GET", "/api/v1/namespaces/default/secrets/pair")
    assert found["type"] == "kubernetes.io/tls"
    return {name: b64decode(text) for name, text in found["data"].items()}


def authorities(api: FakeAPI) -> list[bytes]:
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hook"
    return [
        b64decode(each["clientConfig"].get("caBundle", "")) for each in api.request("GET", path)["webhooks"]
    ]


def test_a_certificate_has_a_secret_that_its_authority_has_signed(api: FakeAPI, tmp_path: Path) -> None:
    api.create(certificate("hook.default.svc"))
    api.settle()
    files = secret(api)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "tls.crt", tmp_path / "tls.key")
    assert ssl.create_default_context(cafile=str(tmp_path / "ca.crt")).get_ca_certs()
    path = "/apis/cert-manager.io/v1/namespaces/default/certificates/hook"
    [condition] = api.request("GET", path)["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("Ready", "True")


@pytest.mark.parametrize("is_certificate_first", [False, True])
def test_webhooks_get_the_authority_of_their_certificate(api: FakeAPI, *, is_certificate_first: bool) -> None:
    objects = [certificate("hook.default.svc"), configuration()]
    for obj in objects if is_certificate_first else reversed(objects):
        api.create(obj)
        api.settle()
    assert authorities(api) == [secret(api)["ca.crt"]] * 2


def test_the_secret_changes_only_if_the_names_change(api: FakeAPI) -> None:
    created = api.create(certificate("hook.default.svc"))
    api.settle()
    before = secret(api)
    created = api.request("GET", "/apis/cert-manager.io/v1/namespaces/default/certificates/hook")
    created["metadata"]["labels"] = {"changed": "yes"}
    path = "/apis/cert-manager.io/v1/namespaces/default/certificates/hook"
    created = api.request("PUT", path, created)
    api.settle()
    assert secret(api) == before
    created["spec"]["dnsNames"] = ["other.default.svc"]
    api.request("PUT", path, created)
    api.settle()
    assert secret(api)["tls.crt"] != before["tls.crt"]


def test_all_means_the_controllers_of_kubernetes() -> None:
    assert "cert-manager" not in chosen("all")
    assert set(chosen("all,cert-manager")) == {*chosen("all"), "cert-manager"}
