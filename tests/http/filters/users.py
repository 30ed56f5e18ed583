"""A server with service accounts, and requests as somebody."""

from typing import Any

from tests.http.asking import Served, ask

CORE = "/api/v1/namespaces/default"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def token_of(api: Served, name: str = "sa", **spec: Any) -> str:
    """A token of a service account, which is made where it is not there yet."""
    ask(api, f"{CORE}/serviceaccounts", "POST", {"metadata": {"name": name}})
    made = ask(api, f"{CORE}/serviceaccounts/{name}/token", "POST", {"spec": spec})
    token: str = made.json()["status"]["token"]
    return token


def user_seen(api: Served, **headers: str) -> dict[str, Any]:
    """The user that the server takes a client for."""
    answer = ask(api, REVIEW, "POST", {}, **headers)
    assert answer.code == 201, answer.body
    user: dict[str, Any] = answer.json()["status"]["userInfo"]
    return user


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}
