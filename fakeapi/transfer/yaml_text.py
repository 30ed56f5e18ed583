"""Writes objects as YAML that has the same meaning in YAML 1.1 and YAML 1.2."""

import re
from functools import cache
from typing import Any

import yaml

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.lazy_pattern import lazy_pattern

_WIDTH = 1 << 20
"""Number of characters after which PyYAML folds a line. It is so large that PyYAML folds no lines."""

_READ_OTHERWISE = lazy_pattern(
    r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?|[-+]?0[oxb][0-9a-fA-F_]+"
    r"|[-+]?\.(?:inf|nan)|[yn]|yes|no|on|off|true|false|null|~|=|<<",
    re.IGNORECASE,
)
"""Matches texts that some YAML parsers read as a number, a boolean or null if they have no quotes."""


def yaml_of(obj: Object) -> str:
    """Returns the object as one YAML document that begins with `---`."""
    text: str = yaml.dump(
        obj,
        Dumper=_dumper(),
        sort_keys=False,
        allow_unicode=True,
        explicit_start=True,
        default_flow_style=False,
        width=_WIDTH,
    )
    return text


@cache
def _dumper() -> Any:
    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        """A YAML dumper that writes no anchors, and writes texts with line breaks as blocks."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    Dumper.add_representer(str, _text)
    return Dumper


def _text(dumper: Any, value: str) -> Any:
    style = None
    if "\n" in value:
        style = "|"  # PyYAML quotes texts that a block cannot represent
    elif _READ_OTHERWISE.fullmatch(value):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)
