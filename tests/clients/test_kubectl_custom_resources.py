"""kubectl works with custom resources of a CustomResourceDefinition."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi.testing.server import FakeAPI
from tests.clients.kubectl import Kubectl, needs_kubectl
from tests.registry.custom.world import definition, version, widget

pytestmark = needs_kubectl

COLUMNS = [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Colour", "type": "string", "jsonPath": ".spec.colour", "priority": 1},
]
SCALE = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.replicas"}


def described() -> dict[str, Any]:
    """Returns a CustomResourceDefinition with all features that kubectl displays.

    These are printer columns, short names, categories, a scale subresource and descriptions.
    """
    crd_version = version(subresources={"status": {}, "scale": SCALE}, additionalPrinterColumns=COLUMNS)
    spec = crd_version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["size"]["description"] = "How big it is."
    names = {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"], "categories": ["all"]}
    return definition(versions=[crd_version], names=names)


@pytest.fixture
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with FakeAPI(release="1.33") as api:
        yield Kubectl(api, "1.33", tmp_path_factory.mktemp("home"))


def file_with(kubectl: Kubectl, *objects: dict[str, Any]) -> str:
    path = kubectl.home / "objects.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    return str(path)


def test_kubectl_works_with_a_kind_from_the_moment_it_is_defined(kubectl: Kubectl) -> None:
    kubectl.run("apply", "-f", file_with(kubectl, described()))
    kubectl.run("wait", "crd/widgets.example.com", "--for=condition=Established", "--timeout=5s")
    objects = file_with(kubectl, widget(spec={"colour": "red"}))
    assert "created" in kubectl.run("apply", "-f", objects)
    assert kubectl.run("get", "wd").split() == ["NAME", "SIZE", "w", "3"]
    assert "red" in kubectl.run("get", "all", "-o", "wide")
    assert "How big it is." in kubectl.run("explain", "widget.spec.size")
    assert "serverside-applied" in kubectl.run(
        "apply", "--server-side", "--force-conflicts", "-f", file_with(kubectl, widget(spec={"size": 4}))
    )
    assert "scaled" in kubectl.run("scale", "wd/w", "--replicas=6")
    kubectl.run("patch", "wd/w", "--subresource=status", "--type=merge", "-p", '{"status":{"ready":true}}')
    kubectl.run("wait", "wd/w", "--for=jsonpath={.status.ready}=true", "--timeout=5s")
    stored = json.loads(kubectl.run("get", "wd/w", "-o", "json"))
    assert (stored["spec"]["size"], stored["status"]) == (6, {"ready": True})
    assert 'unknown field "odd"' in kubectl.run(
        "create", "-f", file_with(kubectl, widget("b", spec={"odd": 1})), code=1
    )
    kubectl.run("delete", "crd", "widgets.example.com")
    assert "the server doesn't have a resource type" in kubectl.run("get", "gadgets", code=1)


def test_kubectl_creates_with_a_definition_and_its_objects_in_one_file(kubectl: Kubectl) -> None:
    kubectl.run("create", "-f", file_with(kubectl, described()))
    kubectl.run("create", "-f", file_with(kubectl, widget("a"), widget("b")))
    kubectl.run("delete", "widgets", "--all")
    assert kubectl.run("get", "widgets") == ""
