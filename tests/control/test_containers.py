"""The control API shows, adds and removes the behaviours of simulated containers."""

import httpx
import pytest

from fakeapi import FakeAPI


def test_behaviours_are_added_shown_and_removed() -> None:
    with FakeAPI(
        controllers="kubelet", containers=[{"image": "a", "after": "1m", "stop_after": "never"}]
    ) as api:
        url = f"{api.url}/_fakeapi/containers"
        probes = {"readiness": {"after": 0.0, "until": 5.0}}
        added = {"container": "b", "exitCode": 1, "startError": "ErrImagePull: no", "probes": probes}
        answer = httpx.post(url, json=added)
        assert answer.status_code == 200
        first = {"image": "a", "after": 60.0, "stopAfter": "never"}
        assert answer.json() == httpx.get(url).json() == {"containers": [first, added]}
        assert httpx.post(url, json={"containers": answer.json()["containers"]}).status_code == 200
        api.containers.behave(exec=lambda command, stdin: "")
        assert httpx.get(url).json()["containers"][-1] == {"exec": "function <lambda>"}
        assert httpx.delete(url).status_code == 204
        assert list(api.containers) == []


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ('{"exitCode": "x"}', "exitCode: must be a whole number from 0 to 255, not 'x'"),
        ('[{"exitCode": 1}, {"nothing": 1}]', "unknown field 'nothing'"),
        ("3", "a behaviour, or a list of behaviours, is expected"),
    ],
)
def test_a_wrong_behaviour_is_refused_and_none_is_added(body: str, error: str) -> None:
    with FakeAPI(controllers="kubelet") as api:
        headers = {"content-type": "application/json"}
        answer = httpx.post(f"{api.url}/_fakeapi/containers", content=body, headers=headers)
        assert (answer.status_code, error in answer.json()["message"]) == (400, True)
        assert list(api.containers) == []


def test_a_server_without_a_kubelet_has_no_behaviours(fakeapi: FakeAPI) -> None:
    answer = httpx.get(f"{fakeapi.url}/_fakeapi/containers")
    assert answer.status_code == 409
    assert "the controller kubelet does not run" in answer.json()["message"]
