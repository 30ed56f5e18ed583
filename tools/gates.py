"""Reads the feature gates of all Kubernetes components in each release, and their history since 1.27.

The packages in FEATURES declare gates as maps of specifications. Since 1.31, a gate can have a specification
for each version. k8s.io/kubernetes `pkg/features` declares the gates of all components, so
kube-apiserver also knows the gates of kubelet, kube-scheduler and kube-controller-manager.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from tools.gosyntax import Expression, GoPackage, parse_packages
from tools.modules import Modules

FEATURES = (
    ("kubernetes", "pkg/features"),
    ("apiserver", "pkg/features"),
    ("apiextensions-apiserver", "pkg/features"),
    ("client-go", "features"),
    ("component-base", "logs/api/v1"),
    ("component-base", "metrics/features"),
    ("component-base", "zpages/features"),
    ("controller-manager", "pkg/features"),
)
"""The Go packages that declare feature gates, as (module, package). Some releases lack some packages."""

Spec: TypeAlias = list[Any]
"""The specification of a feature gate: its stage, its default, and whether the default is locked."""

_STAGES = {"Alpha": "ALPHA", "Beta": "BETA", "GA": "GA", "Deprecated": "DEPRECATED"}


class GatesError(Exception):
    """Raised if the specification of a feature gate has an unknown form in the Go source."""


def gates_of_release(modules: Modules) -> dict[str, Spec]:
    """Returns the feature gates of a release by name, each with its specification.

    Raises GatesError if a specification has an unknown form.
    """
    by_path = _packages(modules)
    minor = int(modules.release.partition(".")[2])
    gates: dict[str, Spec] = {}
    for package in by_path.values():
        for value in [*package.values, *_returned_values(package)]:
            for name, specs in _specifications(package, value, by_path):
                current = [spec for since, spec in specs if since <= minor]
                if current:
                    gates[name] = current[-1]
    return dict(sorted(gates.items()))


def requirements_of_release(modules: Modules) -> dict[str, list[str]]:
    """Returns the gates that each gate depends on; empty for releases without declared dependencies."""
    by_path = _packages(modules)
    requirements = {}
    for package in by_path.values():
        for value in package.values:
            match value.get("value"):
                case ["literal", ["map", ["select", _, "Feature"], ["list", _]], pairs]:
                    for key, needed in pairs:
                        names = [_name(each, package, value["file"], by_path) for _, each in needed[2]]
                        if names:
                            requirements[_name(key, package, value["file"], by_path)] = sorted(names)
    return requirements


def _packages(modules: Modules) -> dict[str, GoPackage]:
    """Parses the Go packages in FEATURES; returns them by import path. Skips packages that do not exist."""
    folders = {
        f"k8s.io/{module}/{package}": modules.folders[module] / package for module, package in FEATURES
    }
    folders = {path: folder for path, folder in folders.items() if folder.is_dir()}
    return dict(zip(folders, parse_packages(list(folders.values())), strict=True))


def _returned_values(package: GoPackage) -> Iterator[dict[str, Expression]]:
    """Yields the returned expression and the file of each one-line Go function in a package.

    The keys are `value` and `file`. The module component-base declares its gates in such functions.
    """
    for function in package.functions:
        match function["body"]:
            case [["return", value]]:
                yield {"value": value, "file": function["file"]}


def changes(releases: dict[int, dict[str, list[Any]]], absent: Any) -> dict[str, list[list[Any]]]:
    """Returns the changes of each name's data, such as `[[27, …], [31, …]]`.

    A change has the minor version of the release and the new data. `releases`: the data of each name by minor
    version, in ascending order. `absent`: the data to use for a release that no longer has the name.
    """
    histories: dict[str, list[list[Any]]] = {}
    for name in sorted({name for each in releases.values() for name in each}):
        history: list[list[Any]] = []
        for minor, each in releases.items():
            now = each.get(name, absent)
            if history[-1][1:] != now if history else name in each:
                history.append([minor, *now])
        histories[name] = history
    return histories


def _specifications(
    package: GoPackage, value: dict[str, Expression], by_path: dict[str, GoPackage]
) -> Iterator[tuple[str, list[tuple[int, Spec]]]]:
    match value.get("value"):
        case [
            "literal",
            ["map", ["select", _, "Feature"], ["select", _, "FeatureSpec" | "VersionedSpecs"]]
            | ["map", ["name", "Feature"], ["name", "FeatureSpec" | "VersionedSpecs"]],
            pairs,
        ]:
            for key, specs in pairs:
                yield _name(key, package, value["file"], by_path), _specs(specs, package)


def _name(key: Expression, package: GoPackage, file: str, by_path: dict[str, GoPackage]) -> str:
    match key:
        case ["name", str(constant)]:
            text = package.text(constant)
        case ["select", ["name", str(alias)], str(constant)]:
            other = by_path.get(package.imports[file][alias])
            text = other.text(constant) if other else constant  # constants have the names of their gates
        case ["call", ["select", _, "Feature"], inner]:
            text = _name(inner, package, file, by_path)
        case _:
            text = None
    if text is None:
        raise GatesError(f"{file}: {key}")
    return text


def _specs(literal: Expression, package: GoPackage) -> list[tuple[int, Spec]]:
    """Returns a gate's specifications as (first minor version, specification), in ascending order."""
    _, _, members = literal
    if members and members[0][0] is None:
        return [_spec(each, package) for _, each in members]
    return [_spec(literal, package)]


def _spec(literal: Expression, package: GoPackage) -> tuple[int, Spec]:
    since, stage, default, locked, is_default = 0, "", False, False, True
    for key, value in literal[2]:
        match key[1], value:
            case "Version", ["call", ["select", ["name", "version"], _], ["string", str(text)]]:
                since = int(text.partition(".")[2])
            case "PreRelease", ["select", _, str(name)] | ["name", str(name)]:
                stage = _STAGES[name]
            case "Default", ["name", str(word)]:
                default = _boolean(word, package)
            case "LockToDefault", ["name", str(word)]:
                locked = _boolean(word, package)
            case "MinCompatibilityVersion", _:
                is_default = False
            case _:
                raise GatesError(f"{key}: {value}")
    return since, [stage, default and is_default, locked]


def _boolean(word: str, package: GoPackage) -> bool:
    """Evaluates `true`, `false` or a boolean constant of the package.

    Raises GatesError if `word` is something else.
    """
    match word, package.values_by_name.get(word, {}).get("value"):
        case (("true" | "false"), _):
            return word == "true"
        case _, ["name", ("true" | "false") as value]:
            return bool(value == "true")
    raise GatesError(f"not a boolean: {word}")
