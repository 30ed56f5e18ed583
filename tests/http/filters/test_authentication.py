"""The server authenticates its own token and the tokens of service accounts."""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from fakeapi.clock.adjustable import AdjustableClock
from fakeapi.registry.identity import token_signer
from fakeapi.registry.identity.users import ANYBODY
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.http.filters.users import CORE, bearer, token_of, user_seen

ACCOUNT = "system:serviceaccount:default:sa"
ADMINISTRATOR = "kubernetes-admin"


@pytest.fixture
def api(frozen: Callable[[str], FakeAPI]) -> FakeAPI:
    return frozen("1.33")


def test_a_token_of_a_service_account_gives_its_user(api: FakeAPI) -> None:
    user = user_seen(api, **bearer(token_of(api)))
    assert user["username"] == ACCOUNT
    assert user["groups"] == [
        "system:serviceaccounts",
        "system:serviceaccounts:default",
        "system:authenticated",
    ]
    account = ask(api, f"{CORE}/serviceaccounts/sa").json()
    assert user["uid"] == account["metadata"]["uid"]
    assert list(user["extra"]) == ["authentication.kubernetes.io/credential-id"]


def test_the_user_of_a_bound_token_tells_of_pod_and_node(api: FakeAPI) -> None:
    containers = [{"name": "c", "image": "i"}]
    spec = {"serviceAccountName": "sa", "nodeName": "n", "containers": containers}
    ask(api, f"{CORE}/pods", "POST", {"metadata": {"name": "p"}, "spec": spec})
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p"}
    extra = user_seen(api, **bearer(token_of(api, boundObjectRef=reference)))["extra"]
    prefix = "authentication.kubernetes.io"
    assert extra[f"{prefix}/pod-name"] == ["p"]
    assert extra[f"{prefix}/node-name"] == ["n"]


@pytest.mark.parametrize(
    "header", ["", "Bearer nonsense", "Bearer a.b.c", "Basic YTpi", "Bearer  x", "Bearer"]
)
def test_a_server_without_a_token_takes_everybody_else_for_an_administrator(
    api: FakeAPI, header: str
) -> None:
    token_of(api)
    assert user_seen(api, authorization=header)["username"] == ADMINISTRATOR
    assert user_seen(api)["username"] == ADMINISTRATOR


def test_a_token_that_the_server_did_not_sign_is_like_none(api: FakeAPI) -> None:
    head, claims, _ = token_of(api).split(".")
    assert user_seen(api, **bearer(f"{head}.{claims}.AAAA"))["username"] == ADMINISTRATOR


def test_a_token_is_refused_once_it_has_expired(api: FakeAPI, clock: AdjustableClock) -> None:
    token = token_of(api, expirationSeconds=600)
    clock.advance(655)
    assert user_seen(api, **bearer(token))["username"] == ACCOUNT
    clock.advance(10)
    refused = ask(api, f"{CORE}/pods", **bearer(token))
    assert (refused.code, refused.json()["reason"]) == (401, "Unauthorized")


def test_a_token_for_others_is_refused(api: FakeAPI) -> None:
    assert ask(api, f"{CORE}/pods", **bearer(token_of(api, audiences=["vault"]))).code == 401


def test_a_token_is_refused_once_its_account_is_gone(api: FakeAPI) -> None:
    token = token_of(api)
    ask(api, f"{CORE}/serviceaccounts/sa", "DELETE")
    assert ask(api, f"{CORE}/pods", **bearer(token)).code == 401
    token_of(api)
    assert ask(api, f"{CORE}/pods", **bearer(token)).code == 401, "the new account has another uid"


def test_a_review_says_why_a_token_is_not_taken(api: FakeAPI, clock: AdjustableClock) -> None:
    token = token_of(api, expirationSeconds=600)

    def problem(**spec: object) -> str:
        path = "/apis/authentication.k8s.io/v1/tokenreviews"
        review = ask(api, path, "POST", {"spec": {"token": token, **spec}}).json()
        text: str = review["status"]["error"]
        return text

    assert problem(audiences=["other"]) == (
        '[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target '
        'audiences ["other"]]'
    )
    clock.advance(661)
    assert problem() == "[invalid bearer token, service account token has expired]"


def test_a_server_with_a_token_lets_service_accounts_in_too(fakeapi_factory: Callable[..., FakeAPI]) -> None:
    api = fakeapi_factory(release="1.33", token="secret")
    owner = bearer("secret")
    assert user_seen(api, **owner)["username"] == ADMINISTRATOR
    ask(api, f"{CORE}/serviceaccounts", "POST", {"metadata": {"name": "sa"}}, **owner)
    answer = ask(api, f"{CORE}/serviceaccounts/sa/token", "POST", {"spec": {}}, **owner)
    token = answer.json()["status"]["token"]
    assert user_seen(api, **bearer(token))["username"] == ACCOUNT
    for wrong in ({}, bearer("other"), bearer("a.b.c"), bearer(token[:-6] + "AAAAAA"), bearer("sécret")):
        assert ask(api, f"{CORE}/pods", **wrong).code == 401
    assert ask(api, "/healthz").code == 200


def test_no_more_tokens_are_remembered_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_signer, "KNOWN_TOKENS_MAX", 2)
    signer = token_signer.TokenSigner()
    tokens = [signer.sign({"sub": str(number)}) for number in range(5)]
    for _ in range(2):
        assert [(signer.claims_of(token) or {})["sub"] for token in tokens] == list("01234")
        assert len(signer._known) <= 2


def test_a_token_that_is_too_long_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    signer = token_signer.TokenSigner()
    token = signer.sign({"sub": "x" * 1000})
    for length, expected in ((len(token), "x" * 1000), (len(token) - 1, None)):
        monkeypatch.setattr(token_signer, "TOKEN_LENGTH_MAX", length)
        signer._known.clear()
        assert (signer.claims_of(token) or {}).get("sub") == expected


@pytest.mark.parametrize("token", ["nonsense", "a.b.c", "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"])
@pytest.mark.parametrize("path", [f"{CORE}/pods", "/version", "/healthz"])
def test_unknown_tokens_are_unauthorized_where_roles_decide(
    fakeapi_factory: Callable[..., FakeAPI], token: str, path: str
) -> None:
    api = fakeapi_factory(release="1.33", authorization="rbac")
    assert ask(api, path, **bearer(token)).code == 401
    assert ask(api, path).code == 200
    assert ask(api, path, authorization="Bearer ").code == 200


def test_a_token_with_another_signature_is_unauthorized_where_roles_decide(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    api = fakeapi_factory(release="1.33", authorization="rbac")
    token = token_of(api)
    assert ask(api, f"{CORE}/pods", **bearer(token)).code == 403
    assert ask(api, f"{CORE}/pods", **bearer(token[:-6] + "AAAAAA")).code == 401


def test_the_token_of_a_kubeconfig_without_credentials_is_an_administrators(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    api = fakeapi_factory(release="1.33", authorization="rbac")
    assert user_seen(api, **bearer(ANYBODY))["username"] == ADMINISTRATOR
    api = fakeapi_factory(release="1.33", authorization="rbac", token="secret")
    assert ask(api, f"{CORE}/pods", **bearer(ANYBODY)).code == 401


def test_tokens_stay_valid_when_the_server_starts_again_on_its_database(tmp_path: Path) -> None:
    database = str(tmp_path / "db")
    with FakeAPI(release="1.33", authorization="rbac", database=database) as api:
        keys = ask(api, "/openid/v1/jwks").json()
        token = token_of(api)
        assert ask(api, "/openid/v1/jwks").json() == keys
    with FakeAPI(release="1.33", authorization="rbac", database=database) as api:
        assert user_seen(api, **bearer(token))["username"] == ACCOUNT
        assert ask(api, f"{CORE}/pods", **bearer(token)).code == 403
        assert ask(api, "/openid/v1/jwks").json() == keys
        api.reset()
        assert user_seen(api, **bearer(token_of(api)))["username"] == ACCOUNT


def test_a_damaged_key_for_tokens_is_named(tmp_path: Path) -> None:
    database = str(tmp_path / "db")
    with FakeAPI(release="1.33", database=database) as api:
        token = token_of(api)
    with contextlib.closing(sqlite3.connect(database)) as file:
        file.execute("update label set value = 'x' where name = 'token-signing-key'")
        file.commit()
    with FakeAPI(release="1.33", database=database) as api:
        answer = ask(api, f"{CORE}/pods", **bearer(token))
        assert answer.code == 500
        assert "its key for tokens is unreadable" in answer.json()["message"]
