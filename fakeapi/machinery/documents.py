"""Parses the documents of a file: JSON, or YAML as kubectl reads it, within bounds."""

import re
from collections.abc import Iterable
from typing import Any

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_decoding import decode_lenient
from fakeapi.machinery.printable import printable_line

NODES_MAX = 2_000_000
"""Values of one file, counting again what aliases and merges of YAML repeat; a file with more is refused."""

DOCUMENTS_MAX = 100_000
"""YAML documents of one file, counting empty ones; a file with more is refused. An installation may have as
many objects.
"""

DEPTH_MAX = 200
"""Levels of a document; a deeper one is refused. The deepest objects of Kubernetes, definitions of custom
resources, have some 130.
"""

_MESSAGE_LENGTH = 500
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NO_SEPARATORS = bytes(byte for byte in range(256) if byte not in b"[{,:")


class DocumentError(ValueError):
    """A text that is not JSON or YAML, or beyond the bounds: one line of limited length."""

    def __init__(self, why: str) -> None:
        super().__init__(printable_line(why, _MESSAGE_LENGTH))


def documents_of(text: str) -> list[Any]:
    """The documents of a YAML or JSON text, without empty ones; the items of a JSON array are documents.

    Raises DocumentError.
    """
    documents = [document for _, document in numbered_documents(text)]
    if len(documents) == 1 and isinstance(documents[0], list) and _may_be_json(text):
        return list(documents[0])
    return documents


def document_of(text: str) -> Any:
    """The document of a YAML or JSON text; None if it is empty. Raises DocumentError, also for several."""
    documents = numbered_documents(text)
    if len(documents) > 1:
        raise DocumentError(f"{len(documents)} documents where one is expected")
    return documents[0][1] if documents else None


def numbered_documents(text: str) -> list[tuple[int, Any]]:
    """The documents of a YAML or JSON text with their numbers from 1; empty ones count and are left out.

    YAML is read as sigs.k8s.io/yaml reads it (`machinery.golang.yaml_text`), so that dates are text and of
    repeated keys the last counts. Raises DocumentError.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise DocumentError("not YAML: it has a surrogate, which UTF-8 cannot write") from error
    if _may_be_json(text):
        try:
            return [(1, decode_json(encoded))]
        except JsonError:
            pass  # YAML has braces and brackets too
    from fakeapi.machinery.golang import yaml_text  # noqa: PLC0415 - brings PyYAML, for YAML alone

    try:
        values = yaml_text.load_all(encoded, nodes_max=NODES_MAX, depth_max=DEPTH_MAX)
        return _numbered(values)
    except yaml_text.YamlError as error:
        words = str(error).removeprefix("yaml: ")
        raise DocumentError(f"not YAML: {words}") from error


def _numbered(values: Iterable[Any]) -> list[tuple[int, Any]]:
    """Returns the values other than None with their numbers. Raises DocumentError for too many values."""
    numbered: list[tuple[int, Any]] = []
    for number, value in enumerate(values, 1):
        if number > DOCUMENTS_MAX:
            raise DocumentError(f"it has more than {DOCUMENTS_MAX} documents")
        if value is not None:
            numbered.append((number, value))
    return numbered


def decode_json(data: bytes) -> Any:
    """The value of JSON text.

    Raises JsonError for what is not JSON or nests too deep, DocumentError for too many values.
    """
    if _separators(data) > NODES_MAX and _separators(_STRINGS.sub(b'""', data)) > NODES_MAX:
        raise DocumentError(f"it has more than {NODES_MAX} values")
    return decode_lenient(data, nesting_max=DEPTH_MAX)


def _separators(data: bytes) -> int:
    """The brackets, commas and colons of a text: about one for each value, and never fewer."""
    return len(data.translate(None, _NO_SEPARATORS))


def _may_be_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))
