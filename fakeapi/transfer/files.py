"""Writes manifests: as one text, to a file, or to a directory with a file for each."""

import zlib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from fakeapi.machinery.json_types import Object
from fakeapi.transfer.yaml_text import yaml_of
from fakeapi.wholefile import make_directory, write_whole

CLUSTER = "_cluster"
"""The directory of objects without a namespace; no namespace can have the name."""

_NAME_LENGTH = 200
"""Characters of a file's name; a longer one is cut and gets a checksum, as file systems take 255 bytes."""

_NAME_CHARACTERS = " :@+=,"
"""Characters that file names keep, beside letters, digits and `_.-~`."""


class WriteError(Exception):
    """A file or directory that cannot be written; one line for the user."""


def text_of(manifests: Iterable[Object]) -> str:
    """All manifests as one YAML text."""
    return "".join(map(yaml_of, manifests))


def write_file(path: Path, manifests: Iterable[Object]) -> None:
    """Writes one file, whole or not at all, readable by its owner only. Raises WriteError."""
    try:
        write_whole(path, text_of(manifests).encode())
    except OSError as error:
        raise WriteError(f"cannot write {path}: {error.strerror or error}") from error


def check_directory(path: Path) -> None:
    """Raises WriteError for a directory that holds something, whose files might be taken for exported."""
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            problem = "is not empty" if path.is_dir() else "is no directory"
            raise WriteError(f"{path} {problem}: name a new directory or remove it first")
    except OSError as error:
        raise WriteError(f"cannot read {path}: {error.strerror or error}") from error


def write_directory(path: Path, manifests: Iterable[tuple[str, Object]]) -> None:
    """Writes each manifest, given with its resource, to NAMESPACE/RESOURCE/NAME.yaml.

    Nothing is written outside of the directory, whatever the names are. Raises WriteError, also for two
    manifests of the same place.
    """
    check_directory(path)
    written: set[Path] = set()
    try:
        make_directory(path, 0o700)
        for resource, manifest in manifests:
            file = path / _place_of(resource, manifest)
            if file in written:
                raise WriteError(f"{file} would be two objects")
            written.add(file)
            make_directory(file.parent, 0o700)
            write_whole(file, _encoded(manifest))
    except OSError as error:
        raise WriteError(f"cannot write {error.filename or path}: {error.strerror or error}") from error


def _place_of(resource: str, manifest: Object) -> Path:
    """The relative path of a manifest; each of its parts is one name of a file."""
    metadata = manifest["metadata"]
    namespace = metadata.get("namespace")
    folder = CLUSTER if not namespace else _file_name(namespace) if namespace != CLUSTER else "%5Fcluster"
    return Path(folder, _file_name(resource), f"{_file_name(metadata['name'])}.yaml")


def _file_name(name: str) -> str:
    """The name of a file or directory for a name of Kubernetes: never a path, nor hidden."""
    quoted = quote(name, safe=_NAME_CHARACTERS, errors="surrogatepass")
    if quoted.startswith("."):
        quoted = f"%2E{quoted[1:]}"
    if len(quoted) <= _NAME_LENGTH:
        return quoted
    return f"{quoted[:_NAME_LENGTH]}~{zlib.crc32(quoted.encode()):08x}"


def _encoded(manifest: Object) -> bytes:
    return yaml_of(manifest).removeprefix("---\n").encode()
