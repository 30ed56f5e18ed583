"""The server reads the query parameter `timeout` before it authenticates the client."""

import pytest

from fakeapi.http.filters.deadline import TIMEOUT_LENGTH_MAX
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask

REFUSED = "invalid timeout specified in the request URL - "


@pytest.mark.parametrize(
    ("timeout", "message"),
    [
        ("5000" * 2_000, f"longer than {TIMEOUT_LENGTH_MAX} characters"),
        ("1h" * TIMEOUT_LENGTH_MAX, f"longer than {TIMEOUT_LENGTH_MAX} characters"),
        ("1", 'time: missing unit in duration "1"'),
        ("9" * 20 + "h", f'time: invalid duration "{"9" * 20}h"'),
    ],
)
@pytest.mark.fakeapi(token="secret")
def test_one_that_is_no_duration_or_too_long_is_refused_at_once(
    fakeapi: FakeAPI, timeout: str, message: str
) -> None:
    answer = ask(fakeapi, f"/version?timeout={timeout}")
    assert (answer.code, answer.json()["message"]) == (400, REFUSED + message)


def test_a_timeout_of_the_greatest_length_is_read(fakeapi: FakeAPI) -> None:
    assert ask(fakeapi, f"/version?timeout={'1s' * (TIMEOUT_LENGTH_MAX // 2)}").code == 200


def test_a_watch_is_not_asked_for_one(fakeapi: FakeAPI) -> None:
    assert ask(fakeapi, "/api/v1/namespaces?watch=1&timeoutSeconds=-1&timeout=soon").code == 200
