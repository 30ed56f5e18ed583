"""Writes manifests as YAML: as one text, to one file, or to a directory with one file per object."""

import zlib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from fakeapi.atomic_file import make_directory, write_atomically
from fakeapi.machinery.json_types import Object
from fakeapi.transfer.yaml_text import yaml_of

CLUSTER = "_cluster"
"""The directory for cluster-scoped objects; a namespace cannot have this name."""

_NAME_LENGTH = 200
"""Maximum number of characters of a file name; a longer name is cut and gets a checksum.

File systems allow 255 bytes, which must also hold the checksum and the suffix.
"""

_NAME_CHARACTERS = " :@+=,"
"""Characters that file names contain unchanged, in addition to letters, digits and `_.-~`."""


class WriteError(Exception):
    """Raised if a file or directory cannot be written. The message is one line."""


def text_of(manifests: Iterable[Object]) -> str:
    """Returns the manifests as one YAML text, each in its own document."""
    return "".join(map(yaml_of, manifests))


def write_file(path: Path, manifests: Iterable[Object]) -> None:
    """Writes all manifests to one file, atomically. Only the owner of the file can read it.

    Raises WriteError if the file cannot be written.
    """
    try:
        write_atomically(path, text_of(manifests).encode())
    except OSError as error:
        raise WriteError(f"cannot write {path}: {error.strerror or error}") from error


def check_directory(path: Path) -> None:
    """Raises WriteError if the path is not a new or empty directory.

    In other directories, users could mistake older files for exported files.
    """
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            problem = "is not empty" if path.is_dir() else "is not a directory"
            raise WriteError(f"{path} {problem}: name a new directory or remove it first")
    except OSError as error:
        raise WriteError(f"cannot read {path}: {error.strerror or error}") from error


def write_directory(path: Path, manifests: Iterable[tuple[str, Object]]) -> None:
    """Writes each manifest to the file NAMESPACE/RESOURCE/NAME.yaml in a new or empty directory.

    `manifests`: pairs of a resource and a manifest. In names, each "/" and a leading "." are escaped, so that
    no file is outside of the directory.

    Raises WriteError if the directory is not empty, if a file cannot be written, or if two manifests would
    have the same path.
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
    """Returns the path of a manifest, relative to the directory of the export."""
    metadata = manifest["metadata"]
    namespace = metadata.get("namespace")
    folder = CLUSTER if not namespace else _file_name(namespace) if namespace != CLUSTER else "%5Fcluster"
    return Path(folder, _file_name(resource), f"{_file_name(metadata['name'])}.yaml")


def _file_name(name: str) -> str:
    """Converts a Kubernetes name to a file name, which never contains a slash or begins with a dot."""
    quoted = quote(name, safe=_NAME_CHARACTERS, errors="surrogatepass")
    if quoted.startswith("."):
        quoted = f"%2E{quoted[1:]}"
    if len(quoted) <= _NAME_LENGTH:
        return quoted
    return f"{quoted[:_NAME_LENGTH]}~{zlib.crc32(quoted.encode()):08x}"


def _encoded(manifest: Object) -> bytes:
    return yaml_of(manifest).removeprefix("---\n").encode()
