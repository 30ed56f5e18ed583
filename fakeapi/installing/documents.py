"""Parses YAML and JSON documents; YAML values without a JSON type stay text."""

import json
from functools import cache
from typing import Any


def documents_of(text: str) -> list[Any]:
    """The documents of a YAML or JSON text that are not empty. Raises ValueError of one line."""
    if text.lstrip().startswith(("{", "[")):
        try:
            document = json.loads(text)
        except ValueError:
            pass  # YAML has braces and brackets too
        else:
            return document if isinstance(document, list) else [document]
    return [document for _, document in numbered_documents(text)]


def numbered_documents(text: str) -> list[tuple[int, Any]]:
    """The documents of a YAML text, with their numbers from 1; empty ones count and are left out.

    Raises ValueError of one line.
    """
    import yaml  # noqa: PLC0415 - 20 ms, for those who write YAML

    found = []
    try:
        for number, document in enumerate(yaml.load_all(text, _loader()), 1):
            if document is not None:
                found.append((number, document))
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {_one_line(error)}") from error
    except (RecursionError, ValueError) as error:
        raise ValueError(f"not YAML: {_one_line(error)}") from error
    return found


@cache
def _loader() -> Any:
    import yaml  # noqa: PLC0415 - see above

    class Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
        """YAML loader that keeps timestamps as text, and `=`, which has a meaning in YAML 1.1."""

    for tag in ("timestamp", "value"):
        Loader.add_constructor(f"tag:yaml.org,2002:{tag}", Loader.construct_yaml_str)
    return Loader


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
