"""A DRA driver in Python serves a pod, from the driver's registration until the pod is deleted."""

import grpc
import pytest

from fakeapi import FakeAPI
from tests.controllers.kubelet.python_driver import PythonDriver, create_pod, create_template, publish
from tests.interop.plugin import Report
from tests.interop.toolchain import of_releases

RELEASES = [
    ("1.31", "v1alpha3", "1.0.0"),
    ("1.33", "v1beta1", "v1beta1.DRAPlugin"),
    ("1.37", "v1", "v1.DRAPlugin"),
]


@pytest.mark.parametrize(("release", "version", "service"), of_releases(RELEASES))
def test_a_driver_in_python_prepares_the_devices_of_a_pod(
    release: str, version: str, service: str, report: Report
) -> None:
    report(
        kind="driver",
        name="driver in Python (grpcio)",
        version=grpc.__version__,
        release=release,
        did=f"registered with {service}, prepared a claim, pod ran, unprepared it",
    )
    gates = {"DynamicResourceAllocation": True}
    with FakeAPI(release=release, feature_gates=gates, controllers="all") as api:
        publish(api, version)
        create_template(api, version)
        with PythonDriver(api.node(), service) as driver:
            assert driver.registered.wait(10)
            create_pod(api)
            api.settle()
            assert api.get("Pod", "pod")["status"]["phase"] == "Running"
            api.delete("Pod", "pod")
            api.settle()
            assert len(driver.prepared) == 1
            assert driver.unprepared == driver.prepared
            assert api.list("ResourceClaim", namespace="default") == []
