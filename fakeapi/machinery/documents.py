"""Parses the documents of a file, within limits: JSON, or YAML as kubectl reads it."""

import re
from collections.abc import Iterable
from typing import Any

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_decoding import decode_lenient
from fakeapi.machinery.printable import printable_line

NODES_MAX = 2_000_000
"""Maximum number of values of one file; values that aliases and merges of YAML repeat count each time."""

DOCUMENTS_MAX = 100_000
"""YAML documents of one file, counting empty ones; a file with more is refused. An installation may have as
many objects.
"""

DEPTH_MAX = 200
"""Maximum number of levels of a document.

The deepest objects of Kubernetes, CustomResourceDefinitions, have some 130.
"""

_MESSAGE_LENGTH = 500
_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NO_SEPARATORS = bytes(byte for byte in range(256) if byte not in b"[{,:")


class DocumentError(ValueError):
    """A text that is not JSON or YAML, or exceeds the limits. The message is one line of limited length."""

    def __init__(self, why: str) -> None:
        super().__init__(printable_line(why, _MESSAGE_LENGTH))


def documents_of(text: str) -> list[Any]:
    """Returns the documents of a YAML or JSON text, without empty ones; a JSON array is a list of documents.

    Raises DocumentError.
    """
    documents = [document for _, document in numbered_documents(text)]
    if len(documents) == 1 and isinstance(documents[0], list) and _may_be_json(text):
        return list(documents[0])
    return documents


def document_of(text: str) -> Any:
    """Returns the document of a YAML or JSON text; None if it is empty.

    Raises DocumentError, also for several documents.
    """
    documents = numbered_documents(text)
    if len(documents) > 1:
        raise DocumentError(f"{len(documents)} documents where one is expected")
    return documents[0][1] if documents else None


def numbered_documents(text: str) -> list[tuple[int, Any]]:
    """Returns the documents of a YAML or JSON text with their numbers, which start at 1.

    Empty documents are counted but not returned. YAML is read like sigs.k8s.io/yaml
    (`machinery.golang.yaml_text`): dates are strings, and the last of repeated keys wins. Raises
    DocumentError.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise DocumentError("not YAML: it has a surrogate, which UTF-8 cannot write") from error
    if _may_be_json(text):
        try:
            return [(1, decode_json(encoded))]
        except JsonError:
            pass  # braces and brackets are YAML too
    from fakeapi.machinery.golang import yaml_text  # noqa: PLC0415 - imports PyYAML, only for YAML

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
    """Decodes JSON text.

    Raises JsonError if it is not JSON or nests too deep, DocumentError if it has too many values.
    """
    if _separators(data) > NODES_MAX and _separators(_STRINGS.sub(b'""', data)) > NODES_MAX:
        raise DocumentError(f"it has more than {NODES_MAX} values")
    return decode_lenient(data, nesting_max=DEPTH_MAX)


def _separators(data: bytes) -> int:
    """Counts the brackets, commas and colons of a text: about one for each value, and never fewer."""
    return len(data.translate(None, _NO_SEPARATORS))


def _may_be_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))
