"""Writes manifests: as one text, to a file, or to a directory with a file for each."""

import zlib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from fakeapi.atomic_file import make_directory, write_atomically
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.yaml_text import yaml_of

CLUSTER = "_cluster"
"""The directory of objects without a namespace; no namespace can have this name."""

_NAME_LENGTH = 200
"""Maximum number of characters of a file's name; a longer name is cut and gets a checksum.

File systems allow 255 bytes.
"""

_NAME_CHARACTERS = " :@+=,"
"""Characters that file names keep besides letters, digits and `_.-~`."""


class WriteError(Exception):
    """A file or directory that cannot be written; the message is one line."""


def text_of(manifests: Iterable[Object]) -> str:
    """Returns all manifests as one YAML text."""
    return "".join(map(yaml_of, manifests))


def write_file(path: Path, manifests: Iterable[Object]) -> None:
    """Writes one file atomically, readable only by its owner. Raises WriteError."""
    try:
        write_atomically(path, text_of(manifests).encode())
    except OSError as error:
        raise WriteError(f"cannot write {path}: {error.strerror or error}") from error


def check_directory(path: Path) -> None:
    """Raises WriteError for a directory with files, because users could mistake those for exported ones."""
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            problem = "is not empty" if path.is_dir() else "is not a directory"
            raise WriteError(f"{path} {problem}: name a new directory or remove it first")
    except OSError as error:
        raise WriteError(f"cannot read {path}: {error.strerror or error}") from error


def write_directory(path: Path, manifests: Iterable[tuple[str, Object]]) -> None:
    """Writes each manifest, paired with its resource, to NAMESPACE/RESOURCE/NAME.yaml.

    It never writes outside of the directory, whatever the names contain. Raises WriteError, also if two
    manifests would have the same path.
    """
    check_directory(path)
    written: set[Path] = set()
    try:
        make_directory(path, 0o700)
        for resource, manifest in manifests:
            file = path / _place_of(resource, manifest)
            if file in written:
                raise WriteError(f"two objects would be in {file}")
            written.add(file)
            make_directory(file.parent, 0o700)
            write_atomically(file, _encoded(manifest))
    except OSError as error:
        raise WriteError(f"cannot write {error.filename or path}: {error.strerror or error}") from error


def _place_of(resource: str, manifest: Object) -> Path:
    """Returns the relative path of a manifest; each part of it is one file name."""
    metadata = manifest["metadata"]
    namespace = metadata.get("namespace")
    folder = CLUSTER if not namespace else _file_name(namespace) if namespace != CLUSTER else "%5Fcluster"
    return Path(folder, _file_name(resource), f"{_file_name(metadata['name'])}.yaml")


def _file_name(name: str) -> str:
    """Returns a file name for a Kubernetes name; it is never a path or a hidden file."""
    quoted = quote(name, safe=_NAME_CHARACTERS, errors="surrogatepass")
    if quoted.startswith("."):
        quoted = f"%2E{quoted[1:]}"
    if len(quoted) <= _NAME_LENGTH:
        return quoted
    return f"{quoted[:_NAME_LENGTH]}~{zlib.crc32(quoted.encode()):08x}"


def _encoded(manifest: Object) -> bytes:
    return yaml_of(manifest).removeprefix("---\n").encode()
