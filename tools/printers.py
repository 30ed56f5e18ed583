"""The columns of the Tables that a release's server makes of its kinds: names, types, formats, priorities.

From k8s.io/kubernetes `pkg/printers/internalversion`; the descriptions stay there.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from tools.gosyntax import Expression, GoPackage, parse_package, parse_packages
from tools.modules import Modules

Column: TypeAlias = list[Any]
"""Name, type, format, priority."""

_INTERNAL = "k8s.io/kubernetes/pkg/apis/"
_SAME = {"events.k8s.io/Event": "Event"}
"""Kinds that are another group's inside the server."""


class PrintersError(Exception):
    """A printer of a form that is not known here."""


def columns_of_release(modules: Modules) -> dict[str, list[Column]]:
    """The columns by `group/Kind`, of the core group by `Kind`. Raises PrintersError."""
    package = parse_package(modules.kubernetes / "pkg/printers/internalversion")
    printed = _printed_types(package)
    (handlers,) = (each for each in package.functions if each["name"] == "AddHandlers")
    definitions: dict[str, list[Column]] = {}
    by_type: dict[tuple[str, str], list[Column]] = {}
    for statement in handlers["body"]:
        match statement:
            case ["assign", [["name", str(name)]], [["literal", ["list", _], columns]]]:
                definitions[name] = [_column(literal) for _, literal in columns]
            case ["assign", [["name", str(name)]], [["call", ["name", "append"], _, *more]]]:
                literals = [item for each in more for _, item in each[2]] if more[0][1][0] == "list" else more
                definitions[name] = definitions[name] + [_column(literal) for literal in literals]
            case ["assign", _, [call]] | ["do", call]:
                variable, function = _handled(call)
                by_type[printed[function]] = definitions[variable]
    groups = _groups(modules, sorted({path for path, _ in by_type if path.startswith(_INTERNAL)}))
    found = {
        f"{groups[path]}/{kind}" if groups[path] else kind: columns
        for (path, kind), columns in by_type.items()
        if path in groups and not kind.endswith("List")
    }
    found |= {name: found[other] for name, other in _SAME.items()}
    return dict(sorted(found.items()))


def _handled(call: Expression) -> tuple[str, str]:
    match call:
        case ["call", ["select", _, "TableHandler"], ["name", str(variable)], ["name", str(function)]]:
            return variable, function
    raise PrintersError(f"no table handler: {call}")


def _printed_types(package: GoPackage) -> dict[str, tuple[str, str]]:
    """By function: the package and the name of the type that it prints."""
    return {name: found for each in package.functions for name, found in _printed_type(package, each)}


def _printed_type(package: GoPackage, function: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    match function.get("parameters") or [{"type": None}]:
        case [{"type": ["star", ["select", ["name", str(alias)], str(kind)]]}, *_]:
            yield function["name"], (package.imports[function["file"]][alias], kind)


def _column(literal: Expression) -> Column:
    stated: dict[str, Any] = {"Name": "", "Type": "", "Format": "", "Priority": 0}
    for key, value in literal[2]:
        match key[1], value:
            case "Description", _:
                continue
            case name, ["string", str(text)]:
                stated[name] = text
            case name, ["int", str(number)]:
                stated[name] = int(number)
            case _:
                raise PrintersError(f"{key}: {value}")
    return list(stated.values())


def _groups(modules: Modules, paths: list[str]) -> dict[str, str]:
    """The group of each package of internal types."""
    folders = [modules.kubernetes / path.removeprefix("k8s.io/kubernetes/") for path in paths]
    packages = parse_packages(folders)
    return {path: package.text("GroupName") or "" for path, package in zip(paths, packages, strict=True)}
