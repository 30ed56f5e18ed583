"""NVIDIA's released driver without its kubelet plugins: the controller of ComputeDomains, and the webhook."""

from fakeapi import FakeAPI
from tests.drivers.driver_setup import NODE, DriverSetup
from tests.drivers.released_driver import ReleasedDriver

PROGRAMS = ("compute-domain-controller", "webhook")
DRIVER = ReleasedDriver(
    name="dra-driver-nvidia-gpu",
    module="sigs.k8s.io/dra-driver-nvidia-gpu",
    proxy_module="github.com/NVIDIA/k8s-dra-driver-gpu",
    version="v0.5.0",
    go="1.26.0",
    release="1.37",
    image="*/dra-driver-nvidia-gpu",
    programs={f"usr/bin/{name}": f"cmd/{name}" for name in PROGRAMS},
    files={"templates": "templates"},
    kubernetes="1.37",
)


def _published(api: FakeAPI) -> bool:
    """Whether the server serves ComputeDomains. No node has the label of NVIDIA's GPUs, so no plugin runs."""
    return api.list("ComputeDomain") == [] and api.list("DeviceClass") != []


SETUP = DriverSetup(
    driver=DRIVER,
    namespace="dra-driver-nvidia-gpu",
    chart="deployments/helm/dra-driver-nvidia-gpu",
    values={"webhook.enabled": True, "gpuResourcesEnabledOverride": True},
    options={"controllers": "all,cert-manager", "run_network": "pod", "nodes": NODE},
    published=_published,
    demos=(),
)
COMPUTE_DOMAIN = "demo/specs/imex/channel-injection.yaml"
"""The demo of a ComputeDomain and its pod."""
