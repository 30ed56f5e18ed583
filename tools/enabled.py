"""Reads the group versions that a release serves by default, from k8s.io/kubernetes `pkg/controlplane`."""

from collections.abc import Iterable

from tools.gosyntax import Expression, GoPackage, parse_package
from tools.modules import Modules, package_of

ALWAYS = frozenset({("apiextensions.k8s.io", "v1"), ("apiregistration.k8s.io", "v1")})
"""Group versions that kube-apiserver always serves, for CustomResourceDefinitions and APIServices."""


class EnabledError(Exception):
    """Raised if the Go lists of enabled group versions are missing or have an unknown form."""


def enabled_by_default(modules: Modules) -> tuple[set[tuple[str, str]], set[tuple[str, str, str]]]:
    """Returns the group versions that a release enables, and the single resources that it also enables.

    A group version is (group, version), a resource is (group, version, resource). Raises EnabledError if the
    lists in the Go source are missing or have an unknown form.
    """
    package = parse_package(modules.kubernetes / "pkg/controlplane")
    names = {package_name: key for key, package_name in modules.api_packages().items()}
    versions = set(ALWAYS)
    resources = set()
    for value in package.values:
        if "EnabledByDefault" not in value["name"]:
            continue
        for item in _items(value["value"]):
            match item:
                case ["select", ["name", str(alias)], "SchemeGroupVersion"]:
                    versions.add(_group_version(package, value["file"], alias, names))
                case [
                    "call",
                    ["select", ["select", ["name", str(alias)], _], "WithResource"],
                    ["string", name],
                ]:
                    resources.add((*_group_version(package, value["file"], alias, names), str(name)))
                case _:
                    raise EnabledError(f"{value['name']}: {item}")
    if len(versions) < 10:
        raise EnabledError("no list of stable group versions")
    return versions, resources


def _items(literal: Expression) -> Iterable[Expression]:
    return [item for _, item in literal[2]]


def _group_version(package: GoPackage, file: str, alias: str, names: dict[str, str]) -> tuple[str, str]:
    path = package.imports[file][alias]
    package_name = package_of(path) or path.removeprefix("k8s.io/kubernetes/pkg/apis/")
    if package_name not in names:
        raise EnabledError(f"package of {alias}")
    group, _, version = names[package_name].rpartition("/")
    return group, version
