"""Creates, changes and deletes a ResourceClaim with a kopf operator; $KUBECONFIG names the server.

The operator watches claims, keeps a finalizer, and sends kopf's patches. The Python package `kubernetes`
creates, changes and deletes the claim.
"""

import threading
from typing import Any

import kopf
from kubernetes import client, config, dynamic
from telling import API_VERSION, APPLIED, CLAIM, METADATA, NAME, NAMESPACE, Seen, chapter

FINALIZER = "kopf.zalando.org/KopfFinalizerMarker"
RESOURCE = ("resource.k8s.io", "v1", "resourceclaims")
seen = Seen()


@kopf.on.startup()
def keep_in_annotations(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Makes kopf store its progress in annotations, because the status of a claim has no field for it."""
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage()
    settings.posting.level = 20


@kopf.on.create(*RESOURCE)
def created(patch: kopf.Patch, body: kopf.Body, **_: Any) -> None:
    patch.metadata.labels["patched"] = "yes"
    kopf.info(body, reason="Told", message="the claim is told")
    seen.add("created", {})


@kopf.on.update(*RESOURCE, field="metadata.labels")
def updated(new: Any, **_: Any) -> None:
    seen.add("updated", dict(new or {}))


@kopf.on.delete(*RESOURCE)
def deleted(**_: Any) -> None:
    seen.add("deleted", {})


@kopf.on.event(*RESOURCE)
def watched(type: str | None, meta: kopf.Meta, **_: Any) -> None:  # noqa: A002 - kopf's name
    seen.add(type or "LISTED", dict(meta.labels))


def main() -> None:
    config.load_kube_config()
    claims = dynamic.DynamicClient(client.ApiClient()).resources.get(
        api_version=API_VERSION, kind="ResourceClaim"
    )
    chapter("discover")
    ready, stop = threading.Event(), threading.Event()
    flags = {"ready_flag": ready, "stop_flag": stop}
    operator = threading.Thread(
        target=lambda: kopf.run(namespaces=[NAMESPACE], standalone=True, **flags),
        daemon=True,
    )
    operator.start()
    assert ready.wait(30)
    try:
        tell(claims)
    finally:
        stop.set()
        operator.join(30)


def tell(claims: Any) -> None:
    claims.create(body={**CLAIM, "metadata": {**METADATA, "finalizers": []}}, namespace=NAMESPACE)
    chapter("create")
    seen.expect("created")
    chapter("watch")
    seen.expect("MODIFIED", lambda labels: labels.get("patched") == "yes")
    conflict(claims)
    seen.expect("updated", lambda labels: labels.get("won") == "yes")
    chapter("conflict")
    claim = claims.get(name=NAME, namespace=NAMESPACE)
    assert FINALIZER in claim.metadata.finalizers
    chapter("patch")
    claims.server_side_apply(
        body=APPLIED, name=NAME, namespace=NAMESPACE, field_manager="story", force_conflicts=True
    )
    seen.expect("updated", lambda labels: "applied" in labels)
    chapter("apply")
    claims.delete(name=NAME, namespace=NAMESPACE)
    seen.expect("deleted")
    seen.expect("DELETED")
    chapter("delete")


def conflict(claims: Any) -> None:
    """Asserts that an update with an old resourceVersion gets 409 Conflict, and that a retry succeeds.

    A retry reads the claim again; ten retries must be enough.
    """
    stale = claims.get(name=NAME, namespace=NAMESPACE).to_dict()
    stale["metadata"]["resourceVersion"] = "1"
    try:
        claims.replace(body=stale, namespace=NAMESPACE)
    except dynamic.exceptions.ConflictError:
        pass
    else:
        raise AssertionError("no conflict")
    for _ in range(10):
        claim = claims.get(name=NAME, namespace=NAMESPACE).to_dict()
        claim["metadata"]["labels"]["won"] = "yes"
        try:
            claims.replace(body=claim, namespace=NAMESPACE)
        except dynamic.exceptions.ConflictError:
            continue
        return
    raise AssertionError("ten conflicts")


if __name__ == "__main__":
    main()
