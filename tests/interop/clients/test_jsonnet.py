"""ResourceClaims that jsonnet generates in the style of k8s-libsonnet can be applied without changes."""

import json
import subprocess
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.interop.clients.stories import FOLDER, locked, python
from tests.interop.plugin import Report
from tests.interop.toolchain import of_releases

EVALUATE = "import sys, _jsonnet; print(_jsonnet.evaluate_file(sys.argv[1]))"
APPLY = "application/apply-patch+yaml"
APPLIED_BY = {"fieldManager": "tanka"}


@pytest.mark.parametrize("release", of_releases(["1.30", "1.31"]))
def test_claims_written_in_jsonnet_are_applied(release: str, report: Report) -> None:
    report(
        kind="client",
        name="jsonnet",
        version=locked(FOLDER / "python" / "clients.lock", "jsonnet"),
        release=release,
        did="wrote a claim and its status in the shape of k8s-libsonnet, applied both twice",
    )
    done = subprocess.run(
        [python(), "-c", EVALUATE, FOLDER / "jsonnet" / f"{release}.jsonnet"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    written: dict[str, Any] = json.loads(done.stdout)
    with FakeAPI(release=release) as api:
        claim = applied(api, written["claim"])
        assert claim["spec"] == written["claim"]["spec"]
        identity = {key: written["claim"][key] for key in ("apiVersion", "kind", "metadata")}
        allocated = applied(api, {**identity, "status": written["status"]}, "/status")
        assert allocated["status"] == written["status"]
        again = applied(api, written["claim"])
        assert again["metadata"]["resourceVersion"] == allocated["metadata"]["resourceVersion"]


def applied(api: FakeAPI, wanted: dict[str, Any], subresource: str = "") -> dict[str, Any]:
    metadata = wanted["metadata"]
    claims = f"/apis/{wanted['apiVersion']}/namespaces/{metadata['namespace']}/resourceclaims"
    path = f"{claims}/{metadata['name']}{subresource}"
    query = APPLIED_BY | {"fieldValidation": "Strict"}
    answer: dict[str, Any] = api.request("PATCH", path, wanted, query=query, content_type=APPLY)
    return answer
