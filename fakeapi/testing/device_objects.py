"""DeviceObjects: builds the kinds of resource.k8s.io in the layout of one API version."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from fakeapi.machinery.json_types import Object
from fakeapi.testing.argument_errors import explains_arguments
from fakeapi.testing.object_parts import metadata

GROUP = "resource.k8s.io"

VERSIONS = ("v1", "v1beta2", "v1beta1", "v1alpha3")
"""The versions whose claims have requests for devices, newest first."""

DEVICE_CLASS = "gpu.example.com"
"""The default device class and the default driver."""

Attribute: TypeAlias = str | int | bool | Mapping[str, Any]
"""The value of an attribute: text, a number, a boolean, or the JSON value, such as `{"version": "1.0.0"}`."""


class DeviceObjects:
    """Builds claims, claim templates, device classes and slices in one version of resource.k8s.io."""

    def __init__(self, version: str = VERSIONS[0]) -> None:
        """Creates a builder for a version of resource.k8s.io, such as "v1".

        Raises ValueError for a version without devices, such as v1alpha2.
        """
        if version not in VERSIONS:
            raise ValueError(f"no builders for {GROUP}/{version}; there are {', '.join(VERSIONS)}")
        self._version = version

    @property
    def api_version(self) -> str:
        """The apiVersion of the claims, slices and classes, such as "resource.k8s.io/v1"."""
        return f"{GROUP}/{self._version}"

    @explains_arguments("fakeapi.objects.claim")
    def claim(
        self,
        name: str = "claim",
        *,
        device_class: str = DEVICE_CLASS,
        count: int = 1,
        every: bool = False,
        selectors: Sequence[str] = (),
        admin_access: bool = False,
        match_attribute: str = "",
        requests: Sequence[Mapping[str, Any]] | None = None,
        namespace: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> Object:
        """Returns a ResourceClaim with one request named `device`.

        - `count`: the number of devices; `every`: request all matching devices instead.
        - `selectors`: CEL expressions that each device must satisfy.
        - `match_attribute`: an attribute with the same value in all devices, such as "gpu.example.com/numa".
        - `requests`: requests in the layout of the API version, instead of the request that `device_class`,
          `count`, `every`, `selectors` and `admin_access` describe.
        """
        spec = self._claim_spec(
            device_class, count, selectors, match_attribute, requests, every=every, admin=admin_access
        )
        return self._object("ResourceClaim", metadata(name, namespace, labels), spec)

    @explains_arguments("fakeapi.objects.claim_template")
    def claim_template(
        self,
        name: str = "template",
        *,
        device_class: str = DEVICE_CLASS,
        count: int = 1,
        every: bool = False,
        selectors: Sequence[str] = (),
        admin_access: bool = False,
        match_attribute: str = "",
        requests: Sequence[Mapping[str, Any]] | None = None,
        namespace: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> Object:
        """Returns a ResourceClaimTemplate. The arguments describe its claims; `claim` explains them."""
        spec = self._claim_spec(
            device_class, count, selectors, match_attribute, requests, every=every, admin=admin_access
        )
        return self._object("ResourceClaimTemplate", metadata(name, namespace, labels), {"spec": spec})

    @explains_arguments("fakeapi.objects.device_class")
    def device_class(
        self,
        name: str = DEVICE_CLASS,
        *,
        driver: str | None = None,
        selectors: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
    ) -> Object:
        """Returns a DeviceClass for the devices of one driver.

        - `driver`: the name of the driver; None for the name of the class, and "" for all drivers.
        - `selectors`: other CEL expressions that each device must satisfy.
        """
        own = name if driver is None else driver
        expressions = [f'device.driver == "{own}"', *selectors] if own else list(selectors)
        return self._object("DeviceClass", metadata(name, "", labels), {"selectors": _selectors(expressions)})

    @explains_arguments("fakeapi.objects.resource_slice")
    def resource_slice(
        self,
        name: str = "slice",
        *,
        driver: str = DEVICE_CLASS,
        node: str = "node",
        devices: int | Sequence[str] | Mapping[str, Mapping[str, Attribute]] = 1,
        attributes: Mapping[str, Attribute] | None = None,
        capacity: Mapping[str, str] | None = None,
        pool: str = "",
        generation: int = 1,
        slices: int = 1,
        all_nodes: bool = False,
    ) -> Object:
        """Returns a ResourceSlice of one node, or of all nodes.

        - `devices`: the number of devices (`device-0`, …), their names, or their attributes by name.
        - `attributes`, `capacity`: attributes and capacities of every device.
        - `pool`: the name of the pool; "" for the name of the node.
        - `generation`, `slices`: the generation of the pool, and the number of its slices.
        """
        own = [f"device-{number}" for number in range(devices)] if isinstance(devices, int) else devices
        by_name = own if isinstance(own, Mapping) else {each: {} for each in own}
        spec: Object = {
            "driver": driver,
            "pool": {"name": pool or node, "generation": generation, "resourceSliceCount": slices},
            "devices": [
                self._device(each, {**(attributes or {}), **more}, capacity or {})
                for each, more in by_name.items()
            ],
        }
        spec |= {"allNodes": True} if all_nodes else {"nodeName": node}
        return self._object("ResourceSlice", metadata(name), spec)

    def _object(self, kind: str, meta: Object, spec: Object) -> Object:
        return {"apiVersion": self.api_version, "kind": kind, "metadata": meta, "spec": spec}

    def _claim_spec(
        self,
        device_class: str,
        count: int,
        selectors: Sequence[str],
        match_attribute: str,
        requests: Sequence[Mapping[str, Any]] | None,
        *,
        every: bool,
        admin: bool,
    ) -> Object:
        exact: Object = {"deviceClassName": device_class}
        if every:
            exact["allocationMode"] = "All"
        elif count != 1:
            exact |= {"allocationMode": "ExactCount", "count": count}
        if selectors:
            exact["selectors"] = _selectors(selectors)
        if admin:
            exact["adminAccess"] = True
        request = (
            {"name": "device", "exactly": exact} if self._nests_requests else {"name": "device", **exact}
        )
        devices: Object = {"requests": [request] if requests is None else [dict(each) for each in requests]}
        if match_attribute:
            devices["constraints"] = [{"matchAttribute": match_attribute}]
        return {"devices": devices}

    @property
    def _nests_requests(self) -> bool:
        """Whether requests have the field `exactly`, and devices do not have the field `basic`."""
        return self._version in ("v1", "v1beta2")

    def _device(self, name: str, attributes: Mapping[str, Attribute], capacity: Mapping[str, str]) -> Object:
        fields: Object = {}
        if attributes:
            fields["attributes"] = {each: _attribute(value) for each, value in attributes.items()}
        if capacity:
            plain = self._version == "v1alpha3"
            fields["capacity"] = {
                each: value if plain else {"value": value} for each, value in capacity.items()
            }
        return {"name": name, **fields} if self._nests_requests else {"name": name, "basic": fields}


def _selectors(expressions: Sequence[str]) -> list[Object]:
    return [{"cel": {"expression": expression}} for expression in expressions]


def _attribute(value: Attribute) -> Object:
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    return {"string": value} if isinstance(value, str) else dict(value)
