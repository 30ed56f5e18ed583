"""Creates, changes and deletes a ResourceClaim with the client `kubernetes`; $KUBECONFIG names the server."""

import threading

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from telling import API_VERSION, APPLIED, CLAIM, NAME, NAMESPACE, Seen, chapter

WHERE = (NAME, NAMESPACE)


def main() -> None:
    config.load_kube_config()
    claims = client.ResourceV1Api()
    resource = dynamic.DynamicClient(client.ApiClient()).resources.get(
        api_version=API_VERSION, kind="ResourceClaim"
    )
    assert (resource.name, resource.namespaced) == ("resourceclaims", True)
    chapter("discover")

    seen = Seen()
    version = claims.list_namespaced_resource_claim(NAMESPACE).metadata.resource_version
    watching = threading.Thread(target=follow, args=(claims, seen, version))
    watching.start()
    tell(claims, seen)
    watching.join()


def follow(claims: client.ResourceV1Api, seen: Seen, version: str) -> None:
    """Watches claims and adds the watch events to `seen`, until a claim is deleted.

    The watch needs an explicit object class, because the client derives a wrong name from the list class. The
    client's informer does not accept a class, so this program uses a watch.
    """
    stream = watch.Watch(return_type="ResourceV1ResourceClaim")
    lister = claims.list_namespaced_resource_claim
    for event in stream.stream(lister, NAMESPACE, resource_version=version):
        seen.add(event["type"], event["object"].metadata.labels)
        if event["type"] == "DELETED":
            stream.stop()


def tell(claims: client.ResourceV1Api, seen: Seen) -> None:
    created = claims.create_namespaced_resource_claim(NAMESPACE, CLAIM)
    assert created.spec.devices.requests[0].exactly.count == 1
    chapter("create")
    seen.expect("ADDED")
    chapter("watch")

    first, second = (claims.read_namespaced_resource_claim(*WHERE) for _ in range(2))
    replace(claims, first, "first")
    try:
        replace(claims, second, "second")
    except ApiException as error:
        assert error.status == 409
    else:
        raise AssertionError("no conflict")
    replace(claims, claims.read_namespaced_resource_claim(*WHERE), "second")
    seen.expect("MODIFIED", lambda labels: labels == {"first": "won", "second": "won"})
    chapter("conflict")

    # The client sends a dict as a strategic merge patch, a list as a JSON patch.
    claims.patch_namespaced_resource_claim(*WHERE, {"metadata": {"labels": {"first": None}}})
    change = [{"op": "move", "from": "/metadata/labels/second", "path": "/metadata/labels/patched"}]
    patched = claims.patch_namespaced_resource_claim(*WHERE, change)
    assert patched.metadata.labels == {"patched": "won"}
    chapter("patch")

    applied = claims.patch_namespaced_resource_claim(
        *WHERE, APPLIED, field_manager="python", force=True, _content_type="application/apply-patch+yaml"
    )
    assert ("python", "Apply") in {(each.manager, each.operation) for each in applied.metadata.managed_fields}
    seen.expect("MODIFIED", lambda labels: "applied" in labels)
    chapter("apply")

    deleting = claims.delete_namespaced_resource_claim(*WHERE, propagation_policy="Background")
    assert deleting.metadata.deletion_timestamp
    claims.patch_namespaced_resource_claim(*WHERE, [{"op": "remove", "path": "/metadata/finalizers"}])
    seen.expect("DELETED")
    assert claims.list_namespaced_resource_claim(NAMESPACE).items == []
    chapter("delete")


def replace(claims: client.ResourceV1Api, claim: client.ResourceV1ResourceClaim, label: str) -> None:
    claim.metadata.labels = {**(claim.metadata.labels or {}), label: "won"}
    claims.replace_namespaced_resource_claim(*WHERE, claim)


if __name__ == "__main__":
    main()
