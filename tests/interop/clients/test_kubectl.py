"""kubectl of three releases creates, watches, updates and deletes a claim, without extra flags."""

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, Self

import pytest

from fakeapi import FakeAPI
from tests.interop.clients import stories
from tests.interop.clients.stories import DID, STORY_SECONDS, server
from tests.interop.go_programs import kubernetes_version
from tests.interop.plugin import Report
from tests.interop.toolchain import of_releases

RELEASES = [("1.31", "v1alpha3"), ("1.33", "v1beta2"), ("1.37", "v1")]
FINALIZER = "example.com/story"


class Kubectl:
    """Runs kubectl commands with a separate home directory. A second kubectl process watches claims."""

    def __init__(self, program: Path, api: FakeAPI, home: Path) -> None:
        self._program, self.home = program, home
        self._environment = {"HOME": str(home), "KUBECONFIG": str(api.kubeconfig), "PATH": os.environ["PATH"]}
        self._watch = subprocess.Popen(
            [program, "get", "resourceclaims", "--watch", "--output-watch-events", "-o", "json"],
            env=self._environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._late = threading.Timer(STORY_SECONDS, self._watch.kill)

    def __enter__(self) -> Self:
        self._late.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._late.cancel()
        self._watch.kill()
        self._watch.communicate()

    def run(self, *arguments: str, code: int = 0) -> str:
        """Runs kubectl and asserts that its exit code is `code`.

        Returns its standard output, or its standard error if `code` is not 0.
        """
        done = subprocess.run(
            [self._program, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=STORY_SECONDS,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stderr if code else done.stdout

    def claim(self) -> dict[str, Any]:
        decoded: dict[str, Any] = json.loads(self.run("get", "resourceclaim", "told", "-o", "json"))
        return decoded

    def file(self, claim: dict[str, Any]) -> str:
        path = self.home / "claim.json"
        path.write_text(json.dumps(claim), encoding="utf-8")
        return str(path)

    def replace(self, claim: dict[str, Any], label: str, code: int = 0) -> str:
        labels = {**claim["metadata"].get("labels", {}), label: "won"}
        changed = {**claim, "metadata": {**claim["metadata"], "labels": labels}}
        return self.run("replace", "-f", self.file(changed), code=code)

    def expect(self, kind: str, label: str = "") -> None:
        """Reads watch events until one has the type `kind` and the label key `label` ("" for any labels).

        Raises AssertionError if the watch ends first.
        """
        assert self._watch.stdout is not None
        for line in self._watch.stdout:
            event = json.loads(line)
            if event["type"] == kind and label in ("", *event["object"]["metadata"].get("labels", ())):
                return
        raise AssertionError(f"the watch has ended before {kind}")


@pytest.mark.parametrize(("release", "version"), of_releases(RELEASES))
def test_kubectl_tells_the_story_of_a_claim(
    release: str, version: str, report: Report, tmp_path: Path
) -> None:
    report(kind="client", name="kubectl", version=kubernetes_version(release), release=release, did=DID)
    with server(release) as api, Kubectl(stories.kubectl(release), api, tmp_path) as kubectl:
        tell(kubectl, f"resource.k8s.io/{version}")


def tell(kubectl: Kubectl, version: str) -> None:
    listed = kubectl.run("api-resources", "--api-group=resource.k8s.io").splitlines()
    assert f"resourceclaims {version} true ResourceClaim".split() in [line.split() for line in listed]
    metadata = {"name": "told", "finalizers": [FINALIZER]}
    kubectl.run("create", "-f", kubectl.file(claim_of(version, metadata)))
    kubectl.expect("ADDED")

    read = kubectl.claim()
    kubectl.replace(read, "first")
    assert "the object has been modified" in kubectl.replace(read, "second", code=1)
    kubectl.replace(kubectl.claim(), "second")
    kubectl.expect("MODIFIED", "second")

    kubectl.run("patch", "resourceclaim", "told", "-p", '{"metadata":{"labels":{"patched":"yes"}}}')
    kubectl.run("label", "resourceclaim", "told", "first-")
    assert kubectl.claim()["metadata"]["labels"] == {"second": "won", "patched": "yes"}

    wanted = claim_of(version, {**metadata, "labels": {"applied": "yes"}})
    kubectl.run("apply", "-f", kubectl.file(wanted))
    assert "unchanged" in kubectl.run("apply", "-f", kubectl.file(wanted))
    kubectl.run("apply", "--server-side", "--field-manager=story", "-f", kubectl.file(wanted))
    assert kubectl.run("diff", "-f", kubectl.file(wanted)) == ""
    kubectl.expect("MODIFIED", "applied")

    kubectl.run("delete", "resourceclaim", "told", "--wait=false")
    assert kubectl.claim()["metadata"]["deletionTimestamp"]
    kubectl.run("patch", "resourceclaim", "told", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    kubectl.run("wait", "resourceclaim", "told", "--for=delete")
    kubectl.expect("DELETED")


def claim_of(version: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """Returns a claim with every default set, because `kubectl apply` would otherwise remove the defaults."""
    device = {"deviceClassName": "gpu.example.com", "allocationMode": "All"}
    request = {"name": "gpu", **(device if version.endswith("v1alpha3") else {"exactly": device})}
    spec = {"devices": {"requests": [request]}}
    return {"apiVersion": version, "kind": "ResourceClaim", "metadata": metadata, "spec": spec}
