"""Descriptions of types and fields, which `kubectl explain` prints.

`descriptions.json` contains the texts for resource.k8s.io, metadata and pods. All other texts are generated
from names and types. The texts were written for fakeapi. Kubernetes' own texts are longer and belong to
Kubernetes.
"""

import json
from functools import cache
from pathlib import Path
from typing import TypeAlias

from fakeapi.machinery.lazy_pattern import lazy_pattern

Texts: TypeAlias = dict[str, dict[str, dict[str, str]]]

_ANY = "*"
_SCALAR_WORDS = {"bool": "true or false", "[]byte": "base64"}
_WORDS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


def describe_type(go: str) -> str:
    """Returns the description of a Go type such as `resource/v1.DeviceRequest`."""
    package, name = _package_and_name(go)
    written = _texts().get(package, {}).get(name, {}).get("")
    return written or f"{_sentence(name)}."


def describe_field(go: str, field: str, field_type: str) -> str:
    """Returns the description of a field.

    - `go`: the Go struct that contains the field, such as `resource/v1.DeviceRequest`.
    - `field`: the JSON name of the field.
    - `field_type`: the Go type of the field.
    """
    package, name = _package_and_name(go)
    texts = _texts()
    own = texts.get(package, {}).get(name, {}).get(field)
    return own or texts[_ANY][_ANY].get(field) or _generated(field, field_type)


def _package_and_name(go: str) -> tuple[str, str]:
    package, _, name = go.rpartition(".")
    return package.partition("/")[0], name


def _generated(field: str, go: str) -> str:
    """Generates a description from a field's name and Go type: for example, `nodeName` gives "Node name.".

    Booleans, bytes, lists and maps get an addition such as ", a list".
    """
    words, bare = _sentence(field), go.removeprefix("*")
    if bare in _SCALAR_WORDS:
        return f"{words}: {_SCALAR_WORDS[bare]}."
    if bare.startswith("map["):
        return f"{words}, by key."
    if bare.startswith("[]"):
        return f"{words}, a list."
    return f"{words}."


def _sentence(name: str) -> str:
    """Splits a CamelCase name into words: `nodeName` gives "Node name". Keeps acronyms in capitals."""
    words = [word if word.isupper() else word.lower() for word in _WORDS.findall(name)] or [name]
    text = " ".join(words)
    return text[0].upper() + text[1:]


@cache
def _texts() -> Texts:
    """Returns the descriptions by Go package, type and field.

    The field "" has the description of the type itself.
    """
    texts: Texts = json.loads(Path(__file__).with_name("descriptions.json").read_text(encoding="utf-8"))
    return texts
