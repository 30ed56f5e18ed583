"""Creates, changes and deletes a ResourceClaim with `kubernetes_asyncio`; $KUBECONFIG names the server."""

import asyncio

from kubernetes_asyncio import client, config, watch
from kubernetes_asyncio.client.exceptions import ApiException
from telling import APPLIED, CLAIM, NAME, NAMESPACE, PATIENCE_SECONDS, Seen, chapter

WHERE = (NAME, NAMESPACE)


async def main() -> None:
    await config.load_kube_config()
    async with client.ApiClient() as connection:
        claims = client.ResourceV1Api(connection)
        groups = await client.ApisApi(connection).get_api_versions()
        assert "resource.k8s.io" in {group.name for group in groups.groups}
        assert "resourceclaims" in {each.name for each in (await claims.get_api_resources()).resources}
        chapter("discover")
        seen = Seen()
        watching = asyncio.create_task(follow(claims, seen))
        await asyncio.wait_for(tell(claims, seen), 2 * PATIENCE_SECONDS)
        await watching


async def follow(claims: client.ResourceV1Api, seen: Seen) -> None:
    """Watches claims and adds the watch events to `seen`, until a claim is deleted.

    The watch needs an explicit object class, because the client derives a wrong name from the list class.
    """
    async with watch.Watch("ResourceV1ResourceClaim") as stream:
        async for event in stream.stream(claims.list_namespaced_resource_claim, NAMESPACE):
            seen.add(event["type"], event["object"].metadata.labels)
            if event["type"] == "DELETED":
                return


async def tell(claims: client.ResourceV1Api, seen: Seen) -> None:
    created = await claims.create_namespaced_resource_claim(NAMESPACE, CLAIM)
    assert created.spec.devices.requests[0].exactly.count == 1
    chapter("create")
    await asyncio.to_thread(seen.expect, "ADDED")
    chapter("watch")

    first, second = [await claims.read_namespaced_resource_claim(*WHERE) for _ in range(2)]
    await replace(claims, first, "first")
    try:
        await replace(claims, second, "second")
    except ApiException as error:
        assert error.status == 409
    else:
        raise AssertionError("no conflict")
    await replace(claims, await claims.read_namespaced_resource_claim(*WHERE), "second")
    await asyncio.to_thread(seen.expect, "MODIFIED", lambda labels: len(labels) == 2)
    chapter("conflict")

    # The client sends a dict as a strategic merge patch, a list as a JSON patch.
    await claims.patch_namespaced_resource_claim(*WHERE, {"metadata": {"labels": {"first": None}}})
    change = [{"op": "move", "from": "/metadata/labels/second", "path": "/metadata/labels/patched"}]
    patched = await claims.patch_namespaced_resource_claim(*WHERE, change)
    assert patched.metadata.labels == {"patched": "won"}
    chapter("patch")

    applied = await claims.patch_namespaced_resource_claim(
        *WHERE, APPLIED, field_manager="python", force=True, _content_type="application/apply-patch+yaml"
    )
    assert ("python", "Apply") in {(each.manager, each.operation) for each in applied.metadata.managed_fields}
    await asyncio.to_thread(seen.expect, "MODIFIED", lambda labels: "applied" in labels)
    chapter("apply")

    deleting = await claims.delete_namespaced_resource_claim(*WHERE, propagation_policy="Background")
    assert deleting.metadata.deletion_timestamp
    await claims.patch_namespaced_resource_claim(*WHERE, [{"op": "remove", "path": "/metadata/finalizers"}])
    await asyncio.to_thread(seen.expect, "DELETED")
    assert (await claims.list_namespaced_resource_claim(NAMESPACE)).items == []
    chapter("delete")


async def replace(claims: client.ResourceV1Api, claim: client.ResourceV1ResourceClaim, label: str) -> None:
    claim.metadata.labels = {**(claim.metadata.labels or {}), label: "won"}
    await claims.replace_namespaced_resource_claim(*WHERE, claim)


if __name__ == "__main__":
    asyncio.run(main())
