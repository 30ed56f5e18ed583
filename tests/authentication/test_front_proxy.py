"""A front proxy names the user in headers. A certificate of the proxies' own CA authenticates the proxy."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from fakeapi import followed_files
from fakeapi.asgi import ClientCertificate
from fakeapi.authentication import issuers
from fakeapi.authentication.issuers import Issuers
from fakeapi.authentication.settings import FrontProxySettings
from fakeapi.testing.server import FakeAPI
from tests.authentication.client import TLSClient
from tests.authentication.conftest import Authority

Connect = Callable[..., TLSClient]


@pytest.fixture
def proxies(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "proxies")


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI], authority: Authority, proxies: Authority) -> FakeAPI:
    front_proxy = FrontProxySettings(
        client_ca=proxies.file,
        allowed_names=("aggregator",),
        user_headers=("X-Remote-User",),
        uid_headers=("X-Remote-Uid",),
        group_headers=("X-Remote-Group",),
        extra_prefixes=("X-Remote-Extra-",),
    )
    return fakeapi_factory(release="1.34", tls=True, client_ca=authority.file, front_proxy=front_proxy)


def test_the_headers_of_a_proxy_name_the_user(api: FakeAPI, proxies: Authority, connect: Connect) -> None:
    client = connect(api, proxies.certificate("aggregator"))
    user = client.user(
        X_Remote_User="jane",
        X_Remote_Uid="7",
        X_Remote_Group="testers",
        **{"X-Remote-Extra-Acme.com%2Fid": "1"},
    )
    assert (user["username"], user["uid"]) == ("jane", "7")
    assert user["groups"] == ["testers", "system:authenticated"]
    assert user["extra"] == {"acme.com/id": ["1"]}


def test_a_proxy_with_another_name_is_unauthorized(
    api: FakeAPI, proxies: Authority, connect: Connect
) -> None:
    client = connect(api, proxies.certificate("stranger"))
    assert client.send("GET", "/api/v1/pods", X_Remote_User="jane").code == 401


def test_the_certificate_of_a_proxy_is_not_a_user(api: FakeAPI, proxies: Authority, connect: Connect) -> None:
    client = connect(api, proxies.certificate("aggregator", "system:masters"))
    assert client.send("GET", "/api/v1/pods").code == 401


def test_the_certificate_of_a_user_does_not_let_headers_speak(
    api: FakeAPI, authority: Authority, connect: Connect
) -> None:
    client = connect(api, authority.certificate("aggregator"))
    assert client.user(X_Remote_User="admin", X_Remote_Group="system:masters")["username"] == "aggregator"


def test_the_control_api_believes_a_proxy_as_the_api_does(
    api: FakeAPI, authority: Authority, proxies: Authority, connect: Connect
) -> None:
    proxy = connect(api, proxies.certificate("aggregator"))
    path = "/_fakeapi/faults"
    assert proxy.send("GET", path, X_Remote_User="jane", X_Remote_Group="system:masters").code == 200
    user = connect(api, authority.certificate("jane"))
    assert user.send("GET", path, X_Remote_User="root", X_Remote_Group="system:masters").code == 403


def test_no_more_certificates_are_remembered_than_the_limit(
    proxies: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuers, "KNOWN_CERTIFICATES_MAX", 2)
    known = Issuers(proxies.file)
    for number in range(5):
        pem = proxies.certificate(f"proxy-{number}").read_bytes()
        der = x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER)
        assert known.have_issued(ClientCertificate((), 0.0, der))
        assert len(known._current()[1]) <= 2


def test_replaced_files_of_cas_count_for_users_and_proxies(
    api: FakeAPI,
    authority: Authority,
    proxies: Authority,
    connect: Connect,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(followed_files, "CHECK_SECONDS", 0.0)
    (tmp_path / "new").mkdir()
    renewed = Authority(tmp_path / "new")
    authority.file.write_bytes(proxies.file.read_bytes())
    proxies.file.write_bytes(renewed.file.read_bytes())
    former_proxy = connect(api, proxies.certificate("aggregator"))
    user = former_proxy.user(X_Remote_User="root", X_Remote_Group="system:masters")
    assert user["username"] == "aggregator"
    assert "system:masters" not in user["groups"]
    proxy = connect(api, renewed.certificate("aggregator"))
    assert proxy.user(X_Remote_User="jane")["username"] == "jane"
