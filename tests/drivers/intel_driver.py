"""Intel's released GPU driver with a controller (classic DRA), and its examples for whole GPUs."""

from fakeapi import FakeAPI
from fakeapi.machinery.json_types import Object
from tests.drivers.driver_setup import NODE, Demo, DriverSetup
from tests.drivers.fake_gpus import GPUS, device_names, write_gpus
from tests.drivers.released_driver import ReleasedDriver
from tests.drivers.running_demo import RunningDemo

NAMESPACE = "intel-gpu-resource-driver"
PROGRAMS = ("kubelet-gpu-plugin", "gas-status-updater", "gpu-controller")
DRIVER = ReleasedDriver(
    name="intel-resource-drivers-for-kubernetes",
    module="github.com/intel/intel-resource-drivers-for-kubernetes",
    version="v0.4.0",
    go="1.21",
    release="1.30",
    image="intel/intel-gpu-resource-driver",
    programs={name: f"cmd/{name}" for name in PROGRAMS},
)


_MODES = ("delayed", "immediate")
_DELAYED = (
    "monitor-pod",
    "pod-inline-mem",
    "pod-inline2",
    *(f"pod-{request}" for request in ("inline-gpu", "inline-2gpu", "2inline-gpu", "2inline-2gpu")),
    *(f"pod-{request}-mem" for request in ("inline-gpu", "inline-2gpu", "2inline-gpu", "2inline-2gpu")),
)
_INLINE = ("pod-inline", "pod-inline2", "pod-inline-multiple", "pod-inline-too-big")


def _published(api: FakeAPI) -> bool:
    states = api.list("GpuAllocationState", namespace=NAMESPACE)
    return any(
        each.get("status") == "Ready" and len(each["spec"]["allocatableDevices"]) == GPUS for each in states
    )


def _check(demo: RunningDemo) -> None:
    """Asserts that each container lists in /dev/dri as many GPUs as its claims request."""
    for pod in demo.pods:
        for container in pod["spec"]["containers"]:
            claims = demo.claims_of_container(pod, container)
            log = demo.await_log(pod, container, "renderD" if claims else "null")
            visible = [gpu for gpu in range(GPUS) if all(name in log for name in device_names(gpu))]
            assert len(visible) == sum(_requested(demo.api, claim) for claim in claims)


def _requested(api: FakeAPI, claim: Object) -> int:
    """Returns the number of GPUs that a claim requests. Claims of the class for monitoring get all GPUs."""
    assert claim["status"]["driverName"] == "gpu.resource.intel.com"
    if claim["spec"]["resourceClassName"] == "intel-gpu-monitor":
        return GPUS
    namespace = claim["metadata"]["namespace"]
    parameters = api.get("GpuClaimParameters", claim["spec"]["parametersRef"]["name"], namespace=namespace)
    assert parameters["spec"]["type"] == "gpu"
    return int(parameters["spec"]["count"])


def _examples() -> tuple[Demo, ...]:
    """Returns the examples for whole GPUs whose pods can all run.

    Other examples request virtual functions (SR-IOV), which only the kernel can create. In some examples, two
    pods use one claim, but the driver allocates such claims only to one pod (`shareable` is false).
    """
    names = [
        *(f"delayed/{name}" for name in _DELAYED),
        *(f"{mode}/external/pod-external" for mode in _MODES),
        *(f"{mode}/inline/{name}" for mode in _MODES for name in _INLINE),
        "delayed/inline/inline-deployment",
        "immediate/inline/deployment",
    ]
    return tuple(Demo((f"deployments/gpu/{name}.yaml",), _check) for name in names)


SETUP = DriverSetup(
    driver=DRIVER,
    namespace=NAMESPACE,
    manifests=(
        "deployments/gpu/static/crds",
        "deployments/gpu/resource-class.yaml",
        "deployments/gpu/resource-driver-namespace.yaml",
        "deployments/gpu/resource-defaults.yaml",
        "deployments/gpu/resource-driver.yaml",
    ),
    options={
        "feature_gates": "DynamicResourceAllocation=true",
        "nodes": NODE,
        "run": ["*busybox=/"],
    },
    write_hardware=write_gpus,
    published=_published,
    demos=_examples(),
)
