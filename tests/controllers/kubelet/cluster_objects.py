"""Objects for tests of the kubelet: a DeviceClass, a ResourceSlice, a template and pods."""

from typing import Any

from fakeapi import FakeAPI

NAME = "gpu.example.com"
Object = dict[str, Any]


def publish(api: FakeAPI, version: str, devices: int = 2, node: str = "node") -> None:
    """Creates the DeviceClass `gpu` and a ResourceSlice with devices of the driver.

    - `version`: the version of resource.k8s.io
    - `devices`: the number of devices
    - `node`: the name of the cluster node that has the devices
    """
    publish_class(api, version)
    publish_slice(api, version, devices, node)


def publish_class(api: FakeAPI, version: str) -> None:
    selector = {"cel": {"expression": f'device.driver == "{NAME}"'}}
    api.create(
        {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "DeviceClass",
            "metadata": {"name": "gpu"},
            "spec": {"selectors": [selector]},
        }
    )


def publish_slice(api: FakeAPI, version: str, devices: int = 2, node: str = "node") -> None:
    basic: Object = {"attributes": {"model": {"string": "A"}}}
    api.create(
        {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "ResourceSlice",
            "metadata": {"name": f"{node}-gpu"},
            "spec": {
                "driver": NAME,
                "nodeName": node,
                "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                "devices": [
                    {"name": f"gpu-{number}", **({"basic": basic} if version in OLD_LAYOUT else basic)}
                    for number in range(devices)
                ],
            },
        }
    )


OLD_LAYOUT = ("v1alpha3", "v1beta1")


def create_template(api: FakeAPI, version: str, namespace: str = "default") -> None:
    exact: Object = {"deviceClassName": "gpu"}
    request = {"name": "r", **(exact if version in OLD_LAYOUT else {"exactly": exact})}
    api.create(
        {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "gpu"},
            "spec": {"spec": {"devices": {"requests": [request]}}},
        },
        namespace=namespace,
    )


def create_pod(api: FakeAPI, name: str = "pod", namespace: str = "default") -> Object:
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}
    return api.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "containers": [container],
                "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}],
            },
        },
        namespace=namespace,
    )
