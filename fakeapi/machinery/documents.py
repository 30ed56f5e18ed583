"""Parses the documents of a JSON or YAML file like kubectl, with limits on their size."""

import re
from collections.abc import Iterable
from typing import Any

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang.json_decoding import decode_lenient
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.printable import printable_line

NODES_MAX = 2_000_000
"""Maximum number of JSON values in one file. If YAML aliases repeat a value, each repetition counts."""

DOCUMENTS_MAX = 100_000
"""Maximum number of YAML documents of one file, including empty documents.

A file with all objects of a large cluster may have this many documents.
"""

DEPTH_MAX = 200
"""Maximum nesting depth of a document.

The deepest objects of Kubernetes, CustomResourceDefinitions, have about 130 levels.
"""

_MESSAGE_LENGTH = 500
_STRINGS = lazy_pattern(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NO_SEPARATORS = bytes(byte for byte in range(256) if byte not in b"[{,:")


class DocumentError(ValueError):
    """A text is neither JSON nor YAML, or exceeds a limit; the message is one short line."""

    def __init__(self, why: str) -> None:
        super().__init__(printable_line(why, _MESSAGE_LENGTH))


def documents_of(text: str) -> list[Any]:
    """Returns the documents of a YAML or JSON text, without empty documents.

    Returns the items of a JSON array as separate documents. Raises DocumentError if the text is neither JSON
    nor YAML, or exceeds a limit.
    """
    documents = [document for _, document in numbered_documents(text)]
    if len(documents) == 1 and isinstance(documents[0], list) and _may_be_json(text):
        return list(documents[0])
    return documents


def document_of(text: str) -> Any:
    """Returns the only document of a YAML or JSON text; None if the text is empty.

    Raises DocumentError if the text is neither JSON nor YAML, exceeds a limit, or has several documents.
    """
    documents = numbered_documents(text)
    if len(documents) > 1:
        raise DocumentError(f"one document is expected, not {len(documents)}")
    return documents[0][1] if documents else None


def numbered_documents(text: str) -> list[tuple[int, Any]]:
    """Returns (number, document) for the documents of a YAML or JSON text; numbers start at 1.

    Counts empty documents, but does not return them. Parses YAML like sigs.k8s.io/yaml: dates are strings,
    and the last value of a repeated key counts. Raises DocumentError if the text is neither JSON nor YAML, or
    exceeds a limit.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise DocumentError("not YAML: it has a surrogate, which UTF-8 cannot write") from error
    if _may_be_json(text):
        try:
            return [(1, decode_json(encoded))]
        except JsonError:
            pass  # A text that begins with a brace or bracket may also be YAML.
    from fakeapi.machinery.golang import yaml_text  # noqa: PLC0415 - imports PyYAML, only for YAML

    try:
        values = yaml_text.load_all(encoded, nodes_max=NODES_MAX, depth_max=DEPTH_MAX)
        return _numbered(values)
    except yaml_text.YamlError as error:
        words = str(error).removeprefix("yaml: ")
        raise DocumentError(f"not YAML: {words}") from error


def _numbered(values: Iterable[Any]) -> list[tuple[int, Any]]:
    """Returns (number, value) for the values other than None; numbers start at 1.

    Raises DocumentError for more than DOCUMENTS_MAX values.
    """
    numbered: list[tuple[int, Any]] = []
    for number, value in enumerate(values, 1):
        if number > DOCUMENTS_MAX:
            raise DocumentError(f"it has more than {DOCUMENTS_MAX} documents")
        if value is not None:
            numbered.append((number, value))
    return numbered


def decode_json(data: bytes) -> Any:
    """Decodes JSON text, within the limits of this module.

    Raises JsonError if the text is not JSON or is nested too deeply. Raises DocumentError if the text has
    more than NODES_MAX values.
    """
    if _separators(data) > NODES_MAX and _separators(_STRINGS.sub(b'""', data)) > NODES_MAX:
        raise DocumentError(f"it has more than {NODES_MAX} values")
    return decode_lenient(data, nesting_max=DEPTH_MAX)


def _separators(data: bytes) -> int:
    """Counts the opening brackets, commas and colons of JSON: about one or two for each JSON value."""
    return len(data.translate(None, _NO_SEPARATORS))


def _may_be_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))
