"""AlwaysPullImages, ExtendedResourceToleration and LimitPodHardAntiAffinityTopology: plugins for pods.

Follows k8s.io/kubernetes `plugin/pkg/admission/alwayspullimages`, `extendedresourcetoleration` and
`antiaffinity`.
"""

from collections.abc import Iterator

from fakeapi.admission.field_order import sort_fields, sort_spec
from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.field_errors import not_supported
from fakeapi.machinery.golang.aggregates import aggregate
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_qualified_name
from fakeapi.registry.admission.attributes import Attributes, Operation

ALWAYS = "Always"
HOSTNAME = "kubernetes.io/hostname"
CONTAINERS = ("initContainers", "containers", "ephemeralContainers")

_IDENTITY = ("key", "operator", "value", "effect")


class AlwaysPullImages(AdmissionPlugin):
    """Sets the image pull policy Always, so that pods cannot use private images pulled for other pods.

    Skips updates that add no new image.
    """

    def mutate(self, attributes: Attributes) -> None:
        if _has_no_new_image(attributes):
            return
        spec, schema = attributes.new_object()["spec"], attributes.resource.schema
        for field, _, container in _containers(spec):
            container["imagePullPolicy"] = ALWAYS
            sort_fields(container, schema, "spec", field)
        for volume in spec.get("volumes") or ():
            if volume.get("image") is not None:
                volume["image"]["pullPolicy"] = ALWAYS

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 500, like upstream, if a later plugin or webhook changed an image pull policy."""
        if _has_no_new_image(attributes):
            return
        spec = attributes.new_object()["spec"]
        policies = {
            f"spec.{field}[{index}].imagePullPolicy": container.get("imagePullPolicy", "")
            for field, index, container in _containers(spec)
        } | {
            f"spec.volumes[{index}].image.pullPolicy": volume["image"].get("pullPolicy", "")
            for index, volume in enumerate(spec.get("volumes") or ())
            if volume.get("image") is not None
        }
        problems = [
            attributes.forbidden(str(not_supported(path, policy, [ALWAYS]))).message
            for path, policy in policies.items()
            if policy != ALWAYS
        ]
        if problems:
            raise ApiError(500, "", aggregate(problems))


class ExtendedResourceToleration(AdmissionPlugin):
    """Adds a toleration to a pod for each extended resource that its containers request.

    The toleration is for the NoSchedule taint whose key is the name of the resource.
    """

    def mutate(self, attributes: Attributes) -> None:
        spec = attributes.new_object()["spec"]
        unit = attributes.resource.release.quirks.wording.length_unit
        names = {
            name
            for field in ("containers", "initContainers")
            for container in spec.get(field) or ()
            for name in (container.get("resources") or {}).get("requests") or ()
            if _is_extended(name, unit)
        }
        if not names:
            return
        for name in sorted(names):
            added = {"key": name, "operator": "Exists", "effect": "NoSchedule"}
            spec["tolerations"] = _with_toleration(spec.get("tolerations") or [], added)
        sort_spec(attributes)


class LimitPodHardAntiAffinityTopology(AdmissionPlugin):
    def validate(self, attributes: Attributes) -> None:
        """Rejects a required podAntiAffinity with a topologyKey other than kubernetes.io/hostname.

        Raises ApiError 403.
        """
        pod = attributes.new_object()
        terms = ((pod["spec"].get("affinity") or {}).get("podAntiAffinity") or {}).get(
            "requiredDuringSchedulingIgnoredDuringExecution"
        )
        for term in terms or ():
            key = term.get("topologyKey", "")
            if key != HOSTNAME:
                why = (
                    f"affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {key} but only key "
                    f"{HOSTNAME} is allowed"
                )
                raise errors.forbidden(attributes.resource.qualified, pod["metadata"].get("name", ""), why)


def _containers(spec: Object) -> Iterator[tuple[str, int, Object]]:
    for field in CONTAINERS:
        for index, container in enumerate(spec.get(field) or ()):
            yield field, index, container


def _has_no_new_image(attributes: Attributes) -> bool:
    """Whether a write is an update of a pod that adds no new image."""
    if attributes.operation is not Operation.UPDATE or attributes.old is None:
        return False
    new, old = (
        {container.get("image", "") for _, _, container in _containers(pod["spec"])}
        for pod in (attributes.new_object(), attributes.old)
    )
    return new <= old


def _is_extended(name: str, unit: str) -> bool:
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return not is_qualified_name(f"requests.{name}", unit)


def _with_toleration(tolerations: list[Object], added: Object) -> list[Object]:
    """Returns the tolerations including `added`.

    `added` replaces tolerations that differ from `added` only in tolerationSeconds. Without such a
    toleration, `added` is appended.
    """
    same = [
        all(toleration.get(name, "") == added.get(name, "") for name in _IDENTITY)
        for toleration in tolerations
    ]
    if not any(same):
        return [*tolerations, added]
    return [added if is_same else toleration for toleration, is_same in zip(tolerations, same, strict=True)]
