"""Strategies of workloads: kinds that make pods from a template, whose status their controller writes.

Follows what the strategies of k8s.io/kubernetes `pkg/registry/apps`, `batch` and
`core/replicationcontroller` have in common.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

from fakeapi.kinds.core.pod.gated_fields import drop_gated_fields
from fakeapi.kinds.core.pod.validation.warnings import pod_template_warnings
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import is_dns1123_label
from fakeapi.machinery.schema.decoding import decode
from fakeapi.registry.model.object_meta import with_generation
from fakeapi.registry.model.semantic_equality import semantically_equal
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules


class WorkloadStrategy(Strategy):
    """Writes to the object itself: its status stays, and a change of its spec is a new generation."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    template_path: ClassVar[tuple[str, ...]] = ("spec", "template")
    """Where the pod template stands; empty for a kind without one."""

    def __init__(self, kind: Kind, rules: ReleaseRules) -> None:
        self._kind = kind
        self._rules = rules
        self._wording = rules.quirks.wording

    @cached_property
    def _empty_status(self) -> Object:
        """The status of an object that has none, as Go writes it: absent or with what its type always
        writes.
        """
        empty, _ = decode({}, self._kind.schema)
        return {"status": empty["status"]} if "status" in empty else {}

    def prepare_create(self, obj: Object) -> Object:
        obj = with_status_of(obj, self._empty_status)
        return self._with_enabled(with_generation(obj, 1), None)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new = self._with_enabled(with_status_of(new, old), old)
        if self.is_new_generation(new, old):
            return with_generation(new, old["metadata"].get("generation", 0) + 1)
        return new

    def _with_enabled(self, obj: Object, old: Object | None) -> Object:
        template = at_path(obj, self.template_path) if self.template_path else None
        if template is not None:
            before = None if old is None else at_path(old, self.template_path)
            kept = drop_gated_fields(template, before, self._rules, status=False)
            if kept is not template:
                obj = with_value(obj, self.template_path, kept)
        return self.with_enabled_fields(obj, old)

    def template_warnings(self, obj: Object) -> list[str]:
        """Texts of Warning headers about the pod template."""
        template = at_path(obj, self.template_path) if self.template_path else None
        if template is None:
            return []
        return pod_template_warnings(template, ".".join(self.template_path), self._rules)

    def warnings_on_create(self, obj: Object) -> list[str]:
        return self.template_warnings(obj)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        same = new["metadata"].get("generation") == old["metadata"].get("generation")
        return [] if same else self.template_warnings(new)

    def with_enabled_fields(self, obj: Object, old: Object | None) -> Object:
        """`obj` without the fields behind gates that are off, unless `old` has them."""
        return obj

    def is_new_generation(self, new: Object, old: Object) -> bool:
        return not semantically_equal(new["spec"], old["spec"])


class WorkloadStatusStrategy(Strategy):
    """Writes to `/status`: the spec stays; metadata may change as it may by other writes."""

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
        """Errors of the status and of its change."""
        return []


def with_status_of(obj: Object, other: Object) -> Object:
    """`obj` with the status of `other`, or without one."""
    found = {name: value for name, value in obj.items() if name != "status"}
    return {**found, "status": other["status"]} if "status" in other else found


def at_path(obj: Object, path: tuple[str, ...]) -> Any:
    """The value at a path; None where there is none."""
    value: Any = obj
    for name in path:
        value = (value or {}).get(name)
    return value


def with_value(obj: Object, path: tuple[str, ...], value: Any) -> Object:
    """`obj` with another value at a path that it has."""
    first, *rest = path
    return {**obj, first: with_value(obj[first], tuple(rest), value) if rest else value}


def template_labels(template: Object | None) -> dict[str, str]:
    """The labels of a pod template."""
    labels: dict[str, str] = ((template or {}).get("metadata") or {}).get("labels") or {}
    return labels


def without_fields(obj: Object, old: Object | None, names: Iterable[str]) -> Object:
    """`obj` without those of the named fields that `old` does not have."""
    before: dict[str, Any] = old or {}
    dropped = {name for name in names if before.get(name) is None}
    return {name: value for name, value in obj.items() if name not in dropped}


def name_warnings(obj: Object) -> list[str]:
    """The warning about a name that is no DNS label, and so no good beginning of a pod's name."""
    problems = is_dns1123_label(obj["metadata"].get("name", ""))
    if not problems:
        return []
    warning = "this is used in Pod names and hostnames, which can result in surprising behavior"
    return [f"metadata.name: {warning}; a DNS label is recommended: [{' '.join(problems)}]"]
