"""Resolves the environment variables of a container, from fields, ConfigMaps, Secrets and Services.

Follows makeEnvironmentVariables in k8s.io/kubernetes `pkg/kubelet/kubelet_pods.go`. The real kubelet sets the
variables in random order; here the variables have the order of the spec, and the variables of Services come
last.
"""

import base64
import binascii
from collections.abc import Iterable
from typing import Protocol

from fakeapi.controllers.kubelet.containers.downward_api import field_value, resource_value
from fakeapi.controllers.kubelet.containers.expansion import expand
from fakeapi.controllers.kubelet.containers.runtime import ContainerRun, ContainerStartError
from fakeapi.controllers.kubelet.containers.service_variables import service_variables
from fakeapi.machinery.json_types import Object

CONFIG_ERROR = "CreateContainerConfigError"


class Sources(Protocol):
    """The objects that environment variables refer to."""

    async def config_map(self, namespace: str, name: str) -> Object | None:
        """Returns a ConfigMap; None if it does not exist."""
        ...

    async def secret(self, namespace: str, name: str) -> Object | None:
        """Returns a Secret; None if it does not exist."""
        ...

    def services(self) -> Iterable[Object]: ...

    def node(self, name: str) -> Object | None: ...


async def environment(run: ContainerRun, sources: Sources) -> dict[str, str]:
    """Returns the environment variables of a container.

    Raises ContainerStartError (CreateContainerConfigError) if a ConfigMap, a Secret or a key is missing, or
    if a fieldRef or resourceFieldRef is invalid.
    """
    return await _Environment(run, sources).resolve()


class _Environment:
    """Resolves the environment variables of one container."""

    def __init__(self, run: ContainerRun, sources: Sources) -> None:
        self._run = run
        self._sources = sources
        self._namespace: str = run.pod["metadata"]["namespace"]
        self._read: dict[tuple[str, str], dict[str, str] | None] = {}

    async def resolve(self) -> dict[str, str]:
        run = self._run
        links = run.pod["spec"].get("enableServiceLinks", True)
        of_services = service_variables(self._sources.services(), self._namespace, links=links)
        values: dict[str, str] = {}
        for source in run.container.get("envFrom") or ():
            kind, reference = next(
                (kind, source[f"{kind}Ref"]) for kind in ("configMap", "secret") if source.get(f"{kind}Ref")
            )
            data = await self._data(kind, reference)
            values |= {f"{source.get('prefix', '')}{key}": value for key, value in (data or {}).items()}
        for variable in run.container.get("env") or ():
            if variable.get("value"):
                values[variable["name"]] = expand(variable["value"], values, of_services)
                continue
            value = await self._value(variable.get("valueFrom") or {})
            if value is not None:
                values[variable["name"]] = value
        return {**values, **{name: value for name, value in of_services.items() if name not in values}}

    async def _value(self, source: Object) -> str | None:
        """Returns the value of a variable; None if the container does not get the variable.

        Raises ContainerStartError for a missing or invalid reference.
        """
        try:
            if "fieldRef" in source:
                return field_value(self._run, source["fieldRef"]["fieldPath"])
            if "resourceFieldRef" in source:
                node = self._sources.node(self._run.node)
                return resource_value(self._run, source["resourceFieldRef"], node)
        except ValueError as problem:
            raise ContainerStartError(CONFIG_ERROR, str(problem)) from None
        for kind, what in (("configMap", "ConfigMap"), ("secret", "Secret")):
            reference = source.get(f"{kind}KeyRef")
            if reference is None:
                continue
            data = await self._data(kind, reference)
            if data is None or reference["key"] in data:
                return None if data is None else data[reference["key"]]
            if reference.get("optional"):
                return None
            where = f"{what} {self._namespace}/{reference['name']}"
            raise ContainerStartError(CONFIG_ERROR, f"couldn't find key {reference['key']} in {where}")
        return ""

    async def _data(self, kind: str, reference: Object) -> dict[str, str] | None:
        """Returns the data of a ConfigMap or Secret; None if it is optional and does not exist.

        Raises ContainerStartError if a required ConfigMap or Secret does not exist.
        """
        name = reference.get("name", "")
        if (kind, name) not in self._read:
            self._read[kind, name] = await self._fetch(kind, name)
        data = self._read[kind, name]
        if data is None and not reference.get("optional"):
            raise ContainerStartError(CONFIG_ERROR, f'{kind.lower()} "{name}" not found')
        return data

    async def _fetch(self, kind: str, name: str) -> dict[str, str] | None:
        if kind == "configMap":
            config_map = await self._sources.config_map(self._namespace, name)
            return None if config_map is None else dict(config_map.get("data") or {})
        secret = await self._sources.secret(self._namespace, name)
        if secret is None:
            return None
        return {key: _text(value) for key, value in (secret.get("data") or {}).items()}


def _text(value: str) -> str:
    try:
        return base64.b64decode(value).decode(errors="surrogateescape")
    except binascii.Error:
        return ""
