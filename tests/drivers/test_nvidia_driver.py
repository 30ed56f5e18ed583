"""NVIDIA's released controller and webhook run by --run alone. Its kubelet plugins need a GPU."""

from pathlib import Path

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.errors import StatusError
from fakeapi.machinery.json_types import Object
from tests.drivers import nvidia_driver
from tests.drivers.nvidia_driver import SETUP
from tests.interop.plugin import Report

DOMAIN_UID = "resource.nvidia.com/computeDomain"
"""The label and finalizer of objects that belong to a ComputeDomain."""


@pytest.mark.older  # left out with --newest: the builds with client-go 0.37 take minutes
def test_the_controller_of_compute_domains_creates_and_removes_what_a_demo_needs(
    short_folder: Path, report: Report
) -> None:
    driver = SETUP.driver
    report(
        kind="driver",
        name="dra-driver-nvidia-gpu, its controller and webhook, by --run",
        version=driver.version,
        release=driver.release,
        did="helm install --wait; ComputeDomain of its demo: DaemonSet, claim templates, finalizer, removed; "
        "webhook refused an unknown parameter",
    )
    with SETUP.installed(short_folder) as api:
        objects = api.install(str(driver.source() / nvidia_driver.COMPUTE_DOMAIN))
        domain = api.wait_for("ComputeDomain", "imex-channel-injection", until=".status.status=NotReady")
        assert domain["metadata"]["finalizers"] == [DOMAIN_UID]
        template = api.wait_for("ResourceClaimTemplate", "imex-channel-0")
        assert parameters(template)["domainID"] == domain["metadata"]["uid"]
        [daemons] = owned(api, "DaemonSet", domain)
        assert daemons["metadata"]["namespace"] == SETUP.namespace
        api.wait_for("Pod", "imex-channel-injection", until="PodScheduled=False")
        refuses_unknown_parameters(api)
        for each in reversed(objects):
            api.delete(each)
        api.wait_for("ComputeDomain", "imex-channel-injection", gone=True)
        for kind in ("DaemonSet", "ResourceClaimTemplate"):
            assert owned(api, kind, domain) == []
        assert api.list("ResourceClaim") == []


def parameters(template: Object) -> Object:
    """Returns the opaque parameters in a ResourceClaimTemplate."""
    [config] = template["spec"]["spec"]["devices"]["config"]
    found: Object = config["opaque"]["parameters"]
    return found


def owned(api: FakeAPI, kind: str, domain: Object) -> list[Object]:
    selector = f"{DOMAIN_UID}={domain['metadata']['uid']}"
    return list(api.list(kind, label_selector=selector))


def refuses_unknown_parameters(api: FakeAPI) -> None:
    """Asserts that the webhook refuses a claim whose parameters have an unknown field."""
    config = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "unknown": 1}
    claim = api.objects.claim("refused", device_class="gpu.nvidia.com")
    opaque = {"driver": "gpu.nvidia.com", "parameters": config}
    claim["spec"]["devices"]["config"] = [{"opaque": opaque}]
    with pytest.raises(StatusError, match='strict decoding error: unknown field "unknown"'):
        api.create(claim)
