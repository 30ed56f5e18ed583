"""Creates pods with ResourceClaims from a template, and waits until they run or are deleted."""

from typing import Any

from fakeapi.machinery.json_types import Object
from tests.interop.awaiting import AWAIT_SECONDS, await_objects
from tests.interop.processes import Served

DRIVER = "gpu.example.com"
CLAIM_VERSIONS = {"1.30": "v1alpha2", "1.31": "v1alpha3", "1.32": "v1beta1", "1.33": "v1beta1"}
"""The version of resource.k8s.io that clients of a release use; v1 for releases not listed here."""

PODS = "/api/v1/namespaces/default/pods"


def claim_version(release: str) -> str:
    return CLAIM_VERSIONS.get(release, "v1")


def gates(release: str) -> tuple[str, ...]:
    """Returns the command-line options that enable ResourceClaims in a release.

    fakeapi and Kubernetes' components accept the same options.
    """
    return ("--feature-gates", "DynamicResourceAllocation=true") if release in CLAIM_VERSIONS else ()


class Story:
    """Creates pods with ResourceClaims for devices of one DRA driver, and waits for these objects."""

    def __init__(self, served: Served, driver: str = DRIVER) -> None:
        self._api, self._url, self._driver = served.api, served.url, driver
        self._version = claim_version(served.release)
        root = f"/apis/resource.k8s.io/{self._version}"
        self.slices = f"{root}/resourceslices"
        self.claims = f"{root}/namespaces/default/resourceclaims"

    def begin(self) -> None:
        """Creates a DeviceClass with all devices of the driver, and a ResourceClaimTemplate for one device.

        For v1alpha2, creates a ResourceClass instead of a DeviceClass.
        """
        if self._version == "v1alpha2":
            self._create("ResourceClass", driverName=self._driver)
            claim: Object = {"resourceClassName": "gpu"}
        else:
            selector = {"cel": {"expression": f'device.driver == "{self._driver}"'}}
            self._create("DeviceClass", spec={"selectors": [selector]})
            exactly = {"deviceClassName": "gpu"}
            request = {"name": "r", **({"exactly": exactly} if self._version == "v1" else exactly)}
            claim = {"devices": {"requests": [request]}}
        self._create("ResourceClaimTemplate", spec={"spec": claim})

    def _create(self, kind: str, **fields: Any) -> None:
        version = f"resource.k8s.io/{self._version}"
        self._api.create({"apiVersion": version, "kind": kind, "metadata": {"name": "gpu"}, **fields})

    def create_pod(self, name: str = "pod") -> None:
        container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "gpu"}]}}
        source = {"resourceClaimTemplateName": "gpu"}
        claim = {"name": "gpu", **({"source": source} if self._version == "v1alpha2" else source)}
        spec = {"containers": [container], "resourceClaims": [claim]}
        self._api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})

    def delete_pod(self, name: str = "pod") -> None:
        self._api.delete("Pod", name, options={"gracePeriodSeconds": 0})

    def await_slices(self, devices: int) -> list[Object]:
        """Waits until the DRA driver's ResourceSlices have `devices` devices in total; returns the slices."""

        def published(slices: list[Object]) -> bool:
            specs = [each["spec"] for each in slices if each["spec"]["driver"] == self._driver]
            return sum(len(spec.get("devices") or ()) for spec in specs) == devices

        return await_objects(self._url, self.slices, published)

    def await_running(self, count: int = 1, seconds: float = AWAIT_SECONDS) -> list[Object]:
        """Waits until there are exactly `count` pods, all of them Running, and `count` ResourceClaims.

        Returns the ResourceClaims.
        """

        def running(pods: list[Object]) -> bool:
            return [each["status"].get("phase") for each in pods] == ["Running"] * count

        await_objects(self._url, PODS, running, seconds)
        return await_objects(self._url, self.claims, lambda claims: len(claims) == count)

    def await_gone(self) -> None:
        """Waits until the server has no pods and no ResourceClaims."""
        for path in (PODS, self.claims):
            await_objects(self._url, path, lambda found: not found)


def devices_of(claim: Object) -> list[str]:
    """Returns the names of the devices allocated to a claim."""
    return [result["device"] for result in claim["status"]["allocation"]["devices"]["results"]]
