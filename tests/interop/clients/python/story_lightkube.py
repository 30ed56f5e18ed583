"""Creates, changes and deletes a ResourceClaim with lightkube; $KUBECONFIG names the server."""

import threading

from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.resources.resource_v1 import ResourceClaim
from lightkube.types import CascadeType, PatchType
from telling import APPLIED, CLAIM, NAME, NAMESPACE, Seen, chapter


def main() -> None:
    # lightkube has no discovery: its classes contain the paths.
    client = Client(namespace=NAMESPACE, field_manager="lightkube")
    generic = create_namespaced_resource("resource.k8s.io", "v1", "ResourceClaim", "resourceclaims")
    assert list(client.list(generic)) == []
    chapter("discover")
    seen = Seen()
    listed = client.list(ResourceClaim)
    assert list(listed) == []
    watching = threading.Thread(target=follow, args=(client, seen, listed.resourceVersion))
    watching.start()
    tell(client, seen)
    watching.join()


def follow(client: Client, seen: Seen, resource_version: str) -> None:
    """Watches claims and adds the watch events to `seen`, until a claim is deleted."""
    for kind, claim in client.watch(ResourceClaim, resource_version=resource_version):
        seen.add(kind, claim.metadata.labels)
        if kind == "DELETED":
            return


def tell(client: Client, seen: Seen) -> None:
    created = client.create(ResourceClaim.from_dict(CLAIM))
    assert created.spec.devices.requests[0].exactly.count == 1
    chapter("create")
    seen.expect("ADDED")
    chapter("watch")

    first, second = (client.get(ResourceClaim, NAME) for _ in range(2))
    replace(client, first, "first")
    try:
        replace(client, second, "second")
    except ApiError as error:
        assert (error.status.code, error.status.reason) == (409, "Conflict")
    else:
        raise AssertionError("no conflict")
    replace(client, client.get(ResourceClaim, NAME), "second")
    seen.expect("MODIFIED", lambda labels: len(labels) == 2)
    chapter("conflict")

    client.patch(ResourceClaim, NAME, {"metadata": {"labels": {"patched": "yes"}}})  # a strategic merge patch
    client.patch(ResourceClaim, NAME, {"metadata": {"labels": {"first": None}}}, patch_type=PatchType.MERGE)
    change = [{"op": "remove", "path": "/metadata/labels/second"}]
    patched = client.patch(ResourceClaim, NAME, change, patch_type=PatchType.JSON)
    assert patched.metadata.labels == {"patched": "yes"}
    chapter("patch")

    applied = client.apply(ResourceClaim.from_dict(APPLIED), force=True)
    assert ("lightkube", "Apply") in {
        (each.manager, each.operation) for each in applied.metadata.managedFields
    }
    seen.expect("MODIFIED", lambda labels: "applied" in labels)
    chapter("apply")

    client.delete(ResourceClaim, NAME, cascade=CascadeType.BACKGROUND)
    claim = client.get(ResourceClaim, NAME)
    assert claim.metadata.deletionTimestamp
    claim.metadata.finalizers = []
    client.replace(claim)
    seen.expect("DELETED")
    try:
        client.get(ResourceClaim, NAME)
    except ApiError as error:
        assert error.status.reason == "NotFound"
    else:
        raise AssertionError("it is still there")
    chapter("delete")


def replace(client: Client, claim: ResourceClaim, label: str) -> None:
    claim.metadata.labels = {**(claim.metadata.labels or {}), label: "won"}
    client.replace(claim)


if __name__ == "__main__":
    main()
