"""Impersonation: requests in which a client acts as another user with Impersonate headers."""

from collections.abc import Callable

import pytest

from fakeapi.authorization import impersonation
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.http.filters.users import CORE, RBAC, bearer, token_of, user_seen

NOBODY = {"impersonate_group": "g"}
WITHOUT_USER = "requested [{Group  g    }] without impersonating a user"
WITHOUT_NAME = '&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)}'


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    return fakeapi_factory(release="1.33")


@pytest.mark.parametrize(
    ("headers", "name", "groups"),
    [
        ({"impersonate_user": "jane"}, "jane", ["system:authenticated"]),
        (
            {"impersonate_user": "jane", "impersonate_group": "dev"},
            "jane",
            ["dev", "system:authenticated"],
        ),
        (
            {"impersonate_user": "jane", "impersonate_group": "system:unauthenticated"},
            "jane",
            ["system:unauthenticated"],
        ),
        ({"impersonate_user": "system:anonymous"}, "system:anonymous", ["system:unauthenticated"]),
        (
            {"impersonate_user": "system:serviceaccount:ns:sa"},
            "system:serviceaccount:ns:sa",
            ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
        ),
        (
            {"impersonate_user": "system:serviceaccount:ns:sa", "impersonate_group": "dev"},
            "system:serviceaccount:ns:sa",
            ["dev", "system:authenticated"],
        ),
    ],
)
def test_a_client_is_whom_it_impersonates(
    api: FakeAPI, headers: dict[str, str], name: str, groups: list[str]
) -> None:
    user = user_seen(api, **headers)
    assert (user["username"], user["groups"]) == (name, groups)


def test_uid_and_extra_values_are_impersonated_too(api: FakeAPI) -> None:
    extra = {"impersonate_extra_Scopes": "view", "impersonate_extra_acme.com%2Fteam": "a"}
    user = user_seen(api, impersonate_user="jane", impersonate_uid="7", **extra)
    assert user["uid"] == "7"
    assert user["extra"] == {"acme.com/team": ["a"], "scopes": ["view"]}


@pytest.mark.parametrize(
    ("release", "gates", "code", "words"),
    [
        (
            "1.34",
            {},
            500,
            f'Internal Server Error: "{CORE}/pods": {WITHOUT_USER}\n',
        ),
        ("1.35", {}, 400, WITHOUT_USER),
        (
            "1.35",
            {"ConstrainedImpersonation": True},
            400,
            f"requested {WITHOUT_NAME} without impersonating a user name",
        ),
    ],
)
def test_groups_without_a_user_are_refused(
    fakeapi_factory: Callable[..., FakeAPI], release: str, gates: dict[str, bool], code: int, words: str
) -> None:
    answer = ask(fakeapi_factory(release=release, feature_gates=gates), f"{CORE}/pods", **NOBODY)
    assert answer.code == code
    assert words == (answer.json()["message"] if code == 400 else answer.body.decode())


def allow(api: FakeAPI, user: str, *rules: dict[str, list[str]]) -> None:
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    ask(api, f"{RBAC}/clusterroles", "POST", {"metadata": {"name": user}, "rules": list(rules)})
    binding = {"metadata": {"name": user}, "roleRef": reference, "subjects": [subject]}
    ask(api, f"{RBAC}/clusterrolebindings", "POST", binding)


def rule(verb: str, group: str, resource: str, *names: str) -> dict[str, list[str]]:
    return {"apiGroups": [group], "resources": [resource], "verbs": [verb], "resourceNames": list(names)}


LIST_PODS = rule("list", "", "pods")
AUTHENTICATION = "authentication.k8s.io"


@pytest.fixture
def limited(fakeapi_factory: Callable[..., FakeAPI]) -> Callable[[str], FakeAPI]:
    """Returns a function that starts an RBAC server of a release.

    Only the users jane and system:node:n may list pods on this server.
    """

    def start(release: str) -> FakeAPI:
        api = fakeapi_factory(release=release, authorization="rbac")
        allow(api, "jane", LIST_PODS)
        allow(api, "system:node:n", LIST_PODS)
        return api

    return start


def test_a_user_needs_leave_for_all_that_it_impersonates(limited: Callable[[str], FakeAPI]) -> None:
    api = limited("1.33")
    token = bearer(token_of(api))
    leave = rule("impersonate", "", "users", "jane"), rule("impersonate", "", "groups", "dev")
    allow(api, "system:serviceaccount:default:sa", *leave)
    for more in ({}, {"impersonate_group": "dev"}):
        assert ask(api, f"{CORE}/pods", impersonate_user="jane", **more, **token).code == 200
    for more in ({"impersonate_group": "ops"}, {"impersonate_uid": "7"}, {"impersonate_extra_x": "y"}):
        assert ask(api, f"{CORE}/pods", impersonate_user="jane", **more, **token).code == 403


def test_a_service_account_that_may_not_impersonate_is_refused(limited: Callable[[str], FakeAPI]) -> None:
    api = limited("1.33")
    answer = ask(api, f"{CORE}/pods", impersonate_user="jane", **bearer(token_of(api)))
    assert answer.code == 403
    assert answer.json()["message"] == (
        'users "jane" is forbidden: User "system:serviceaccount:default:sa" cannot impersonate resource '
        '"users" in API group "" at the cluster scope'
    )


def test_constrained_impersonation_asks_for_the_mode_and_the_request(
    limited: Callable[[str], FakeAPI],
) -> None:
    api = limited("1.36")
    token = bearer(token_of(api))
    account = "system:serviceaccount:default:sa"
    refused = ask(api, f"{CORE}/pods", impersonate_user="jane", **token)
    assert refused.json()["message"] == (
        f'pods is forbidden: User "{account}" cannot impersonate-on:user-info:list resource "pods" in API '
        'group "" in the namespace "default"'
    )
    allow(api, account, rule("impersonate-on:user-info:list", "", "pods"))
    refused = ask(api, f"{CORE}/pods", impersonate_user="jane", **token)
    assert refused.json()["message"] == (
        f'users.authentication.k8s.io "jane" is forbidden: User "{account}" cannot impersonate:user-info '
        'resource "users" in API group "authentication.k8s.io" at the cluster scope'
    )
    ask(api, f"{RBAC}/clusterroles/{account}", "DELETE")
    more = rule("impersonate:user-info", AUTHENTICATION, "users", "jane")
    rules = [rule("impersonate-on:user-info:list", "", "pods"), more]
    ask(api, f"{RBAC}/clusterroles", "POST", {"metadata": {"name": account}, "rules": rules})
    assert ask(api, f"{CORE}/pods", impersonate_user="jane", **token).code == 200
    in_masters = {"impersonate_user": "jane", "impersonate_group": "system:masters"}
    refused = ask(api, f"{CORE}/pods", **in_masters, **token)
    assert "impersonating the system:masters group is not allowed" in refused.json()["message"]
    assert ask(api, f"{CORE}/pods/x", impersonate_user="jane", **token).code == 403


@pytest.mark.parametrize(
    ("release", "groups"),
    [("1.33", ["system:authenticated"]), ("1.36", ["system:nodes", "system:authenticated"])],
)
def test_a_node_has_its_group_where_impersonation_is_constrained(
    fakeapi_factory: Callable[..., FakeAPI], release: str, groups: list[str]
) -> None:
    api = fakeapi_factory(release=release)
    assert user_seen(api, impersonate_user="system:node:n1")["groups"] == groups


def test_the_last_mode_of_impersonation_is_asked_first_and_words_the_refusal(
    limited: Callable[[str], FakeAPI],
) -> None:
    api = limited("1.36")
    token = bearer(token_of(api))
    account = "system:serviceaccount:default:sa"
    allow(api, account, rule("impersonate", "", "users", "jane"))
    assert "impersonate-on" in ask(api, f"{CORE}/pods", impersonate_user="joe", **token).json()["message"]
    assert ask(api, f"{CORE}/pods", impersonate_user="jane", **token).code == 200
    refused = ask(api, f"{CORE}/pods", impersonate_user="joe", **token)
    assert refused.json()["message"] == (
        f'users "joe" is forbidden: User "{account}" cannot impersonate resource "users" in API group "" at '
        "the cluster scope"
    )


def test_no_more_last_modes_are_known_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(impersonation, "LAST_MODES_MAX", 2)
    modes: list[impersonation._Mode] = [impersonation._as_node, impersonation._as_other]
    last_modes = impersonation.LastModes()
    for username in ("a", "b", "a", "c"):
        last_modes.note(username, modes[1])
    assert [last_modes.first(username, modes)[0] is modes[1] for username in "abc"] == [True, False, True]
