"""Go packages as data: declarations, markers in comments, values and the bodies of functions.

What is parsed, and the forms that expressions and statements have, is written in `gosyntax.go`.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

Expression: TypeAlias = Any
"""A list that begins with what it is: `["string", "a"]`, `["select", X, "Name"]`."""


@dataclass(frozen=True)
class GoPackage:
    """One package: `imports` by file and local name; the rest as gosyntax.go has it."""

    directory: str
    imports: dict[str, dict[str, str]]
    types: list[dict[str, Any]]
    values: list[dict[str, Any]]
    functions: list[dict[str, Any]]

    @cached_property
    def types_by_name(self) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in self.types}

    @cached_property
    def values_by_name(self) -> dict[str, dict[str, Any]]:
        return {each["name"]: each for each in self.values}

    def text(self, name: str) -> str | None:
        """The text that a constant or variable is; None where it is none, or not written out."""
        match self.values_by_name.get(name, {}).get("value"):
            case ["string", str(text)]:
                return text
            case ["call", _, ["string", str(text)]]:  # a conversion
                return text
            case ["name", str(other)] if other != name:
                return self.text(other)
        return None


def parse_packages(directories: Sequence[Path]) -> list[GoPackage]:
    """The packages in these directories, in this order, tests and generated protobuf left out.

    Raises CalledProcessError where Go is missing or a source is no Go.
    """
    program = Path(__file__).with_suffix(".go")
    output = subprocess.run(
        ["go", "run", str(program), *map(str, directories)], check=True, capture_output=True
    ).stdout
    found = [json.loads(line) for line in output.splitlines()]
    return [
        GoPackage(
            each["directory"],
            each["imports"],
            each["types"] or [],
            each["values"] or [],
            each["functions"] or [],
        )
        for each in found
    ]


def parse_package(directory: Path) -> GoPackage:
    return parse_packages([directory])[0]
