"""The plugin PodSecurity: forbids pods, and warns of them and of templates for them.

Follows k8s.io/pod-security-admission `admission`. Its audit annotations go nowhere.
"""

from fakeapi.admission.plugin import AdmissionPlugin
from fakeapi.admission.plugins.pod_security.policy import (
    LEVELS,
    PRIVILEGED,
    LevelVersion,
    label_errors,
    policy_of,
)
from fakeapi.machinery import errors
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes
from fakeapi.registry.stored import form as stored_form

PODS_MAX = 3000
"""Number of pods checked when the policy of a namespace changes; a warning says if there are more."""

_LISTS = ("containers", "initContainers")


class PodSecurity(AdmissionPlugin):
    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 for a pod that the policy forbids, 422 for labels that name no policy."""
        name = attributes.resource.kind.resource
        newest = int(attributes.resource.release.name.partition(".")[2])
        if name == "namespaces":
            _check_labels(attributes)
            self._warn_of_existing_pods(attributes, newest)
            return
        policy = policy_of(self.objects.namespace_labels(attributes.namespace))
        if policy.is_privileged:
            return
        new, old = attributes.new_object(), attributes.old
        if name == "pods":
            if old is not None and not _is_significant(new["spec"], old["spec"]):
                return
            found = _problems(policy.enforce, newest, new["metadata"], new["spec"])
            if found:
                raise attributes.forbidden(f'violates PodSecurity "{policy.enforce}": {_worded(found)}')
            metadata, spec = new["metadata"], new["spec"]
        else:
            template = _template(new)
            if template is None:
                return
            metadata, spec = template.get("metadata") or {}, template["spec"]
        found = _problems(policy.warn, newest, metadata, spec)
        if found:
            attributes.warnings.add(f'would violate PodSecurity "{policy.warn}": {_worded(found)}')

    def _warn_of_existing_pods(self, attributes: Attributes, newest: int) -> None:
        """Names the pods that a stricter policy would forbid, once for each set of reasons."""
        if attributes.old is None:
            return
        wanted, before = (
            policy_of(each["metadata"].get("labels") or {}).enforce
            for each in (attributes.new_object(), attributes.old)
        )
        if not _is_stricter(wanted, before):
            return
        pods = self.objects.entries("", "pods", attributes.name)
        names: dict[str, list[str]] = {}
        for entry in pods[:PODS_MAX]:
            pod = stored_form.decode(entry)
            found = _problems(wanted, newest, pod["metadata"], pod["spec"])
            if found:
                reasons = ", ".join(reason for reason, _ in found)
                names.setdefault(reasons, []).append(pod["metadata"]["name"])
        if len(pods) > PODS_MAX:
            attributes.warnings.add(
                f"new PodSecurity enforce level only checked against the first {PODS_MAX} of {len(pods)} "
                "existing pods"
            )
        if names:
            where = f"existing pods in namespace {quote(attributes.name)}"
            attributes.warnings.add(f'{where} violate the new PodSecurity enforce level "{wanted}"')
        for text in sorted(f"{_pods(each)}: {reasons}" for reasons, each in names.items()):
            attributes.warnings.add(text)


def _problems(wanted: LevelVersion, newest: int, metadata: Object, spec: Object) -> list[tuple[str, str]]:
    """Why a pod is not of the level, each with its details."""
    if wanted.level == PRIVILEGED:
        return []
    from fakeapi.admission.plugins.pod_security.checks import (  # noqa: PLC0415 - every server has
        problems,  # namespaces, and few of them a policy
    )

    return problems(wanted, newest, metadata, spec)


def _worded(found: list[tuple[str, str]]) -> str:
    """Problems as a message lists them."""
    return ", ".join(f"{reason} ({details})" for reason, details in found)


def _is_stricter(wanted: LevelVersion, before: LevelVersion) -> bool:
    if wanted == before or wanted.level == PRIVILEGED:
        return False
    return wanted.version != before.version or LEVELS.index(wanted.level) > LEVELS.index(before.level)


def _pods(names: list[str]) -> str:
    first, others = min(names), len(names) - 1
    if not others:
        return first
    return f"{first} (and {others} other {'pod' if others == 1 else 'pods'})"


def _check_labels(attributes: Attributes) -> None:
    """Labels that were not valid before may stay."""
    labels = attributes.new_object()["metadata"].get("labels") or {}
    found = label_errors(labels)
    old = attributes.old
    if found and old is not None:
        found = [] if label_errors(old["metadata"].get("labels") or {}) else found
    if found:
        raise errors.invalid(attributes.resource.qualified_kind, attributes.name, found)


def _template(obj: Object) -> Object | None:
    """The template of the pods that an object makes."""
    if "template" in obj:
        found: Object | None = obj["template"]
        return found
    spec = obj["spec"]
    of_job = (spec.get("jobTemplate") or {}).get("spec")
    template: Object | None = (of_job or spec).get("template")
    return template


def _is_significant(spec: Object, before: Object) -> bool:
    """Whether an update changes what the policy looks at: images, and which containers there are."""
    for name in _LISTS:
        images, old = (
            [each.get("image") for each in each_spec.get(name) or ()] for each_spec in (spec, before)
        )
        if images != old:
            return True
    known = {each["name"]: each.get("image") for each in before.get("ephemeralContainers") or ()}
    return any(
        each["name"] not in known or known[each["name"]] != each.get("image")
        for each in spec.get("ephemeralContainers") or ()
    )


def _images(spec: Object, containers: str) -> list[str | None]:
    return [each.get("image") for each in spec.get(containers) or ()]
