"""Loads manifests: objects from dicts, YAML, JSON and files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fakeapi.machinery.json_types import Object

Manifest = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | Path


def load(manifest: Manifest) -> list[Object]:
    """The objects of a dict, a list of dicts, YAML or JSON text, or a file of either; Lists are unpacked.

    Raises ValueError for what holds no object, OSError for a file that cannot be read.
    """
    documents = _documents(manifest)
    objects: list[Object] = []
    for document in documents:
        if not isinstance(document, Mapping) or not document.get("kind"):
            raise ValueError(f"not a Kubernetes object with apiVersion and kind: {document!r:.200}")
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
    if manifest.lstrip().startswith(("{", "[")):
        try:
            document = json.loads(manifest)
        except ValueError:
            pass  # YAML has braces and brackets too
        else:
            return document if isinstance(document, list) else [document]
    return _yaml(manifest)


def _yaml(text: str) -> list[Any]:
    import yaml  # noqa: PLC0415 - 20 ms, for those who write YAML

    class Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
        """Loads timestamps as text, because JSON has none."""

    Loader.add_constructor("tag:yaml.org,2002:timestamp", Loader.construct_yaml_str)
    try:
        return [document for document in yaml.load_all(text, Loader) if document is not None]
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {error}") from error
