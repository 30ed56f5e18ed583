"""Builds clusters in which a pod waits because of its claims or templates."""

from fakeapi import FakeAPI
from tests.explaining.manifests import (
    DRIVER,
    claim,
    device,
    pod,
    request,
)
from tests.explaining.situations import cluster, situation, train, use

# claims and templates -----------------------------------------------------------------------------


@situation("ClaimMissing", "ResourceClaim default/gpu does not exist")
def claim_missing(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    pod(api, "train", "gpu")


@situation(
    "ClaimMissing", "ResourceClaim default/gpu does not exist; namespace team has a claim of this name"
)
def claim_in_another_namespace(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    claim(api, "gpu", namespace="team")
    pod(api, "train", "gpu")


def _template(api: FakeAPI, name: str, namespace: str = "default") -> None:
    api.create({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"spec": {"devices": {"requests": [request()]}}},
    })  # fmt: skip


def _from_template(api: FakeAPI, name: str) -> None:
    pod(api, "train", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": name}])


@situation(
    "ClaimMissing", "ResourceClaim default/gpu does not exist, but a ResourceClaimTemplate of this name does"
)
def template_named_as_a_claim(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    _template(api, "gpu")
    pod(api, "train", "gpu")


@situation("TemplateMissing", "ResourceClaimTemplate default/gpu does not exist, so the pod gets no claim")
def template_missing(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    _from_template(api, "gpu")


@situation(
    "ControllerNotRunning",
    "no claim is created from template gpu: the controller resourceclaim does not run",
    controllers="scheduler",
)
def no_resourceclaim_controller(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    _template(api, "gpu")
    _from_template(api, "gpu")


@situation("ClaimBeingDeleted", "claim default/gpu is being deleted")
def claim_being_deleted(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    claim(api, "gpu")
    api.patch("ResourceClaim", "gpu", {"metadata": {"finalizers": ["example.com/hold"]}})
    api.delete("ResourceClaim", "gpu")
    pod(api, "train", "gpu")


@situation(
    "NoPodUsesClaim",
    "no pod uses it, and a claim is allocated only when a pod that uses it is scheduled",
    ("claim", "gpu"),
)
def claim_without_a_pod(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    claim(api, "gpu")


@situation("DevicesInUse", "request gpu needs 1 device; node a has 0 free of 1: 1 in use", ("claim", "gpu"))
def claim_without_a_pod_and_without_devices(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    claim(api, "gpu")


@situation("DevicesInUse", "request gpu needs 1 device; node a has 0 free of 1: 1 in use", ("claim", "gpu"))
def claim_of_a_waiting_pod(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")
    train(api)


@situation("", "gpu.example.com/a/gpu-0; reserved for pod default/other-user", ("claim", "other"))
def claim_allocated(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    use(api, "other")


@situation(
    "DeviceGone",
    "device gpu.example.com/a/gpu-0 is not published any more",
    ("claim", "other"),
)
def allocated_device_is_gone(api: FakeAPI) -> None:
    claim_allocated(api)
    api.delete("ResourceSlice", f"a-{DRIVER}")
