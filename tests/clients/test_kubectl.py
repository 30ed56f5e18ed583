"""kubectl works without extra flags: it discovers, prints, changes and waits for objects."""

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.clients.kubectl import TIMEOUT_SECONDS, VERSIONS, Kubectl, needs_kubectl

MANIFESTS = Path(__file__).parents[2] / "fixtures" / "manifests"

pytestmark = needs_kubectl


@pytest.fixture(scope="module", params=sorted(VERSIONS))
def kubectl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with FakeAPI(release=request.param) as api:
        yield Kubectl(api, request.param, tmp_path_factory.mktemp("home"))


def test_it_finds_what_is_served(kubectl: Kubectl) -> None:
    assert kubectl.api_version in kubectl.run("api-versions").splitlines()
    for _ in range(2):  # the second time, kubectl uses its cache
        names = kubectl.run("api-resources", "--api-group=resource.k8s.io", "-o", "name").split()
        assert {"resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io"} <= set(names)
    shutil.rmtree(kubectl.home / ".kube" / "cache" / "discovery")
    assert "namespaces" in kubectl.run("api-resources", "--namespaced=false", "-o", "name").split()


def test_it_prints_tables(kubectl: Kubectl) -> None:
    kubectl.create("printed", labels={"for": "printing"})
    lines = kubectl.run("get", "resourceclaims", "-l", "for=printing").splitlines()
    state = {"v1alpha2": ["RESOURCECLASSNAME", "ALLOCATIONMODE", "STATE"]}.get(
        VERSIONS[kubectl.release], ["STATE"]
    )
    assert lines[0].split() == ["NAME", *state, "AGE"]
    assert lines[1].split()[0] == "printed"
    everywhere = kubectl.run("get", "resourceclaims", "-A", "-o", "wide").splitlines()
    assert everywhere[0].split()[:2] == ["NAMESPACE", "NAME"]
    assert "default           Active" in kubectl.run("get", "namespaces")
    assert "NotFound" in kubectl.run("get", "resourceclaim", "absent", code=1)


def test_it_creates_a_namespace_which_it_sends_as_protobuf(kubectl: Kubectl) -> None:
    assert "namespace/made created" in kubectl.run("create", "namespace", "made")
    assert "AlreadyExists" in kubectl.run("create", "namespace", "made", code=1)
    assert "made" in kubectl.run("get", "namespace", "made", "-o", "name")


def test_it_prints_objects_and_parts_of_them(kubectl: Kubectl) -> None:
    kubectl.create("shown", annotations={"a": "b"})
    version = kubectl.api_version.partition("/")[2]
    shown = kubectl.run("get", f"resourceclaims.{version}.resource.k8s.io", "shown", "-o", "yaml")
    assert f"apiVersion: {kubectl.api_version}\n" in shown
    path = "jsonpath={.metadata.annotations.a}"
    assert kubectl.run("get", "resourceclaim", "shown", "-o", path) == "b"
    described = kubectl.run("describe", "resourceclaim", "shown")
    assert "Name:         shown" in described
    assert "Annotations:  a: b" in described


def test_a_second_apply_changes_nothing(kubectl: Kubectl) -> None:
    path = kubectl.manifest("applied", labels={"a": "b"})
    assert "created" in kubectl.run("apply", "-f", path)
    before = kubectl.metadata("applied")
    assert "unchanged" in kubectl.run("apply", "-f", path)
    assert kubectl.metadata("applied") == before
    assert kubectl.run("diff", "-f", path) == ""
    kubectl.manifest("applied", labels={"a": "c"})
    assert "configured" in kubectl.run("apply", "-f", path)
    assert kubectl.metadata("applied")["labels"] == {"a": "c"}


def test_a_second_server_side_apply_changes_nothing(kubectl: Kubectl) -> None:
    path = kubectl.manifest("owned", labels={"a": "b"})
    assert "serverside-applied" in kubectl.run("apply", "--server-side", "-f", path)
    before = kubectl.metadata("owned")
    kubectl.run("apply", "--server-side", "-f", path)
    assert kubectl.metadata("owned") == before
    kubectl.manifest("owned", labels={"a": "taken"})
    taken = kubectl.run("apply", "--server-side", "--field-manager=other", "-f", path, code=1)
    assert 'conflict with "kubectl"' in taken
    kubectl.run("apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", path)
    assert kubectl.metadata("owned")["labels"] == {"a": "taken"}


def test_it_edits_labels_annotates_and_patches(kubectl: Kubectl) -> None:
    name = kubectl.create("changed", labels={"a": "b"})
    editor = kubectl.home / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/a: b/a: edited/" "$1"\n')
    editor.chmod(0o755)
    kubectl.run("edit", "resourceclaim", name, KUBE_EDITOR=str(editor))
    kubectl.run("label", "resourceclaim", name, "c=d")
    kubectl.run("annotate", "resourceclaim", name, "e=f")
    kubectl.run("patch", "resourceclaim", name, "-p", '{"metadata":{"labels":{"strategic":"yes"}}}')
    kubectl.run("patch", "resourceclaim", name, "--type=merge", "-p", '{"metadata":{"labels":{"c":null}}}')
    json_patch = '[{"op":"add","path":"/metadata/labels/json","value":"yes"}]'
    kubectl.run("patch", "resourceclaim", name, "--type=json", "-p", json_patch)
    metadata = kubectl.metadata(name)
    assert metadata["labels"] == {"a": "edited", "strategic": "yes", "json": "yes"}
    assert metadata["annotations"] == {"e": "f"}


def test_it_patches_the_status(kubectl: Kubectl) -> None:
    name = kubectl.create("allocated")
    allocation: dict[str, Any] = {"shareable": True, "resourceHandles": [{"driverName": "gpu.example.com"}]}
    status: dict[str, Any] = {"driverName": "gpu.example.com", "allocation": allocation}
    if not kubectl.api_version.endswith("v1alpha2"):
        result = {"request": "gpu", "driver": "gpu.example.com", "pool": "p", "device": "d"}
        status = {"allocation": {"devices": {"results": [result]}}}
    patch = json.dumps({"status": status})
    kubectl.run("patch", "resourceclaim", name, "--subresource=status", "--type=merge", "-p", patch)
    assert "allocated" in kubectl.run("get", "resourceclaim", name)


def test_it_explains_fields(kubectl: Kubectl) -> None:
    assert "reservedFor\t<[]ResourceClaimConsumerReference>" in kubectl.run("explain", "resourceclaim.status")
    older = kubectl.run("explain", "resourceclaim.status", "--output=plaintext-openapiv2")
    assert "reservedFor\t<[]Object>" in older


def test_an_unknown_field_is_refused_before_anything_is_created(kubectl: Kubectl) -> None:
    path = Path(kubectl.manifest("wrong"))
    claim = json.loads(path.read_text())
    claim["spec"]["nonsense"] = True
    path.write_text(json.dumps(claim))
    assert "unknown field" in kubectl.run("create", "-f", str(path), code=1)


def test_it_waits_for_a_deletion_that_a_finalizer_holds(kubectl: Kubectl) -> None:
    name = kubectl.create("held", finalizers=["example.com/held"])
    deleting = kubectl.start("delete", "resourceclaim", name, "--cascade=foreground")
    kubectl.run("wait", "resourceclaim", name, "--for=jsonpath={.metadata.deletionGracePeriodSeconds}=0")
    finalizers = kubectl.metadata(name)["finalizers"]
    assert set(finalizers) == {"example.com/held", "foregroundDeletion"}
    assert deleting.poll() is None
    kubectl.run("patch", "resourceclaim", name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    printed, _ = deleting.communicate(timeout=TIMEOUT_SECONDS)
    assert (deleting.returncode, f'"{name}" deleted' in printed) == (0, True)


def test_it_watches_as_a_table(kubectl: Kubectl) -> None:
    name = kubectl.create("watched")
    watching = kubectl.start("get", "resourceclaims", "--watch", "--field-selector", f"metadata.name={name}")
    stop = threading.Timer(TIMEOUT_SECONDS, watching.kill)
    stop.start()
    try:
        assert watching.stdout is not None
        assert watching.stdout.readline().split()[0] == "NAME"
        assert watching.stdout.readline().split()[0] == name
        kubectl.run("label", "resourceclaim", name, "seen=yes")
        assert watching.stdout.readline().split()[0] == name
    finally:
        stop.cancel()
        watching.kill()
        watching.communicate()
