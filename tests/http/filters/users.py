"""Helps tests of users: creates tokens of service accounts, and reads the authenticated user."""

from typing import Any

from tests.http.asking import Served, ask

CORE = "/api/v1/namespaces/default"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEW = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def token_of(api: Served, name: str = "sa", **spec: Any) -> str:
    """Creates a service account if it does not exist; returns a new token of it.

    `spec`: the fields of the TokenRequest.
    """
    ask(api, f"{CORE}/serviceaccounts", "POST", {"metadata": {"name": name}})
    response = ask(api, f"{CORE}/serviceaccounts/{name}/token", "POST", {"spec": spec})
    token: str = response.json()["status"]["token"]
    return token


def user_seen(api: Served, **headers: str) -> dict[str, Any]:
    """Returns the user that the server authenticates from these headers, with a SelfSubjectReview."""
    answer = ask(api, REVIEW, "POST", {}, **headers)
    assert answer.code == 201, answer.body
    user: dict[str, Any] = answer.json()["status"]["userInfo"]
    return user


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}
