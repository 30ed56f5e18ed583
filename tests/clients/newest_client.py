"""Creates, updates and deletes a resource.k8s.io/v1 claim with the newest Python package `kubernetes`.

This is a program, not a test: `test_newest_kubernetes` runs it in an environment with that package. Its
argument is the path of a kubeconfig.
"""

import sys
import threading

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

NAMESPACE = "default"
APPLY = "application/apply-patch+yaml"
WRITERS = ("a", "b")


def main(kubeconfig: str) -> None:
    with config.new_client_from_config(kubeconfig) as connection:
        claims = client.ResourceV1Api(connection)
        create(claims)
        allocate(claims)
        reserve(kubeconfig)
        apply(claims)
        delete(claims)
    print("told")  # noqa: T201 - the test reads it


def create(claims: client.ResourceV1Api) -> None:
    exactly = client.V1ExactDeviceRequest(device_class_name="gpu.example.com")
    request = client.V1DeviceRequest(name="gpu", exactly=exactly)
    body = client.ResourceV1ResourceClaim(
        api_version="resource.k8s.io/v1",
        kind="ResourceClaim",
        metadata=client.V1ObjectMeta(name="gpu"),
        spec=client.V1ResourceClaimSpec(devices=client.V1DeviceClaim(requests=[request])),
    )
    created = claims.create_namespaced_resource_claim(NAMESPACE, body)
    exact_request = created.spec.devices.requests[0].exactly
    assert (exact_request.allocation_mode, exact_request.count) == ("ExactCount", 1)


def allocate(claims: client.ResourceV1Api) -> None:
    claim = claims.read_namespaced_resource_claim("gpu", NAMESPACE)
    result = client.V1DeviceRequestAllocationResult(
        request="gpu", driver="gpu.example.com", pool="pool-1", device="gpu-0"
    )
    devices = client.V1DeviceAllocationResult(results=[result])
    claim.status = client.V1ResourceClaimStatus(allocation=client.V1AllocationResult(devices=devices))
    allocated = claims.replace_namespaced_resource_claim_status("gpu", NAMESPACE, claim)
    assert allocated.status.allocation.devices.results[0].device == "gpu-0"


def reserve(kubeconfig: str) -> None:
    """Lets two threads read the same version of a claim and then update it.

    One thread succeeds. The other gets 409 Conflict, reads the claim again and retries.
    """
    both_have_read = threading.Barrier(len(WRITERS), timeout=30)
    conflicts: list[str] = []
    failures: list[BaseException] = []

    def write(name: str) -> None:
        with config.new_client_from_config(kubeconfig) as connection:
            claims = client.ResourceV1Api(connection)
            claim = claims.read_namespaced_resource_claim("gpu", NAMESPACE)
            both_have_read.wait()
            while True:
                consumer = client.V1ResourceClaimConsumerReference(resource="pods", name=name, uid=name)
                claim.status.reserved_for = [*(claim.status.reserved_for or []), consumer]
                try:
                    claims.replace_namespaced_resource_claim_status("gpu", NAMESPACE, claim)
                except ApiException as error:
                    if error.status != 409:
                        raise
                    conflicts.append(name)
                    claim = claims.read_namespaced_resource_claim("gpu", NAMESPACE)
                else:
                    return

    def checked(name: str) -> None:
        try:
            write(name)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            failures.append(error)

    threads = [threading.Thread(target=checked, args=(name,)) for name in WRITERS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert len(conflicts) == 1, conflicts
    with config.new_client_from_config(kubeconfig) as connection:
        claim = client.ResourceV1Api(connection).read_namespaced_resource_claim("gpu", NAMESPACE)
    assert sorted(each.name for each in claim.status.reserved_for) == sorted(WRITERS)


def apply(claims: client.ResourceV1Api) -> None:
    body = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu", "labels": {"team": "red"}},
    }
    applied = claims.patch_namespaced_resource_claim(
        "gpu", NAMESPACE, body, field_manager="story", _content_type=APPLY
    )
    assert applied.metadata.labels == {"team": "red"}
    assert ("story", "Apply") in {(each.manager, each.operation) for each in applied.metadata.managed_fields}


def delete(claims: client.ResourceV1Api) -> None:
    assert claims.delete_namespaced_resource_claim("gpu", NAMESPACE).metadata.name == "gpu"
    try:
        claims.read_namespaced_resource_claim("gpu", NAMESPACE)
    except ApiException as error:
        if error.status != 404:
            raise
    else:
        raise AssertionError("it is still there")


if __name__ == "__main__":
    main(sys.argv[1])
