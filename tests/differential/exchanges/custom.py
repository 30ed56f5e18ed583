"""Custom resources with random schemas and CEL rules, as subjects of stories."""

import copy
from random import Random
from typing import Any

from tests.differential.exchanges.schemas import ODD, Schema, SchemaWriter
from tests.differential.exchanges.stories import Request, Story, StoryWriter

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_VERBS = ("create", "get", "list", "update", "patch", "delete", "deletecollection")


class CustomResource:
    """A custom resource of one story. The group of its definition contains the number of the story."""

    kind, resource, version = "Thing", "things", "v1"
    verbs = _VERBS

    def __init__(self, random: Random, number: int) -> None:
        self._random = random
        self._writer = SchemaWriter(random)
        self.group = f"q{number}.example.com"
        self.api_version = f"{self.group}/{self.version}"
        self.namespaced = random.random() < 0.8
        self._schemas = {"spec": self._writer.object(0)}
        self.subresources: list[str] = []
        if random.random() < 0.6:
            self._schemas["status"] = self._writer.object(1)
            if random.random() < 0.8:
                self.subresources.append("status")
        if random.random() < 0.25:
            self._schemas["spec"]["properties"]["replicas"] = {"type": "integer", "format": "int32"}
            self._schemas.setdefault("status", {"type": "object", "properties": {}})
            self._schemas["status"]["properties"]["replicas"] = {"type": "integer"}
            self.subresources.append("scale")
        self.fields = self._schemas

    def definition(self) -> dict[str, Any]:
        """Returns the CustomResourceDefinition."""
        top: Schema = {"type": "object", "properties": copy.deepcopy(self._schemas)}
        if self._random.random() < 0.3:
            top["required"] = ["spec"]
        version: dict[str, Any] = {"name": self.version, "served": True, "storage": True}
        version["schema"] = {"openAPIV3Schema": top}
        if self.subresources:
            scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
            both = {"status": {}, "scale": scale}
            version["subresources"] = {name: both[name] for name in self.subresources}
        if self._random.random() < 0.3:
            column = {"name": "A", "type": self._random.choice(["string", "integer", "date", "boolean"])}
            path = self._random.choice(
                [".spec.a", ".metadata.creationTimestamp", ".spec.items[0]", ".spec.count"]
            )
            version["additionalPrinterColumns"] = [{**column, "jsonPath": path}]
        spec: dict[str, Any] = {
            "group": self.group,
            "scope": "Namespaced" if self.namespaced else "Cluster",
            "names": {"plural": self.resource, "singular": "thing", "kind": self.kind},
            "versions": [version],
        }
        if self._random.random() < 0.06:
            version["schema"]["openAPIV3Schema"] = self._writer.changed(top, {})
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{self.resource}.{self.group}"},
            "spec": spec,
        }

    def valid(self) -> dict[str, Any]:
        made = {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "spec": self._writer.value(self._schemas["spec"]),
        }
        if "status" in self._schemas and self._random.random() < 0.3:
            made["status"] = self._writer.value(self._schemas["status"])
        return made

    def varied(self, obj: dict[str, Any]) -> dict[str, Any]:
        if self._random.random() < 0.02:
            return {**copy.deepcopy(obj), self._random.choice(["spec", "other"]): self._random.choice(ODD)}
        return self.changed(obj, self.part(obj), self._random.choice([0, 1, 1, 1, 2]))

    def changed(self, obj: dict[str, Any], part: str, times: int = 1) -> dict[str, Any]:
        new, schema = copy.deepcopy(obj), self._schemas[part]
        new.setdefault(part, self._writer.value(schema))
        for _ in range(times):
            new[part] = self._writer.changed(new[part], schema)
        return new

    def part(self, obj: dict[str, Any]) -> str:
        return "spec"


def custom_story(random: Random, resource: CustomResource, number: int) -> Story:
    """Returns a story that creates the definition, changes custom objects, and deletes the definition.

    The deletion is not compared: kube-apiserver deletes the objects later.
    """
    writer = StoryWriter(random, resource, number)
    requests = writer.write()
    definition = resource.definition()
    path = f"{DEFINITIONS}/{definition['metadata']['name']}"
    return [
        {"method": "POST", "target": f"{DEFINITIONS}?dryRun=All", "body": definition},
        {"method": "POST", "target": DEFINITIONS, "body": definition, "silent": True},
        _served(path, writer.collection),
        *requests,
        {"method": "DELETE", "target": path, "silent": True},
    ]


def _served(path: str, collection: str) -> Request:
    """Returns a request that waits until kube-apiserver serves a definition."""
    return {"method": "GET", "target": path, "until_served": collection, "silent": True}
