"""Creates, changes and deletes a ResourceClaim with kr8s; $KUBECONFIG names the server."""

import asyncio
import json
from typing import Any

import kr8s.asyncio
from kr8s import NotFoundError, ServerError
from kr8s.asyncio.objects import APIObject, new_class
from telling import API_VERSION, APPLIED, CLAIM, NAME, NAMESPACE, PATIENCE_SECONDS, Seen, chapter


async def main() -> None:
    api = await kr8s.asyncio.api()
    assert ("ResourceClaim", API_VERSION) in {
        (each["kind"], each["version"]) for each in await api.api_resources()
    }
    claims = new_class("ResourceClaim", API_VERSION, namespaced=True)
    chapter("discover")
    seen = Seen()
    watching = asyncio.create_task(follow(api, seen))
    await asyncio.wait_for(tell(claims, seen), 2 * PATIENCE_SECONDS)
    await watching


async def follow(api: Any, seen: Seen) -> None:
    """Watches claims and adds the watch events to `seen`, until a claim is deleted."""
    async for kind, claim in api.watch("resourceclaims.resource.k8s.io", namespace=NAMESPACE):
        seen.add(kind, dict(claim.labels))
        if kind == "DELETED":
            return


async def tell(claims: type[APIObject], seen: Seen) -> None:
    claim = await claims(CLAIM)
    await claim.create()
    assert claim.spec.devices.requests[0].exactly.count == 1
    chapter("create")
    await asyncio.to_thread(seen.expect, "ADDED")
    chapter("watch")

    # kr8s has no update; a merge patch sends the object with its resourceVersion.
    first, second = [await claims.get(NAME, namespace=NAMESPACE) for _ in range(2)]
    await write(first, "first")
    try:
        await write(second, "second")
    except ServerError as error:
        assert error.response is not None
        assert error.response.json()["reason"] == "Conflict"
    else:
        raise AssertionError("no conflict")
    await second.refresh()
    await write(second, "second")
    await asyncio.to_thread(seen.expect, "MODIFIED", lambda labels: len(labels) == 2)
    chapter("conflict")

    await claim.label(patched="yes")
    await claim.remove_label("first")
    await claim.patch([{"op": "remove", "path": "/metadata/labels/second"}], type="json")
    assert claim.labels == {"patched": "yes"}
    chapter("patch")

    await apply(claim)
    await asyncio.to_thread(seen.expect, "MODIFIED", lambda labels: "applied" in labels)
    chapter("apply")

    await claim.delete(propagation_policy="Background")
    await claim.refresh()
    assert claim.metadata.deletionTimestamp
    await claim.patch({"metadata": {"finalizers": None}})
    await asyncio.to_thread(seen.expect, "DELETED")
    try:
        await claims.get(NAME, namespace=NAMESPACE, timeout=1)
    except NotFoundError:
        chapter("delete")
    else:
        raise AssertionError("it is still there")


async def write(claim: APIObject, label: str) -> None:
    version = claim.metadata.resourceVersion
    await claim.patch({"metadata": {"resourceVersion": version, "labels": {label: "won"}}})


async def apply(claim: APIObject) -> None:
    """Sends a server-side apply patch with `call_api`, because kr8s has no method for it."""
    async with claim.api.call_api(
        "PATCH",
        version=claim.version,
        url=f"{claim.endpoint}/{claim.name}",
        namespace=claim.namespace,
        params={"fieldManager": "kr8s", "force": "true"},
        content=json.dumps(APPLIED),
        headers={"Content-Type": "application/apply-patch+yaml"},
    ) as answer:
        entries = answer.json()["metadata"]["managedFields"]
    assert ("kr8s", "Apply") in {(each["manager"], each["operation"]) for each in entries}


if __name__ == "__main__":
    asyncio.run(main())
