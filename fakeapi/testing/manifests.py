"""Loads manifests from dicts, YAML or JSON text, and files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fakeapi.inputfile import read_regular
from fakeapi.installing.sources import FILE_BYTES_MAX, LISTS_DEPTH_MAX, is_text
from fakeapi.machinery.documents import DocumentError, documents_of
from fakeapi.machinery.json_types import Object
from fakeapi.testing.hidden_frames import hides_expected_errors

__tracebackhide__ = hides_expected_errors

Manifest = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | Path


def load(manifest: Manifest) -> list[Object]:
    """Returns the objects of a manifest. Replaces an object of the kind List by its items.

    `manifest`: a dict, a list of dicts, YAML or JSON text, or the path of a file (text or Path).

    Raises ValueError if the text is invalid or a document is not a Kubernetes object. Raises OSError if the
    file cannot be read.
    """
    return _objects_of(_documents(manifest), 0)


def one_object(manifest: Manifest) -> Object:
    """Returns the only object of a manifest. Raises ValueError unless the manifest has exactly one object."""
    objects = load(manifest)
    if len(objects) != 1:
        raise ValueError(f"one object is expected, not {len(objects)}; create_all creates several objects")
    return objects[0]


def namespace_of(obj: Mapping[str, Any]) -> str:
    """Returns the namespace in the metadata of an object; `default` without one."""
    return (obj.get("metadata") or {}).get("namespace") or "default"


def _objects_of(documents: Sequence[Any], depth: int) -> list[Object]:
    """Returns the objects of documents. Replaces a document of the kind List by its items.

    `depth`: the number of Lists that contain these documents. Raises ValueError if a document is not a
    Kubernetes object, or if Lists are nested too deeply.
    """
    if depth > LISTS_DEPTH_MAX:
        raise ValueError(f"more than {LISTS_DEPTH_MAX} Lists within Lists")
    objects: list[Object] = []
    for document in documents:
        if not isinstance(document, Mapping) or not document.get("kind"):
            raise ValueError(f"not a Kubernetes object with apiVersion and kind: {document!r:.200}")
        if document["kind"] == "List":
            objects += _objects_of(_items_of(document), depth + 1)
        else:
            objects.append(dict(document))
    return objects


def _items_of(document: Mapping[str, Any]) -> Sequence[Any]:
    """Returns the items of a List. Raises ValueError if `items` is not a list."""
    items = document.get("items")
    if items is None:
        return ()
    if not isinstance(items, list | tuple):
        raise ValueError(f"the items of a List must be a list, not {items!r:.200}")  # noqa: TRY004 - as for text
    return items


def _documents(manifest: Manifest) -> Sequence[Any]:
    if isinstance(manifest, str) and manifest.strip() and not is_text(manifest):
        manifest = Path(manifest)
    if isinstance(manifest, Path):
        return _documents_of_file(manifest)
    if not isinstance(manifest, str):
        return [manifest] if isinstance(manifest, Mapping) else manifest
    try:
        return documents_of(manifest)
    except DocumentError as error:
        raise DocumentError(str(error)) from None  # without the frames of the parser


def _documents_of_file(path: Path) -> Sequence[Any]:
    """Returns the documents of a file. The errors name the file, and have no frames of the parser."""
    try:
        return documents_of(read_regular(path, FILE_BYTES_MAX).decode("utf-8-sig"))
    except DocumentError as error:
        raise DocumentError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise DocumentError(f"{path}: not UTF-8") from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path.absolute())) from None
