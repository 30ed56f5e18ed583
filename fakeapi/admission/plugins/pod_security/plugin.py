"""The plugin PodSecurity: rejects pods, and warns about pods and pod templates.

Follows k8s.io/pod-security-admission `admission`, without audit annotations.
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
"""Maximum number of existing pods to check when the labels of a namespace change.

If the namespace has more pods, a warning says that not all pods were checked.
"""

_LISTS = ("containers", "initContainers")


class PodSecurity(AdmissionPlugin):
    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 for a pod that violates the namespace's enforce level.

        Raises ApiError 422 if a namespace gets invalid Pod Security labels. Adds warnings for pods and pod
        templates that violate the warn level, and for existing pods that violate a stricter enforce level.
        """
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
            violations = _problems(policy.enforce, newest, new["metadata"], new["spec"])
            if violations:
                raise attributes.forbidden(f'violates PodSecurity "{policy.enforce}": {_worded(violations)}')
            metadata, spec = new["metadata"], new["spec"]
        else:
            template = _template(new)
            if template is None:
                return
            metadata, spec = template.get("metadata") or {}, template["spec"]
        violations = _problems(policy.warn, newest, metadata, spec)
        if violations:
            attributes.warnings.add(f'would violate PodSecurity "{policy.warn}": {_worded(violations)}')

    def _warn_of_existing_pods(self, attributes: Attributes, newest: int) -> None:
        """Adds warnings about existing pods that a new, stricter enforce level of a namespace forbids.

        Pods with the same violations share a warning. If the namespace has more than PODS_MAX pods, checks
        only the first pods and adds another warning.

        `newest`: the minor version of the server's release.
        """
        if attributes.old is None:
            return
        after, before = (
            policy_of(namespace["metadata"].get("labels") or {}).enforce
            for namespace in (attributes.new_object(), attributes.old)
        )
        if not _is_stricter(after, before):
            return
        pods = self.objects.entries("", "pods", attributes.name)
        names: dict[str, list[str]] = {}
        for entry in pods[:PODS_MAX]:
            pod = stored_form.decode(entry)
            violations = _problems(after, newest, pod["metadata"], pod["spec"])
            if violations:
                reasons = ", ".join(reason for reason, _ in violations)
                names.setdefault(reasons, []).append(pod["metadata"]["name"])
        if len(pods) > PODS_MAX:
            attributes.warnings.add(
                f"new PodSecurity enforce level only checked against the first {PODS_MAX} of {len(pods)} "
                "existing pods"
            )
        if names:
            where = f"existing pods in namespace {quote(attributes.name)}"
            attributes.warnings.add(f'{where} violate the new PodSecurity enforce level "{after}"')
        for text in sorted(f"{_pods(pod_names)}: {reasons}" for reasons, pod_names in names.items()):
            attributes.warnings.add(text)


def _problems(wanted: LevelVersion, newest: int, metadata: Object, spec: Object) -> list[tuple[str, str]]:
    """Returns the violations of a Pod Security level by a pod, as (reason, details) pairs.

    Imports the checks only for levels other than privileged.

    - `wanted`: the level and its version
    - `newest`: the minor version of the server's release
    - `metadata`, `spec`: the metadata and spec of the pod or pod template
    """
    if wanted.level == PRIVILEGED:
        return []
    from fakeapi.admission.plugins.pod_security.checks import (  # noqa: PLC0415 - only for policies
        problems,
    )

    return problems(wanted, newest, metadata, spec)


def _worded(violations: list[tuple[str, str]]) -> str:
    """Returns the violations as a list for an error message or a warning."""
    return ", ".join(f"{reason} ({details})" for reason, details in violations)


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
    """Raises ApiError 422 for invalid Pod Security labels, unless the old labels are invalid too."""
    labels = attributes.new_object()["metadata"].get("labels") or {}
    field_errors = label_errors(labels)
    old = attributes.old
    if field_errors and old is not None:
        field_errors = [] if label_errors(old["metadata"].get("labels") or {}) else field_errors
    if field_errors:
        raise errors.invalid(attributes.resource.qualified_kind, attributes.name, field_errors)


def _template(obj: Object) -> Object | None:
    """Returns the pod template of an object, such as a Deployment or CronJob; None without a pod template."""
    if "template" in obj:
        own: Object | None = obj["template"]
        return own
    spec = obj["spec"]
    of_job = (spec.get("jobTemplate") or {}).get("spec")
    template: Object | None = (of_job or spec).get("template")
    return template


def _is_significant(spec: Object, before: Object) -> bool:
    """Whether an update of a pod changes images or containers. PodSecurity checks only such updates.

    `spec`: the new pod spec
    `before`: the stored pod spec
    """
    if any(_images(spec, name) != _images(before, name) for name in _LISTS):
        return True
    known = {
        container["name"]: container.get("image") for container in before.get("ephemeralContainers") or ()
    }
    return any(
        container["name"] not in known or known[container["name"]] != container.get("image")
        for container in spec.get("ephemeralContainers") or ()
    )


def _images(spec: Object, containers: str) -> list[str | None]:
    return [container.get("image") for container in spec.get(containers) or ()]
