"""DeviceTaintRules over HTTP: v1 requires resourceVersions and responds differently from older versions."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from fakeapi import FakeAPI

PATH = "/apis/resource.k8s.io/{}/devicetaintrules"
RULE = {"metadata": {"name": "a"}, "spec": {"taint": {"key": "a", "effect": "NoSchedule"}}}


def ask(url: str, method: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@pytest.mark.parametrize(
    ("version", "update", "delete"),
    [("v1", (422, "Invalid"), ("Status", "Success")), ("v1beta2", (200, None), ("DeviceTaintRule", {}))],
)
def test_v1_asks_updates_for_a_version_and_answers_deletes_with_a_status(
    version: str, update: tuple[int, str | None], delete: tuple[str, Any]
) -> None:
    with FakeAPI(release="1.37") as api:
        url = api.url + PATH.format(version)
        rule = {**RULE, "apiVersion": f"resource.k8s.io/{version}", "kind": "DeviceTaintRule"}
        assert ask(url, "POST", rule)[0] == 201
        code, answer = ask(f"{url}/a", "PUT", rule)
        assert (code, answer.get("reason")) == update
        code, answer = ask(f"{url}/a", "DELETE")
        assert (answer["kind"], answer["status"]) == delete
