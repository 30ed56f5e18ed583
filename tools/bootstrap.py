"""Reads the objects that the API server of a Kubernetes release creates by itself in a new cluster.

- RBAC objects for the default feature gates of the release: from the test data of k8s.io/kubernetes
  `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`
- FlowSchemas and PriorityLevelConfigurations: from k8s.io/apiserver `pkg/apis/flowcontrol/bootstrap`
- Priorities of APIServices: from the aggregator of k8s.io/kubernetes
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tools.gosyntax import Expression, GoPackage, parse_package
from tools.modules import Modules, package_of

Object = dict[str, Any]

_POLICY = "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata"
_LISTS = ("cluster-roles", "cluster-role-bindings", "controller-roles", "controller-role-bindings")
_NAMESPACED_LISTS = ("namespace-roles", "namespace-role-bindings")
_RESOURCES = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}
_AGGREGATORS = ("cmd/kube-apiserver/app/aggregator.go", "pkg/controlplane/apiserver/aggregator.go")
_PRIORITY = re.compile(r'\{Group: "([^"]*)", Version: "([^"]+)"\}:\s*\{[gG]roup: (\d+), [vV]ersion: (\d+)\}')
_AUTO_UPDATE = {"apf.kubernetes.io/autoupdate-spec": "true"}
_LIST_NAMES = ("Mandatory", "Suggested")
_APISERVER = "k8s.io/apiserver/"


class BootstrapError(Exception):
    """Raised if Go source has a form that this reader does not know."""


def bootstrap_of_release(modules: Modules) -> dict[str, dict[str, Any]]:
    """Returns the objects that a release's server creates, without their names, kinds and apiVersions.

    The keys are the resource and the name (or `namespace/name`). The entry of an APIService contains only the
    priorities of its group and version. Raises BootstrapError if Go source has an unknown form.
    """
    return {**_policy(modules.kubernetes), **_flow_control(modules), "apiservices": _priorities(modules)}


def _policy(kubernetes: Path) -> dict[str, dict[str, Any]]:
    objects: dict[str, dict[str, Any]] = {resource: {} for resource in _RESOURCES.values()}
    for name in (*_LISTS, *_NAMESPACED_LISTS):
        text = (kubernetes / _POLICY / f"{name}.yaml").read_text(encoding="utf-8")
        for item in yaml.safe_load(text)["items"]:
            meta = item["metadata"]
            parts = {
                key: value for key, value in item.items() if key not in ("apiVersion", "kind", "metadata")
            }
            kept = {key: meta[key] for key in ("annotations", "labels") if key in meta}
            key = f"{meta['namespace']}/{meta['name']}" if "namespace" in meta else meta["name"]
            filled = {key: value for key, value in parts.items() if value is not None}
            objects[_RESOURCES[item["kind"]]][key] = {"metadata": kept, **filled}
    return objects


def _priorities(modules: Modules) -> dict[str, list[int]]:
    priorities: dict[str, list[int]] = {}
    for path in _AGGREGATORS:
        source = modules.kubernetes / path
        if source.exists():
            for group, version, of_group, of_version in _PRIORITY.findall(source.read_text(encoding="utf-8")):
                priorities[f"{version}.{group}"] = [int(of_group), int(of_version)]
    if not priorities:
        raise BootstrapError("no priorities of APIServices")
    return priorities


def _flow_control(modules: Modules) -> dict[str, dict[str, Any]]:
    folder = modules.folders["apiserver"] / "pkg/apis/flowcontrol/bootstrap"
    source = _Source(modules, parse_package(folder))
    objects: dict[str, dict[str, Any]] = {}
    for resource, kind in (
        ("flowschemas", "FlowSchemas"),
        ("prioritylevelconfigurations", "PriorityLevelConfigurations"),
    ):
        named = [each for start in _LIST_NAMES for each in source.value(["name", f"{start}{kind}"])]
        objects[resource] = dict(named)
    return objects


class _Source:
    """Evaluates Go expressions of one package, which may use constants of other packages."""

    def __init__(self, modules: Modules, package: GoPackage) -> None:
        self._modules = modules
        self._package = package
        self._imports = {name: path for file in package.imports.values() for name, path in file.items()}
        self._other = cache(self._parsed)

    def value(self, expression: Expression) -> Any:
        """Returns the value of a Go expression.

        Raises BootstrapError if the expression has an unknown form.
        """
        match expression:
            case ["string", text]:
                return text
            case ["int", text]:
                return int(text)
            case ["name", "true" | "false" as text]:
                return text == "true"
            case ["name", name] if name in self._package.values_by_name:
                return self.value(self._package.values_by_name[name]["value"])
            case ["select", ["name", package], name]:
                return self._constant(package, name)
            case ["unary", "&", inner]:
                return self.value(inner)
            case ["literal", kind, pairs]:
                return self._literal(kind, pairs)
            case ["call", function, *arguments]:
                return self._call(function, [self.value(each) for each in arguments])
        raise BootstrapError(f"a value that is not known: {expression}")

    def _constant(self, package: str, name: str) -> str:
        text = self._other(self._imports[package]).text(name)
        if text is None:
            raise BootstrapError(f"no text: {package}.{name}")
        return text

    def _parsed(self, path: str) -> GoPackage:
        if path.startswith(_APISERVER):
            return parse_package(self._modules.folders["apiserver"] / path.removeprefix(_APISERVER))
        return parse_package(self._modules.folder(package_of(path) or path))

    def _literal(self, kind: Expression, pairs: list[list[Expression]]) -> Any:
        if kind and kind[0] == "list":
            return [self.value(value) for _, value in pairs]
        return {_json_name(key[1]): self.value(value) for key, value in pairs}

    def _call(self, function: Expression, arguments: list[Any]) -> Any:
        match function:
            case ["select", ["name", "ptr" | "pointer"], "To" | "Int32"] | ["name", "int32"]:
                return arguments[0]
            case ["name", name] if name in _FUNCTIONS:
                return _FUNCTIONS[name](*arguments)
        raise BootstrapError(f"a function that is not known: {function}")


def _json_name(name: str) -> str:
    return "apiGroups" if name == "APIGroups" else name[0].lower() + name[1:]


def _flow_schema(name: str, level: str, precedence: int, method: str, *rules: Object) -> tuple[str, Object]:
    spec: Object = {
        "priorityLevelConfiguration": {"name": level},
        "matchingPrecedence": precedence,
        **({"distinguisherMethod": {"type": method}} if method else {}),
        "rules": list(rules),
    }
    return name, {"metadata": {"annotations": _AUTO_UPDATE}, "spec": spec}


def _priority_level(name: str, spec: Object) -> tuple[str, Object]:
    return name, {"metadata": {"annotations": _AUTO_UPDATE}, "spec": spec}


def _groups(*names: str) -> list[Object]:
    return [{"kind": "Group", "group": {"name": name}} for name in names]


def _users(*names: str) -> list[Object]:
    return [{"kind": "User", "user": {"name": name}} for name in names]


def _accounts(*names: str) -> list[Object]:
    return [
        {"kind": "ServiceAccount", "serviceAccount": {"namespace": "kube-system", "name": name}}
        for name in names
    ]


def _resource_rule(
    verbs: list[str],
    groups: list[str],
    resources: list[str],
    namespaces: list[str],
    cluster: bool,  # noqa: FBT001 - as in the Go function
) -> Object:
    return {
        "verbs": verbs,
        "apiGroups": groups,
        "resources": resources,
        **({"clusterScope": True} if cluster else {}),
        **({"namespaces": namespaces} if namespaces else {}),
    }


def _path_rule(verbs: list[str], paths: list[str]) -> Object:
    return {"verbs": verbs, "nonResourceURLs": paths}


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "append": lambda first, rest: [*first, *rest],
    "groups": _groups,
    "kubeSystemServiceAccount": _accounts,
    "newFlowSchema": _flow_schema,
    "newPriorityLevelConfiguration": _priority_level,
    "nonResourceRule": _path_rule,
    "resourceRule": _resource_rule,
    "users": _users,
}
