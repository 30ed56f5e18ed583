"""Claims and pods for tests of simulated drivers."""

from typing import Any

from fakeapi import FakeAPI


def create_claim(api: FakeAPI, name: str, device_class: str, **exactly: Any) -> None:
    request = {"name": "r", "exactly": {"deviceClassName": device_class, **exactly}}
    api.create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name},
            "spec": {"devices": {"requests": [request]}},
        }
    )


def create_pod(api: FakeAPI, name: str, *claims: str, **spec: Any) -> None:
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": each} for each in claims]}}
    api.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {
                "containers": [container],
                "resourceClaims": [{"name": each, "resourceClaimName": each} for each in claims],
                **spec,
            },
        }
    )


def phase(api: FakeAPI, name: str) -> str:
    return str(api.get("Pod", name)["status"]["phase"])
