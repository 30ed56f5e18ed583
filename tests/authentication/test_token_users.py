"""A token file with several users authenticates each user by a token, as --token-auth-file does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fakeapi.authentication import token_users
from fakeapi.authentication.token_users import TokenUsersError, read_token_users
from fakeapi.testing.server import FakeAPI, StartError
from tests.http.asking import ask
from tests.http.filters.users import bearer, user_seen

REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"


def test_each_line_is_a_user_with_groups(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text('a,jane,7,"developers,testers"\n\nb,john,8\n,nobody,9\na,janet,10\n')
    users = read_token_users(file)
    assert set(users) == {"a", "b"}
    assert (users["a"].name, users["a"].uid, users["a"].groups) == ("janet", "10", ("system:authenticated",))
    assert users["b"].groups == ("system:authenticated",)


def test_system_anonymous_is_not_authenticated(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text("a,system:anonymous,1\nb,jane,2,system:unauthenticated\n")
    users = read_token_users(file)
    assert [users[token].groups for token in "ab"] == [(), ("system:unauthenticated",)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,jane\n", "must have at least 3 columns (token, user name, user uid), found 2"),
        (b"\xff,a,b\n", "is not UTF-8"),
        (b'"a\n', "is not CSV"),
    ],
)
def test_a_file_that_is_no_table_of_users_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "tokens.csv"
    file.write_bytes(content)
    with pytest.raises(TokenUsersError) as refused:
        read_token_users(file)
    assert words in str(refused.value)


def test_a_file_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text("a,b,c\n")
    monkeypatch.setattr(token_users, "TOKEN_FILE_BYTES", 5)
    with pytest.raises(TokenUsersError, match="cannot read the token file"):
        read_token_users(file)


@pytest.fixture
def api(tmp_path: Path, fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    file = tmp_path / "tokens.csv"
    file.write_text('t0k,jane,7,"developers,testers"\n')
    file.chmod(0o600)
    return fakeapi_factory(release="1.34", token_file=file)


def test_the_server_knows_the_user_of_a_token(api: FakeAPI) -> None:
    user = user_seen(api, **bearer("t0k"))
    assert (user["username"], user["uid"]) == ("jane", "7")
    assert user["groups"] == ["developers", "testers", "system:authenticated"]


def test_other_tokens_and_no_token_are_unauthorized(api: FakeAPI) -> None:
    for headers in ({}, bearer("other"), bearer("T0K")):
        assert ask(api, "/api/v1/pods", **headers).code == 401


def test_a_review_names_the_user_of_a_token(api: FakeAPI) -> None:
    answer = ask(api, REVIEWS, "POST", {"spec": {"token": "t0k"}}, **bearer("t0k")).json()
    assert answer["status"]["authenticated"] is True
    assert answer["status"]["user"]["username"] == "jane"
    assert answer["status"]["audiences"] == ["https://kubernetes.default.svc"]


def test_a_review_for_another_audience_does_not(api: FakeAPI) -> None:
    spec = {"token": "t0k", "audiences": ["vault"]}
    answer = ask(api, REVIEWS, "POST", {"spec": spec}, **bearer("t0k")).json()
    assert "authenticated" not in answer["status"]


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cannot read the token file"):
        FakeAPI(token_users=tmp_path / "none").start()
