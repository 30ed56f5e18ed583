"""Web pages of other sites cannot use a server that requires no token."""

import json

import pytest

from fakeapi.http.filters.hosts import ACCEPTED_KEPT
from fakeapi.testing.server import FakeAPI
from tests.http import wire
from tests.http.malformed.case import CLAIMS, claim


def ask(server: FakeAPI, host: str, path: str = CLAIMS, method: str = "GET", **headers: str) -> wire.Answer:
    body = json.dumps(claim({"name": "forged"})).encode() if method == "POST" else b""
    named = {"Host": host, "Content-Length": str(len(body)), **headers}
    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    return wire.exchange(server.url, wire.head(method.encode(), path.encode(), lines) + body)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8001", "[::1]", "[::1]:8001", "LOCALHOST:1"])
def test_the_names_of_this_machine_are_accepted(fakeapi: FakeAPI, host: str) -> None:
    assert ask(fakeapi, host).code == 200
    assert ask(fakeapi, host, Origin=f"http://{host}").code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8001", "localhost.evil.example", "127.0.0.1.x"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_name_that_leads_here_by_rebinding_is_refused(fakeapi: FakeAPI, host: str, method: str) -> None:
    answer = ask(fakeapi, host, method=method)
    assert (answer.code, answer.is_status) == (403, True)
    assert "the Host header names no accepted host; --accept-hosts" in answer.json()["message"]
    assert fakeapi.list("ResourceClaim") == []


@pytest.mark.parametrize("origin", ["http://evil.example", "https://evil.example:8001", "null", "file://"])
def test_a_page_of_another_site_is_refused_at_whatever_address_it_asks(fakeapi: FakeAPI, origin: str) -> None:
    for method in ("GET", "POST"):
        answer = ask(fakeapi, "localhost", method=method, Origin=origin, Content_Type="text/plain")
        assert answer.code == 403
        assert "the Origin header names no accepted host" in answer.json()["message"]
    assert fakeapi.list("ResourceClaim") == []


def test_everybody_may_ask_for_health(fakeapi: FakeAPI) -> None:
    assert ask(fakeapi, "10.0.0.7:8001", "/readyz").code == 200
    assert ask(fakeapi, "10.0.0.7:8001", "/readyz/no-such-check").code == 403


@pytest.mark.fakeapi(token="secret")
def test_a_token_is_enough_as_no_page_knows_it(fakeapi: FakeAPI) -> None:
    assert ask(fakeapi, "evil.example", Authorization="Bearer secret").code == 200
    assert ask(fakeapi, "evil.example").code == 401


@pytest.mark.fakeapi(accept_hosts=r"^localhost$,\.example$")
def test_other_names_are_accepted_where_the_options_say_so(fakeapi: FakeAPI) -> None:
    assert ask(fakeapi, "api.example").code == 200
    assert ask(fakeapi, "127.0.0.1").code == 200
    assert ask(fakeapi, "api.example.org").code == 403


@pytest.mark.fakeapi(advertise_url="http://fake.test:1234")
def test_the_host_of_the_advertised_url_is_accepted(fakeapi: FakeAPI) -> None:
    assert ask(fakeapi, "fake.test:1234").code == 200


def test_an_expression_that_is_none_is_refused_before_the_start() -> None:
    with pytest.raises(ValueError, match="is not a regular expression"):
        FakeAPI(accept_hosts="(").start()


@pytest.mark.fakeapi(accept_hosts=r"^localhost$,\.example$")
def test_a_host_is_judged_alike_however_many_were_accepted_before(fakeapi: FakeAPI) -> None:
    for number in range(ACCEPTED_KEPT + 1):
        assert ask(fakeapi, f"{number}.example", "/readyz").code == 200
    for _ in range(2):
        assert ask(fakeapi, "last.example").code == 200
        assert ask(fakeapi, "last.example", Origin="http://evil.org").code == 403
        assert ask(fakeapi, "1.example", Origin="http://evil.org").code == 403
        assert ask(fakeapi, "1.example.org").code == 403
