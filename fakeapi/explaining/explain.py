"""Explains one object of a cluster."""

from fakeapi.explaining.claims import explain_claim
from fakeapi.explaining.cluster_objects import KINDS, NAMESPACED, ClusterObjects
from fakeapi.explaining.dropped_fields import dropped_notes
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.model import Reference
from fakeapi.explaining.others import explain_other
from fakeapi.explaining.pods import explain_pod, missing
from fakeapi.explaining.refusal_reasons import refused_reasons
from fakeapi.explaining.similar import nearest
from fakeapi.explaining.template_names import name_templates
from fakeapi.registry.offloading.heavy_steps import HeavySteps

RESOURCES = {
    "po": "pods",
    "no": "nodes",
    "ns": "namespaces",
    "claim": "resourceclaims",
    "claims": "resourceclaims",
    "class": "deviceclasses",
    "classes": "deviceclasses",
    "claimtemplate": "resourceclaimtemplates",
    "claimtemplates": "resourceclaimtemplates",
    "template": "resourceclaimtemplates",
    "templates": "resourceclaimtemplates",
    "slice": "resourceslices",
    "slices": "resourceslices",
    "taintrule": "devicetaintrules",
    "taintrules": "devicetaintrules",
    "pvc": "persistentvolumeclaims",
}
"""Maps the names that users write to the resources that `explain` supports."""


KIND_WORDS = "pod, claim, template, class, slice, node, namespace, pvc, devicetaintrule"
"""The kinds that `explain` supports, as a list in error messages."""


def resource_of(kind: str) -> str:
    """Returns the plural of a resource from a name such as "Pod", "pods" or "claim".

    Raises ValueError if `explain` does not support the resource.
    """
    name = kind.lower()
    plural = RESOURCES.get(name, name)
    plural = next((own for own, (_, known) in KINDS.items() if known.lower() == name), plural)
    if plural not in KINDS:
        near = nearest(name, [*RESOURCES, *KIND_WORDS.split(", ")])
        meant = f"; did you mean {near}?" if near else ""
        raise ValueError(f"{kind!r} cannot be explained; the kinds are {KIND_WORDS}{meant}")
    return plural


def place_of(resource: str, name: str, namespace: str = "", *, default: str = "default") -> tuple[str, str]:
    """Returns the namespace and the name of an object from NAME or NAMESPACE/NAME.

    - `resource`: the plural of the resource, a key of KINDS.
    - `namespace`: the namespace that the user gave in addition to the name; "" without such a namespace.
    - `default`: the namespace of a bare NAME.

    Raises ValueError if a part is empty, if there are too many parts, if an object without a namespace has
    one, or if two namespaces contradict each other.
    """
    parts = name.split("/")
    if resource not in NAMESPACED:
        if len(parts) != 1 or not name:
            raise ValueError(f"{name!r} is not the NAME of a {KINDS[resource][1]}, which has no namespace")
        return "", name
    if len(parts) > 2 or not all(parts):
        raise ValueError(f"NAME must be [NAMESPACE/]NAME, not {name!r}")
    if len(parts) == 1:
        return namespace or default, name
    if namespace and namespace != parts[0]:
        raise ValueError(f"{name!r} is not in the namespace {namespace!r}")
    return parts[0], parts[1]


def target_of(resource: str, namespace: str, name: str) -> Reference:
    """Returns the object to explain. `resource`: a plural, such as "pods"."""
    return Reference(KINDS[resource][1], name, namespace)


async def explain(
    cluster: ClusterObjects, resource: str, namespace: str, name: str, heavy: HeavySteps
) -> Explanation:
    """Explains one object.

    - `resource`: the plural of the resource, such as "pods".
    - `namespace`: "" for an object without a namespace.
    - `heavy`: runs expensive CEL evaluations in a thread.

    The verdict is "missing" if the object does not exist, or "refused" if the server also refused to write
    the object.
    """
    namespace = namespace if resource in NAMESPACED else ""
    target = target_of(resource, namespace, name)
    await cluster.compute_keys()
    obj = cluster.get(resource, namespace, name)
    if obj is None:
        explained = missing(cluster, target, resource)
    elif resource == "pods":
        await cluster.compute_indexes()
        explained = await explain_pod(cluster, obj, heavy)
        explained.notes += dropped_notes(cluster, obj)
    elif resource == "resourceclaims":
        explained = await explain_claim(cluster, obj, heavy)
    else:
        explained = explain_other(cluster, obj)
    name_templates(cluster, explained.reasons)
    refused = refused_reasons(cluster)
    explained.reasons += refused
    if explained.verdict == "missing" and refused:
        explained.verdict, explained.summary = "refused", refused[0].text
    return explained
