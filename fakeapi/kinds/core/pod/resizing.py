"""Resizes pods in place: applies writes to `/resize`, and sets the status of a proposed resize.

Follows podResizeStrategy of k8s.io/kubernetes `pkg/registry/core/pod/strategy.go` and
MarkPodProposedForResize of `pkg/api/pod/util.go`.
"""

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.object_meta import reset_for_status
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.releases.rules import ReleaseRules

PROPOSED = "Proposed"
_CHANGED = ("resources", "resizePolicy")


def resized(new: Object, old: Object, rules: ReleaseRules) -> Object:
    """Returns `old` with the container resources and resize policies of `new`.

    From 1.33 on:

    - also takes metadata from `new`, and fields that feature gates make resizable
    - returns `new` unchanged if the number of containers differs, so that validation reports the difference
    """
    if rules.quirks.subresources_drop_metadata:
        containers = {container["name"]: container for container in new["spec"]["containers"]}
        spec = {
            **old["spec"],
            "containers": [
                _changed(container, containers.get(container["name"]))
                for container in old["spec"]["containers"]
            ],
        }
        return {**old, "spec": spec}
    spec, before = new["spec"], old["spec"]
    if any(
        len(spec.get(name) or ()) != len(before.get(name) or ()) for name in ("containers", "initContainers")
    ):
        return new
    merged = {**before, "containers": _merged(spec, before, "containers")}
    if before.get("initContainers") and rules.gates.enabled("SidecarContainers"):
        merged["initContainers"] = _merged(spec, before, "initContainers")
    if rules.gates.enabled("InPlacePodLevelResourcesVerticalScaling"):
        merged = _with(merged, "resources", spec)
    if rules.gates.enabled("InPlacePodVerticalScalingMemoryBackedVolumes"):
        merged = _with(merged, "volumes", spec)
    metadata = reset_for_status(new["metadata"], old["metadata"])
    return {**old, "metadata": metadata, "spec": merged}


def mark_proposed(new: Object, old: Object, rules: ReleaseRules) -> Object:
    """Returns `new` with `status.resize: Proposed` if the resources of a container change.

    Up to 1.31, a change counts only if the requests differ from the allocated resources.
    """
    containers, before = new["spec"]["containers"], old["spec"]["containers"]
    if len(containers) != len(before) and not rules.quirks.resize_follows_allocation:
        return new
    for container, was in zip(containers, before, strict=False):
        if container["name"] != was["name"] and not rules.quirks.resize_follows_allocation:
            return new
        requests = container["resources"].get("requests")
        if requests is None or semantically_equal(container["resources"], was["resources"]):
            continue
        if rules.quirks.resize_follows_allocation:
            allocated = _allocated(new, container["name"])
            if allocated is None or semantically_equal(allocated, requests):
                continue
        return {**new, "status": {**new["status"], "resize": PROPOSED}}
    return new


def _allocated(pod: Object, name: str) -> Object | None:
    statuses = pod["status"].get("containerStatuses") or ()
    return next(
        (status.get("allocatedResources") or {} for status in statuses if status.get("name") == name), None
    )


def _merged(spec: Object, before: Object, name: str) -> list[Object]:
    containers: list[Object] = spec.get(name) or []
    old: list[Object] = before.get(name) or []
    if [container["name"] for container in containers] != [container["name"] for container in old]:
        return containers
    return [_changed(was, now) for was, now in zip(old, containers, strict=True)]


def _changed(was: Object, now: Object | None) -> Object:
    if now is None:
        return was
    result = was
    for name in _CHANGED:
        result = _with(result, name, now)
    return result


def _with(obj: Object, name: str, source: Object) -> Object:
    rest = {key: value for key, value in obj.items() if key != name}
    return {**rest, name: source[name]} if name in source else rest
