"""Base strategies for workloads, which have a pod template from which controllers create pods.

Follows the common parts of the strategies in k8s.io/kubernetes `pkg/registry/apps`, `batch` and
`core/replicationcontroller`.
"""

from functools import cached_property
from typing import ClassVar

from fakeapi.kinds.common.gated_fields import GatedFields, drop_disabled_fields
from fakeapi.kinds.common.statuses import empty_status, with_status_of
from fakeapi.kinds.core.pod.gated_fields import POD_TEMPLATE_FIELDS
from fakeapi.kinds.core.pod.validation.warnings import pod_template_warnings
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1123_label
from fakeapi.machinery.object_paths import value_at, with_value_at
from fakeapi.registry.model.object_meta import with_generation, with_incremented_generation
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules


class WorkloadStrategy(Strategy):
    """Strategy for creates and updates of workloads.

    Writes keep the stored status. A changed spec increments the generation.
    """

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    template_path: ClassVar[tuple[str, ...]] = ("spec", "template")
    """Path of the pod template; empty for kinds without a pod template."""
    gated_fields: ClassVar[tuple[GatedFields, ...]] = ()
    """Fields that the server drops while their feature gates are off, except fields of the pod template."""

    def __init__(self, kind: Kind, rules: ReleaseRules) -> None:
        self._kind = kind
        self._rules = rules
        self._wording = rules.quirks.wording

    @cached_property
    def _empty_status(self) -> Object:
        return empty_status(self._kind)

    def prepare_create(self, obj: Object) -> Object:
        obj = with_status_of(obj, self._empty_status)
        return self._drop_disabled_fields(with_generation(obj, 1), None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = self._drop_disabled_fields(with_status_of(new, old), old)
        if self.is_new_generation(new, old):
            return with_incremented_generation(new, old)
        return new

    def _drop_disabled_fields(self, obj: Object, old: Object | None) -> Object:
        template = value_at(obj, self.template_path) if self.template_path else None
        if template is not None:
            before = None if old is None else value_at(old, self.template_path)
            kept = drop_disabled_fields(template, before, POD_TEMPLATE_FIELDS, self._rules)
            if kept is not template:
                obj = with_value_at(obj, self.template_path, kept)
        return drop_disabled_fields(obj, old, self.gated_fields, self._rules)

    def template_warnings(self, obj: Object) -> list[str]:
        """Returns the texts of Warning headers about the pod template."""
        template = value_at(obj, self.template_path) if self.template_path else None
        if template is None:
            return []
        return pod_template_warnings(template, ".".join(self.template_path), self._rules)

    def warnings_on_create(self, obj: Object) -> list[str]:
        return self.template_warnings(obj)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        same = new["metadata"].get("generation") == old["metadata"].get("generation")
        return [] if same else self.template_warnings(new)

    def is_new_generation(self, new: Object, old: Object) -> bool:
        return not semantically_equal(new["spec"], old["spec"])


class WorkloadStatusStrategy(Strategy):
    """Strategy for `/status` of workloads. Updates keep the stored spec and may change metadata."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def __init__(self, rules: ReleaseRules) -> None:
        self._rules = rules
        self._wording = rules.quirks.wording

    def prepare_update(self, new: Object, old: Object) -> Object:
        return {**new, "spec": old["spec"]}

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *self.status_errors(new, old)]

    def status_errors(self, new: Object, old: Object) -> list[FieldError]:
        """Returns errors about the new status and about changes of the status.

        Subclasses override this method.
        """
        return []


def template_labels(template: Object | None) -> dict[str, str]:
    """Returns the labels of a pod template."""
    labels: dict[str, str] = ((template or {}).get("metadata") or {}).get("labels") or {}
    return labels


def name_warnings(obj: Object) -> list[str]:
    """Returns a warning if the name of a workload is not a DNS label.

    The names of its pods begin with the name of the workload.
    """
    problems = is_dns1123_label(obj["metadata"].get("name", ""))
    if not problems:
        return []
    warning = "this is used in Pod names and hostnames, which can result in surprising behavior"
    return [f"metadata.name: {warning}; a DNS label is recommended: [{' '.join(problems)}]"]
