"""Descriptions of types and fields, which `kubectl explain` prints.

Those of resource.k8s.io, of metadata and of pods are written in `descriptions.json`; others are made from
names and types. They are the project's own words: what Kubernetes says is longer, and its own.
"""

import json
import re
from functools import cache
from importlib.resources import files
from typing import TypeAlias

Texts: TypeAlias = dict[str, dict[str, dict[str, str]]]

_ANY = "*"
_SCALAR_WORDS = {"bool": "true or false", "[]byte": "base64"}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def describe_type(go: str) -> str:
    """The description of a type such as `resource/v1.DeviceRequest`."""
    package, name = _package_and_name(go)
    written = _texts().get(package, {}).get(name, {}).get("")
    return written or f"{_sentence(name)}."


def describe_field(go: str, field: str, field_type: str) -> str:
    """The description of a field of a type; `field_type` as Go has it."""
    package, name = _package_and_name(go)
    texts = _texts()
    own = texts.get(package, {}).get(name, {}).get(field)
    return own or texts[_ANY][_ANY].get(field) or _generated(field, field_type)


def _package_and_name(go: str) -> tuple[str, str]:
    package, _, name = go.rpartition(".")
    return package.partition("/")[0], name


def _generated(field: str, go: str) -> str:
    """`nodeName` is "Node name."; a list or a map says so, and of what."""
    words, bare = _sentence(field), go.removeprefix("*")
    if bare in _SCALAR_WORDS:
        return f"{words}: {_SCALAR_WORDS[bare]}."
    if bare.startswith("map["):
        return f"{words}, by key."
    if bare.startswith("[]"):
        return f"{words}, a list."
    return f"{words}."


def _sentence(name: str) -> str:
    """Words of a CamelCase name, the first with a capital; what is in capitals stays so."""
    words = [word if word.isupper() else word.lower() for word in _WORDS.findall(name)] or [name]
    text = " ".join(words)
    return text[0].upper() + text[1:]


@cache
def _texts() -> Texts:
    """By package, type and field; the type itself under ""."""
    found: Texts = json.loads((files(__package__) / "descriptions.json").read_text(encoding="utf-8"))
    return found
