"""The flags of kube-apiserver in each release. `tools/kube_apiserver_flags.py` compiles them."""

import json
from pathlib import Path

from fakeapi.envtest.flags import Flag


def releases() -> list[str]:
    """Returns the releases whose flags are known, such as "1.34", oldest first."""
    return list(_table())


def flags_of(release: str) -> list[Flag]:
    """Returns the flags of kube-apiserver in a release. Raises KeyError for an unknown release."""
    return [
        Flag(name, kind, shorthand, alone or None)
        for name, (kind, shorthand, alone) in _table()[release].items()
    ]


def _table() -> dict[str, dict[str, tuple[str, str, str]]]:
    text = (Path(__file__).parent / "kube_apiserver_flags.json").read_text("utf-8")
    table: dict[str, dict[str, tuple[str, str, str]]] = json.loads(text)
    return table
