"""Finds manifests in dicts, texts, files, directories and patterns, and notes the origin of each one."""

from collections.abc import Iterable, Iterator, Mapping
from glob import glob, has_magic
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from fakeapi.inputfile import UnreadableFile, read_text
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.documents import DocumentError, numbered_documents
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.printable import printable_line

Source: TypeAlias = "str | Path | Mapping[str, Any] | Iterable[Source]"
"""A dict, YAML or JSON text, a file, a directory, a pattern such as "crds/*.yaml", or several of these."""

FILE_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of a file in bytes; reading a larger file raises InstallError."""

OBJECTS_MAX = 100_000
"""Maximum number of objects in the sources of an installation; more objects raise InstallError."""

LISTS_DEPTH_MAX = 16
"""Maximum depth of lists within lists; a deeper list raises InstallError."""

_SUFFIXES = (".yaml", ".yml", ".json")
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "kustomizeconfig.yaml")


class InstallError(FakeAPIError):
    """Raised if manifests cannot be read, or if a server refuses them.

    The message is one printable line. It contains the reason, and the file or other source of the manifest.
    """

    def __init__(self, why: str) -> None:
        super().__init__(printable_line(why))


class Manifest(msgspec.Struct, frozen=True):
    """An object from a source.

    - `origin`: where the object was read, for error messages, such as "crds/a.yaml, document 2".
    - `uid`: the uid of the object in the source; "" if it has none.
    """

    obj: Object
    origin: str
    uid: str = ""

    def error(self, why: str) -> InstallError:
        """Returns an error whose message contains the origin of the manifest, and `why`."""
        return InstallError(f"{self.origin}: {why}")


def type_of(obj: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the group and the kind of an object: ("apps", "Deployment"), or ("", "Pod")."""
    return obj["apiVersion"].rpartition("/")[0], obj["kind"]


def manifests_of(sources: Iterable[Source]) -> list[Manifest]:
    """Returns the objects of all sources in order. A list is replaced by its items.

    - For a directory, reads the files below it that end in .yaml, .yml or .json, sorted by path. The
      directory may be empty.
    - For a pattern, reads the matching files. The pattern must match at least one file.
    - Omits kustomization.yaml, kustomization.yml and kustomizeconfig.yaml in directories and patterns.

    Raises InstallError if a source cannot be read or is not a Kubernetes object, and for more than
    OBJECTS_MAX objects.
    """
    manifests: list[Manifest] = []
    for number, source in enumerate(sources, 1):
        for manifest in _of_source(source, f"manifest {number}"):
            manifests.append(manifest)
            if len(manifests) > OBJECTS_MAX:
                raise InstallError(f"more than {OBJECTS_MAX} objects")
    return manifests


def _of_source(source: Source, place: str) -> Iterator[Manifest]:
    if isinstance(source, Mapping):
        yield from _of_value(source, place)
    elif isinstance(source, Path):
        yield from _of_path(source)
    elif isinstance(source, str):
        yield from _of_text(source, place) if is_text(source) else _of_path(Path(source))
    elif isinstance(source, Iterable):
        for number, item in enumerate(source, 1):
            yield from _of_source(item, f"{place}, item {number}")
    else:
        raise InstallError(f"{place}: {type(source).__name__} is not a manifest")


def is_text(source: str) -> bool:
    """Whether a string is the text of a manifest. All other strings are paths or patterns."""
    return "\n" in source or ": " in source or source.lstrip().startswith("{")


def _of_path(path: Path) -> Iterator[Manifest]:
    try:
        files = _files_of(path)
    except OSError as error:
        raise InstallError(f"cannot read {path}: {error.strerror}") from error
    for file in files:
        yield from _of_path(file) if file.is_dir() else _of_text(_read(file), str(file))


def _files_of(path: Path) -> list[Path]:
    """Returns the files of a file path, a directory or a pattern.

    Raises InstallError if a pattern matches no file, and OSError if the path cannot be read.
    """
    if path.is_dir():
        return [file for file in sorted(path.rglob("*")) if _is_manifest(file) and not file.is_dir()]
    if not has_magic(str(path)) or path.exists():
        return [path]
    matching = [Path(name) for name in sorted(glob(str(path.expanduser()), recursive=True))]  # noqa: PTH207
    if not matching:
        raise InstallError(f"{path} matches no file")
    return [file for file in matching if file.name not in _KUSTOMIZATIONS]


def _is_manifest(path: Path) -> bool:
    return path.suffix in _SUFFIXES and path.name not in _KUSTOMIZATIONS


def _read(path: Path) -> str:
    try:
        return read_text(path, FILE_BYTES_MAX)
    except UnreadableFile as error:
        raise InstallError(str(error)) from error


def _of_text(text: str, place: str) -> Iterator[Manifest]:
    try:
        documents = numbered_documents(text)
    except DocumentError as error:
        raise InstallError(f"{place}: {error}") from error
    for number, document in documents:
        many = len(documents) > 1 or number > 1
        yield from _of_value(document, f"{place}, document {number}" if many else place)


def _of_value(value: Any, place: str, depth: int = 0) -> Iterator[Manifest]:
    """Yields the objects in a decoded document. A list is replaced by its items.

    - `place`: the origin of the document, for error messages.
    - `depth`: the number of lists that contain the value.

    Raises InstallError for too many lists within lists, and for a value that is not a Kubernetes object.
    """
    if depth > LISTS_DEPTH_MAX:
        raise InstallError(f"{place}: more than {LISTS_DEPTH_MAX} lists within lists")
    if isinstance(value, list):
        for number, item in enumerate(value, 1):
            yield from _of_value(item, f"{place}, item {number}", depth + 1)
        return
    if not isinstance(value, Mapping):
        raise InstallError(f"{place}: not a Kubernetes object but {value!r:.80}")
    for member in ("apiVersion", "kind"):
        if not isinstance(value.get(member), str) or not value[member]:
            raise InstallError(f"{place}: not a Kubernetes object, because it has no {member}")
    items = value.get("items")
    if not value["kind"].endswith("List") or not isinstance(items, list):
        yield Manifest(dict(value), place)
        return
    typed = {} if value["kind"] == "List" else _item_type(value)
    for number, item in enumerate(items, 1):
        obj = {**typed, **item} if isinstance(item, Mapping) else item
        yield from _of_value(obj, f"{place}, item {number}", depth + 1)


def _item_type(listed: Mapping[str, Any]) -> dict[str, str]:
    return {"apiVersion": listed["apiVersion"], "kind": listed["kind"].removesuffix("List")}
