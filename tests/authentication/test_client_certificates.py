"""A client certificate of the CAs in `client_ca` authenticates the user that its subject names."""

import datetime as dt
import http.client
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fakeapi import followed_files
from fakeapi.authentication import certificate_users
from fakeapi.testing.server import FakeAPI, StartError
from tests.authentication.client import TLSClient
from tests.authentication.conftest import Authority

Start = Callable[..., FakeAPI]
Connect = Callable[..., TLSClient]
REFUSED = (ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)


@pytest.fixture
def api(fakeapi_factory: Start, authority: Authority) -> FakeAPI:
    return fakeapi_factory(release="1.34", tls=True, client_ca=authority.file)


def test_the_common_name_is_the_user_and_the_organization_a_group(
    api: FakeAPI, authority: Authority, connect: Connect
) -> None:
    user = connect(api, authority.certificate("jane", "developers")).user()
    assert user["username"] == "jane"
    assert user["groups"] == ["developers", "system:authenticated"]
    [credential] = user["extra"]["authentication.kubernetes.io/credential-id"]
    assert credential.startswith("X509SHA256=")


def test_up_to_1_31_the_user_of_a_certificate_has_no_credential_id(
    fakeapi_factory: Start, authority: Authority, connect: Connect
) -> None:
    api = fakeapi_factory(release="1.31", tls=True, client_ca=authority.file)
    assert "extra" not in connect(api, authority.certificate("jane")).user()


def test_http2_requests_have_the_user_of_the_certificate_too(
    api: FakeAPI, authority: Authority, tmp_path: Path
) -> None:
    import httpx

    assert api.ca_file is not None
    context = ssl.create_default_context(cafile=str(api.ca_file))
    context.load_cert_chain(authority.certificate("jane"))
    with httpx.Client(http2=True, verify=context) as client:
        url = f"{api.url}/apis/authentication.k8s.io/v1/selfsubjectreviews"
        answer = client.post(url, json={"kind": "SelfSubjectReview"})
    assert answer.http_version == "HTTP/2"
    assert answer.json()["status"]["userInfo"]["username"] == "jane"


@pytest.mark.parametrize("path", ["/api/v1/pods", "/version"])
def test_a_client_without_credentials_is_unauthorized(api: FakeAPI, connect: Connect, path: str) -> None:
    assert connect(api).send("GET", path).code == 401


def test_a_client_without_credentials_may_check_the_health(api: FakeAPI, connect: Connect) -> None:
    assert connect(api).send("GET", "/readyz").code == 200


def test_the_owner_of_the_server_has_a_token(api: FakeAPI) -> None:
    assert api.token
    assert api.token in api.kubeconfig.read_text(encoding="utf-8")
    assert api.list("pods") == []


def test_a_certificate_of_another_ca_with_the_same_name_is_refused(
    api: FakeAPI, connect: Connect, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    forged = Authority(tmp_path / "other").certificate("jane", "system:masters")
    with pytest.raises(REFUSED):
        connect(api, forged).user()


def test_an_expired_certificate_is_refused(api: FakeAPI, authority: Authority, connect: Connect) -> None:
    yesterday = dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
    with pytest.raises(REFUSED):
        connect(api, authority.certificate("jane", not_after=yesterday)).user()


def test_a_certificate_that_expires_while_its_connection_is_open_is_unauthorized(
    api: FakeAPI, authority: Authority, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = connect(api, authority.certificate("jane"))
    assert client.send("GET", "/api/v1/pods").code == 200

    class Later:
        @staticmethod
        def time() -> float:
            return 1e12

    monkeypatch.setattr(certificate_users, "time", Later)
    assert client.send("GET", "/api/v1/pods").code == 401


def test_a_common_name_is_never_a_group(
    fakeapi_factory: Start, authority: Authority, connect: Connect
) -> None:
    api = fakeapi_factory(release="1.34", tls=True, client_ca=authority.file, authorization="rbac")
    client = connect(api, authority.certificate("system:masters", "system:masters,other"))
    assert client.user()["groups"] == ["system:masters,other", "system:authenticated"]
    assert client.send("GET", "/api/v1/pods").code == 403
    admin = connect(api, authority.certificate("admin", "system:masters"))
    assert admin.send("GET", "/api/v1/pods").code == 200


def test_headers_of_a_front_proxy_mean_nothing_without_one(
    api: FakeAPI, authority: Authority, connect: Connect
) -> None:
    client = connect(api, authority.certificate("jane"))
    assert client.user(X_Remote_User="admin", X_Remote_Group="system:masters")["username"] == "jane"


def test_a_certificate_counts_before_a_bad_token(
    api: FakeAPI, authority: Authority, connect: Connect
) -> None:
    client = connect(api, authority.certificate("jane"))
    assert client.user(Authorization="Bearer nonsense")["username"] == "jane"
    assert connect(api).send("GET", "/api/v1/pods", Authorization="Bearer nonsense").code == 401


def test_a_certificate_without_a_common_name_proves_nobody(
    api: FakeAPI, authority: Authority, connect: Connect
) -> None:
    certificate = authority.certificate(None, "system:masters")
    assert connect(api, certificate).send("GET", "/api/v1/pods").code == 401


def test_anonymous_requests_are_those_of_system_anonymous(
    fakeapi_factory: Start, authority: Authority, connect: Connect
) -> None:
    options: dict[str, Any] = {"tls": True, "client_ca": authority.file, "authorization": "rbac"}
    api = fakeapi_factory(release="1.34", anonymous="user", **options)
    client = connect(api)
    assert [client.send("GET", path).code for path in ("/readyz", "/version", "/api/v1/pods")] == [
        200,
        200,
        403,
    ]
    api = fakeapi_factory(release="1.34", anonymous="rejected", **options)
    assert connect(api).send("GET", "/readyz").code == 401


def test_a_replaced_ca_counts_for_new_connections(
    api: FakeAPI, authority: Authority, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed_files, "CHECK_SECONDS", 0.0)
    old = connect(api, authority.certificate("jane"))
    assert old.user()["username"] == "jane"
    (tmp_path / "new").mkdir()
    renewed = Authority(tmp_path / "new")
    authority.file.write_bytes(renewed.file.read_bytes())
    assert connect(api, renewed.certificate("john")).user()["username"] == "john"
    with pytest.raises(REFUSED):
        old.user()


def test_an_unusable_new_ca_file_leaves_the_old_one(
    api: FakeAPI, authority: Authority, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed_files, "CHECK_SECONDS", 0.0)
    authority.file.write_text("nonsense")
    assert connect(api, authority.certificate("jane")).user()["username"] == "jane"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"client_ca": "ca.pem"}, "client_ca: client certificates need HTTPS"),
        ({"tls_cert": "tls.crt"}, "tls_cert and tls_key: set both"),
    ],
)
def test_options_that_miss_another_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FakeAPI(**options)


@pytest.mark.parametrize(
    "content", [None, "", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_a_server_without_a_usable_ca_does_not_start(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(StartError, match=r"ca\.pem"):
        FakeAPI(tls=True, client_ca=file).start()


def test_the_control_api_is_for_administrators(api: FakeAPI, authority: Authority, connect: Connect) -> None:
    path = "/_fakeapi/faults"
    assert connect(api).send("GET", path).code == 401
    assert connect(api, authority.certificate("jane")).send("GET", path).code == 403
    assert connect(api, authority.certificate("root", "system:masters")).send("GET", path).code == 200
