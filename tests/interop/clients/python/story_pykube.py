"""Creates, changes and deletes a ResourceClaim with pykube-ng; $KUBECONFIG names the server."""

import copy
import json
import threading
from typing import Any

import pykube
from telling import API_VERSION, APPLIED, CLAIM, NAME, NAMESPACE, PATIENCE_SECONDS, Seen, chapter


def main() -> None:
    api = pykube.HTTPClient(pykube.KubeConfig.from_env(), timeout=PATIENCE_SECONDS)
    claims = pykube.object_factory(api, API_VERSION, "ResourceClaim")
    assert claims.endpoint == "resourceclaims"
    chapter("discover")
    seen = Seen()
    query = claims.objects(api, namespace=NAMESPACE)
    version = query.response["metadata"]["resourceVersion"]
    watching = threading.Thread(target=follow, args=(query, seen, version))
    watching.start()
    tell(api, claims, seen)
    watching.join()


def follow(query: Any, seen: Seen, version: str) -> None:
    """Watches claims and adds the watch events to `seen`, until a claim is deleted."""
    for event in query.watch(since=version):
        seen.add(event.type, event.object.labels)
        if event.type == "DELETED":
            return


def tell(api: pykube.HTTPClient, claims: Any, seen: Seen) -> None:
    claim = claims(api, copy.deepcopy(CLAIM))
    claim.create()
    assert claim.obj["spec"]["devices"]["requests"][0]["exactly"]["count"] == 1
    chapter("create")
    seen.expect("ADDED")
    chapter("watch")

    # pykube sends an update as a merge patch of the whole object, with its resourceVersion.
    first, second = (claims.objects(api).get_by_name(NAME) for _ in range(2))
    write(first, "first")
    try:
        write(second, "second")
    except pykube.exceptions.HTTPError as error:
        assert error.code == 409
    else:
        raise AssertionError("no conflict")
    second.reload()
    write(second, "second")
    seen.expect("MODIFIED", lambda labels: len(labels) == 2)
    chapter("conflict")

    second.patch({"metadata": {"labels": {"first": None, "second": None, "patched": "yes"}}})
    assert second.labels == {"patched": "yes"}
    chapter("patch")

    answer = api.patch(
        **second.api_kwargs(
            headers={"Content-Type": "application/apply-patch+yaml"},
            params={"fieldManager": "pykube", "force": "true"},
            data=json.dumps(APPLIED),
        )
    )
    api.raise_for_status(answer)
    entries = answer.json()["metadata"]["managedFields"]
    assert ("pykube", "Apply") in {(each["manager"], each["operation"]) for each in entries}
    seen.expect("MODIFIED", lambda labels: "applied" in labels)
    chapter("apply")

    second.delete(propagation_policy="Background")
    second.reload()
    assert second.metadata["deletionTimestamp"]
    second.patch({"metadata": {"finalizers": None}})
    seen.expect("DELETED")
    assert not second.exists()
    chapter("delete")


def write(claim: Any, label: str) -> None:
    claim.obj["metadata"].setdefault("labels", {})[label] = "won"
    claim.update()


if __name__ == "__main__":
    main()
