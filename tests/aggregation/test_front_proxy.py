"""A server authenticates itself to the servers behind APIServices, which then trust its headers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.authentication.settings import FrontProxySettings
from fakeapi.clients.errors import StatusError
from fakeapi.serving.start_error import StartError
from tests.aggregation.services import METRICS, condition, delegate, served
from tests.authentication.conftest import Authority

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "readings.metrics.example.com"},
    "spec": {
        "group": "metrics.example.com",
        "names": {"kind": "Reading", "plural": "readings"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}


@pytest.fixture
def proxies(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "proxies")


def proxy_settings(proxies: Authority) -> FrontProxySettings:
    return FrontProxySettings(
        client_ca=proxies.file,
        allowed_names=("aggregator",),
        user_headers=("X-Remote-User",),
        uid_headers=("X-Remote-Uid",),
        group_headers=("X-Remote-Group",),
        extra_prefixes=("X-Remote-Extra-",),
    )


@pytest.fixture
def backend(fakeapi_factory: Callable[..., FakeAPI], proxies: Authority) -> FakeAPI:
    api = fakeapi_factory(
        release="1.34",
        tls=True,
        front_proxy=proxy_settings(proxies),
        anonymous="rejected",
        authorization="rbac",
    )
    api.create(DEFINITION)
    return api


def test_the_server_behind_an_apiservice_knows_the_user_by_the_certificate_of_the_aggregator(
    fakeapi_factory: Callable[..., FakeAPI], backend: FakeAPI, proxies: Authority
) -> None:
    certificate = proxies.certificate("aggregator")
    front = delegate(
        fakeapi_factory, backend.url, proxy_client_cert=certificate, proxy_client_key=certificate
    )
    assert front.request("GET", f"{METRICS}/namespaces/default/readings")["kind"] == "ReadingList"
    assert backend.requests.filter("list readings")[-1].user == "kubernetes-admin"


@pytest.mark.parametrize("name", [None, "stranger"])
def test_an_apiservice_is_not_available_without_a_certificate_that_its_server_trusts(
    fakeapi_factory: Callable[..., FakeAPI], backend: FakeAPI, proxies: Authority, name: str | None
) -> None:
    options = {}
    if name is not None:
        certificate = proxies.certificate(name)
        options = {"proxy_client_cert": certificate, "proxy_client_key": certificate}
    front = served(fakeapi_factory, backend.url, **options)
    assert condition(front, "FailedDiscoveryCheck")["message"].endswith(f"{METRICS}: 401")


def test_the_configmap_extension_apiserver_authentication_names_the_trusted_cas_and_headers(
    fakeapi_factory: Callable[..., FakeAPI], tmp_path: Path, proxies: Authority
) -> None:
    clients = Authority(tmp_path)
    twice = tmp_path / "twice.pem"
    twice.write_text(f"comment\n{clients.file.read_text()}{clients.file.read_text()}".replace("\n", "\r\n"))
    api = fakeapi_factory(release="1.34", tls=True, client_ca=twice, front_proxy=proxy_settings(proxies))
    data = api.get("ConfigMap", "extension-apiserver-authentication", namespace="kube-system")["data"]
    assert data.pop("client-ca-file") == clients.file.read_text()
    assert data.pop("requestheader-client-ca-file") == proxies.file.read_text()
    assert {key: json.loads(value) for key, value in data.items()} == {
        "requestheader-allowed-names": ["aggregator"],
        "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
        "requestheader-group-headers": ["X-Remote-Group"],
        "requestheader-uid-headers": ["X-Remote-Uid"],
        "requestheader-username-headers": ["X-Remote-User"],
    }


def test_the_configmap_names_no_uid_headers_before_1_33(
    fakeapi_factory: Callable[..., FakeAPI], proxies: Authority
) -> None:
    api = fakeapi_factory(release="1.32", tls=True, front_proxy=proxy_settings(proxies))
    data = api.get("ConfigMap", "extension-apiserver-authentication", namespace="kube-system")["data"]
    assert "requestheader-uid-headers" not in data
    assert "client-ca-file" not in data


def test_a_server_that_trusts_no_ca_has_no_configmap_extension_apiserver_authentication(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    names = [obj["metadata"]["name"] for obj in fakeapi_factory().list("ConfigMap", namespace="kube-system")]
    assert names == ["kube-apiserver-legacy-service-account-token-tracking"]


def test_a_changed_client_certificate_is_presented_to_the_server_behind_an_apiservice(
    fakeapi_factory: Callable[..., FakeAPI],
    backend: FakeAPI,
    proxies: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fakeapi.followed_files.CHECK_SECONDS", 0.0)
    used = tmp_path / "used.pem"
    used.write_bytes(proxies.certificate("aggregator").read_bytes())
    front = delegate(fakeapi_factory, backend.url, proxy_client_cert=used, proxy_client_key=used)
    used.write_bytes(proxies.certificate("stranger").read_bytes())
    with pytest.raises(StatusError, match="401 Unauthorized"):
        front.request("GET", f"{METRICS}/namespaces/default/readings")


def test_a_client_certificate_that_is_unusable_or_has_no_key_is_refused(proxies: Authority) -> None:
    with pytest.raises(StartError, match=r"are not a certificate and its key"):
        FakeAPI(proxy_client_cert=proxies.file, proxy_client_key=proxies.file).start()
    with pytest.raises(ValueError, match="proxy_client_cert and proxy_client_key: set both"):
        FakeAPI(proxy_client_cert=proxies.file)
