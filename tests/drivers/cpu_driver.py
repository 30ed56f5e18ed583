"""The released CPU driver: its chart, its examples, and the CPUs that they get."""

from dataclasses import replace
from pathlib import Path

from fakeapi import FakeAPI
from fakeapi.machinery.json_types import Object
from tests.drivers.driver_setup import Demo, DriverSetup
from tests.drivers.fake_cpus import CPUS, write_cpus
from tests.drivers.released_driver import ReleasedDriver
from tests.drivers.running_demo import RunningDemo

GROUPED, INDIVIDUAL = "grouped", "individual"
DRIVER = ReleasedDriver(
    name="dra-driver-cpu",
    module="github.com/kubernetes-sigs/dra-driver-cpu",
    version="v0.2.0",
    go="1.26.0",
    release="1.36",
    image="*/dra-driver-cpu",
    programs={"dracpu": "cmd/dracpu"},
)


def _published(api: FakeAPI) -> bool:
    return any(each["spec"]["driver"] == "dra.cpu" for each in api.list("ResourceSlice"))


def _check(demo: RunningDemo) -> None:
    """Asserts that each claim has the number of CPUs in its name, and that no CPU has two claims.

    The driver injects the CPUs of a claim with CDI, as a variable in the environment of its containers.
    """
    taken: list[int] = []
    for pod in demo.pods:
        for container in pod["spec"]["containers"]:
            environment = demo.environment(pod, container)
            claims = demo.claims_of_container(pod, container)
            injected = {name for name in environment if name.startswith("DRA_CPUSET_")}
            assert injected == {variable(claim) for claim in claims}
            for claim in claims:
                cpus = parsed(environment[variable(claim)])
                assert len(cpus) == requested(claim)
                taken += cpus
    assert len(set(taken)) == len(taken)
    assert set(taken) <= set(range(CPUS))


def variable(claim: Object) -> str:
    return f"DRA_CPUSET_{claim['metadata']['uid']}"


def requested(claim: Object) -> int:
    """Returns the number of CPUs that a claim requests: as a capacity, or as the number of devices."""
    [request] = claim["spec"]["devices"]["requests"]
    exactly = request["exactly"]
    capacity = exactly.get("capacity", {}).get("requests", {}).get("dra.cpu/cpu")
    results = claim["status"]["allocation"]["devices"]["results"]
    assert len(results) == (1 if capacity else exactly["count"])
    return int(capacity or exactly["count"])


def parsed(cpus: str) -> list[int]:
    """Returns the numbers in a list of CPUs such as `0-3,8`."""
    numbers: list[int] = []
    for part in cpus.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def write_hardware(root: Path) -> None:
    write_cpus(root / "sys")


def _setup(mode: str, examples: tuple[str, ...]) -> DriverSetup:
    return DriverSetup(
        driver=DRIVER,
        variant=f"{mode} CPUs",
        namespace="kube-system",
        chart="deployment/helm/dra-driver-cpu",
        values={"args.cpuDeviceMode": mode},
        options={"nri": True, "nodes": f"node,cpu={CPUS}"},
        write_hardware=write_hardware,
        nightly=False,
        published=_published,
        demos=tuple(Demo((f"hack/examples/{name}.yaml",), _check) for name in examples),
    )


SETUPS = (
    _setup(GROUPED, ("pod_with_resource_claim_grouped_mode", "pod_with_pod_level_resources")),
    _setup(INDIVIDUAL, ("pod_with_resource_claim_individual_mode",)),
)

TEST_IMAGE = "dev.kind.local/ci/dra-driver-cpu-test:v0.2.0"
RESERVED = "0"
"""The CPUs that the driver leaves to the node, as in the Makefile of the suite."""


def for_suite(setup: DriverSetup, folder: Path) -> DriverSetup:
    """Returns a setup of the driver for its end-to-end suite, as the Makefile of the suite has it.

    `folder`: the directory for the image with the programs that the suite runs in pods.
    """
    test_programs = {name: f"test/image/{name}" for name in ("dracpuinfo", "dracputester")}
    image = replace(DRIVER, name="test-image", programs=test_programs).make_image(folder)
    worker = "label=node-role.kubernetes.io/worker="
    return replace(
        setup,
        options={
            **setup.options,
            "nodes": f"{setup.options['nodes']},{worker}",
            "feature_gates": "DRAListTypeAttributes=true",
            "run": [f"{TEST_IMAGE}={image}"],
        },
        values={
            **setup.values,
            "fullnameOverride": "dracpu",
            "podLabels.app": "dracpu",
            "args.logLevel": 6,
            "args.groupBy": "numanode",
            "args.reservedCPUs": RESERVED,
            "args.exposePCIeRoots": True,
        },
    )


def suite() -> Path:
    """Compiles the end-to-end suite of the driver; returns its path."""
    return DRIVER.build("test/e2e", "dra-driver-cpu-e2e", ("test", "-c", "-vet=off"))
