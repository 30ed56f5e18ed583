"""Loads manifests: objects from dicts, YAML, JSON and files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fakeapi.installing.documents import documents_of
from fakeapi.machinery.json_types import Object

_SUFFIXES = (".yaml", ".yml", ".json")

Manifest = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | Path


def load(manifest: Manifest) -> list[Object]:
    """The objects of a dict, a list of dicts, YAML or JSON text, or a file of either; Lists are unpacked.

    Raises ValueError for what holds no object, OSError for a file that cannot be read.
    """
    documents = _documents(manifest)
    objects: list[Object] = []
    for document in documents:
        if not isinstance(document, Mapping) or not document.get("kind"):
            problem = f"not a Kubernetes object with apiVersion and kind: {document!r:.200}"
            if isinstance(document, str) and Path(document).suffix in _SUFFIXES:
                problem += f"; to read a file, give its path as Path({document!r:.200})"
            raise ValueError(problem)
        if document["kind"] == "List":
            objects += load(list(document.get("items") or ()))
        else:
            objects.append(dict(document))
    return objects


def _documents(manifest: Manifest) -> Sequence[Any]:
    if isinstance(manifest, Path):
        manifest = manifest.read_text(encoding="utf-8")
    if not isinstance(manifest, str):
        return [manifest] if isinstance(manifest, Mapping) else manifest
    return documents_of(manifest)
