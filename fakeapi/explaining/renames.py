"""Makes a change of a name in a World: the pod or claim then names another object."""

from dataclasses import replace

from fakeapi.explaining.model import Change
from fakeapi.explaining.trial import edited, steps_of
from fakeapi.explaining.world import World
from fakeapi.machinery.json_types import Object

_TEMPLATE = "resourceClaimTemplateName"


def after_rename(world: World, pod: Object, change: Change) -> tuple[World, Object]:
    """Returns the world and the pod after `change` has set the field `path` to `value`.

    `change.objects`: the pod, or one of its claims.
    """
    (target,) = change.objects
    if target.kind == "ResourceClaim":
        claims = [
            edited(claim, steps_of(change.path), change.value)
            if (claim["metadata"]["namespace"], claim["metadata"]["name"]) == (target.namespace, target.name)
            else claim
            for claim in world.of("resourceclaims")
        ]
        return replace(world, objects={**world.objects, "resourceclaims": claims}), pod
    if not change.path.endswith(_TEMPLATE):
        return world, edited(pod, steps_of(change.path), change.value)
    return _with_claim_of_template(world, pod, change)


def _with_claim_of_template(world: World, pod: Object, change: Change) -> tuple[World, Object]:
    """Returns the world with the claim that the resourceclaim controller would create from a template."""
    namespace = pod["metadata"]["namespace"]
    template = world.get("resourceclaimtemplates", namespace, change.value)
    name = f"{pod['metadata']['name']}-of-{change.value}"
    spec = {} if template is None else template["spec"].get("spec") or {}
    claim: Object = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": namespace, "uid": f"for-{name}"},
        "spec": spec,
        "status": {},
    }
    steps = steps_of(change.path)
    renamed = edited(pod, steps, None)
    renamed = edited(renamed, [*steps[:-1], "resourceClaimName"], name)
    objects = {**world.objects, "resourceclaims": [*world.of("resourceclaims"), claim]}
    return replace(world, objects=objects), renamed
