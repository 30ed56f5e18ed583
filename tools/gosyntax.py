"""Parses Go packages: declarations, markers in comments, values and bodies of functions.

The Go program `gosyntax.go` does the parsing. It documents the forms of expressions and statements.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

Expression: TypeAlias = Any
"""A Go expression as a list whose first element is the form: `["string", "a"]`, `["select", X, "Name"]`."""


@dataclass(frozen=True)
class GoPackage:
    """A parsed Go package.

    `imports`: the import paths, by file and then by local name. gosyntax.go documents the other fields.
    """

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
        """Returns the value of a string constant or variable; None if its value is not a string literal."""
        match self.values_by_name.get(name, {}).get("value"):
            case ["string", str(text)]:
                return text
            case ["call", _, ["string", str(text)]]:  # a type conversion
                return text
            case ["name", str(other)] if other != name:
                return self.text(other)
        return None


def parse_packages(directories: Sequence[Path]) -> list[GoPackage]:
    """Parses the Go packages in these directories; returns them in the same order.

    Leaves out tests and generated protobuf code. Raises CalledProcessError if a source file is not valid Go,
    and FileNotFoundError if Go is missing.
    """
    program = Path(__file__).with_suffix(".go")
    output = subprocess.run(
        ["go", "run", str(program), *map(str, directories)], check=True, capture_output=True
    ).stdout
    packages = [json.loads(line) for line in output.splitlines()]
    return [
        GoPackage(
            each["directory"],
            each["imports"],
            each["types"] or [],
            each["values"] or [],
            each["functions"] or [],
        )
        for each in packages
    ]


def parse_package(directory: Path) -> GoPackage:
    return parse_packages([directory])[0]
