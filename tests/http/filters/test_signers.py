"""With RBAC, approving and signing certificate requests needs permissions on the signer."""

import json
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.http.certificate_requests import REQUESTS, request

Object = dict[str, Any]


@pytest.fixture
def api(fakeapi_factory: Callable[..., FakeAPI]) -> FakeAPI:
    api = fakeapi_factory(release="1.33", authorization="rbac")
    api.create(request("developers", "example.com/own"))
    allow(
        api,
        "writer",
        {
            "apiGroups": ["certificates.k8s.io"],
            "resources": ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
            "verbs": ["update"],
        },
    )
    return api


def allow(api: FakeAPI, name: str, *rules: Object) -> None:
    """Creates a ClusterRole with these rules and binds the user jane to it."""
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name}}
    api.create({**kind, "kind": "ClusterRole", "rules": list(rules)})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}
    api.create({**kind, "kind": "ClusterRoleBinding", "roleRef": role, "subjects": [subject]})


def put(api: FakeAPI, subresource: str, **status: Any) -> tuple[int, str]:
    """Updates a subresource of the CertificateSigningRequest `jane` as the user jane.

    `status`: the fields of the new status. Returns the status code and the message of the response.
    """
    made = api.get("CertificateSigningRequest", "jane")
    connection = HTTPConnection(api.url.removeprefix("http://"))
    headers = {"Content-Type": "application/json", "Impersonate-User": "jane"}
    text = json.dumps({**made, "status": status})
    connection.request("PUT", f"{REQUESTS}/jane/{subresource}", text, headers)
    answer = connection.getresponse()
    decoded = json.loads(answer.read())
    connection.close()
    return answer.status, decoded.get("message", "")


APPROVED = [{"type": "Approved", "status": "True", "reason": "R"}]


@pytest.mark.parametrize("name", ["example.com/own", "example.com/*"])
def test_approval_takes_the_leave_of_the_signer_or_its_domain(api: FakeAPI, name: str) -> None:
    start = 'certificatesigningrequests.certificates.k8s.io "jane" is forbidden: user not permitted to '
    expected = f'{start}approve requests with signerName "example.com/own"'
    assert put(api, "approval", conditions=APPROVED) == (403, expected)
    rule = {"apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "resourceNames": [name]}
    allow(api, "approver", {**rule, "verbs": ["approve"]})
    assert put(api, "approval", conditions=APPROVED)[0] == 200


def test_signing_takes_the_leave_of_the_signer_and_a_status_that_stays_does_not(api: FakeAPI) -> None:
    assert put(api, "status") == (200, "")
    failed = [{"type": "Failed", "status": "True", "reason": "R"}]
    code, message = put(api, "status", conditions=failed)
    assert code == 403
    assert message.endswith('user not permitted to sign requests with signerName "example.com/own"')
    rule = {"apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "verbs": ["sign"]}
    allow(api, "signer", rule)
    assert put(api, "status", conditions=failed)[0] == 200
