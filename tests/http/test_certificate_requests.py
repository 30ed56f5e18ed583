"""Clients approve CertificateSigningRequests with a subresource; admission plugins set some fields."""

from collections.abc import Callable

import pytest

from fakeapi.clients.errors import StatusError
from tests.http.certificate_requests import REQUESTS, request
from tests.http.conftest import SmallServer


@pytest.fixture
def server(with_history: Callable[[int], SmallServer]) -> SmallServer:
    return with_history(100)


def test_nobody_asks_to_be_an_administrator(server: SmallServer) -> None:
    with pytest.raises(StatusError, match="signer with system:masters group is not allowed") as refused:
        server.request("POST", REQUESTS, request("system:masters"))
    assert refused.value.code == 403
    server.request("POST", REQUESTS, request("system:masters", "example.com/own"))


def test_a_request_is_from_who_sends_it_and_is_approved_by_a_path_of_its_own(server: SmallServer) -> None:
    stored = server.request("POST", REQUESTS, request("developers"))
    assert stored["spec"]["username"] == "kubernetes-admin"
    assert stored["spec"]["groups"] == ["system:masters", "system:authenticated"]
    stored["status"]["conditions"] = [{"type": "Approved", "status": "True", "reason": "R"}]
    with pytest.raises(StatusError, match="updates may not add a condition"):
        server.request("PUT", f"{REQUESTS}/jane/status", stored)
    approved = server.request("PUT", f"{REQUESTS}/jane/approval", stored)
    [condition] = approved["status"]["conditions"]
    assert condition["lastUpdateTime"] == condition["lastTransitionTime"]
    assert condition["lastUpdateTime"].endswith("Z")
