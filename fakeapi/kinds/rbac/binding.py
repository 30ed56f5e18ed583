"""Defines the kinds RoleBinding and ClusterRoleBinding of rbac.authorization.k8s.io.

Follows k8s.io/kubernetes `pkg/apis/rbac/validation` and `pkg/apis/rbac/helpers.go`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.kinds.common.printing.values import printed_struct
from fakeapi.kinds.rbac.role import GROUP
from fakeapi.kinds.rbac.strategy import RbacStrategy
from fakeapi.machinery.field_errors import FieldError, invalid, not_supported, required
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta.names import (
    is_dns1123_subdomain,
    is_valid_path_segment_name,
    name_is_path_segment,
)
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.releases import Quirks


class RoleBindingStrategy(RbacStrategy):
    """Strategy for RoleBindings. Rejects changes of `roleRef`."""

    kinds: tuple[str, ...] = ("Role", "ClusterRole")
    namespaced = True

    def errors_of(self, obj: Object, old: Object | None) -> list[FieldError]:
        reference = obj["roleRef"]
        errors: list[FieldError] = []
        if reference["apiGroup"] != GROUP:
            errors.append(not_supported("roleRef.apiGroup", reference["apiGroup"], [GROUP]))
        if reference["kind"] not in self.kinds:
            errors.append(not_supported("roleRef.kind", reference["kind"], self.kinds))
        name = reference["name"]
        if name:
            errors += [invalid("roleRef.name", name, why) for why in is_valid_path_segment_name(name)]
        else:
            errors.append(required("roleRef.name"))
        for index, subject in enumerate(obj.get("subjects") or ()):
            errors += self._subject_errors(subject, f"subjects[{index}]")
        return errors

    def errors_of_change(self, new: Object, old: Object) -> list[FieldError]:
        if new["roleRef"] == old["roleRef"]:
            return []
        bad_value = printed_struct(new["roleRef"], "rbac/v1.RoleRef", self._rules)
        return [invalid("roleRef", bad_value, self._rules.quirks.role_reference_change)]

    def _subject_errors(self, subject: dict[str, Any], path: str) -> list[FieldError]:
        name, group = subject["name"], subject.get("apiGroup", "")
        errors = [] if name else [required(f"{path}.name")]
        match subject["kind"]:
            case "ServiceAccount":
                if name:
                    errors += [invalid(f"{path}.name", name, why) for why in is_dns1123_subdomain(name)]
                if group:
                    errors.append(not_supported(f"{path}.apiGroup", group, [""]))
                if not self.namespaced and not subject.get("namespace"):
                    errors.append(required(f"{path}.namespace"))
            case "User" | "Group":
                if group != GROUP:
                    errors.append(not_supported(f"{path}.apiGroup", group, [GROUP]))
            case kind:
                known = ("ServiceAccount", "User", "Group")
                errors.append(not_supported(f"{path}.kind", kind, known))
        return errors


class ClusterRoleBindingStrategy(RoleBindingStrategy):
    """Strategy for ClusterRoleBindings. A ClusterRoleBinding can only refer to a ClusterRole."""

    kinds = ("ClusterRole",)
    namespaced = False


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Role": _role,
        "Users": _subjects("User"),
        "Groups": _subjects("Group"),
        "ServiceAccounts": _accounts,
    }


def _role(obj: Object, now: float) -> str:
    return f"{obj['roleRef']['kind']}/{obj['roleRef']['name']}"


def _subjects(kind: str) -> Cell:
    return lambda obj, now: _named(obj, kind, lambda subject: subject["name"])


def _accounts(obj: Object, now: float) -> str:
    return _named(obj, "ServiceAccount", lambda subject: f"{subject.get('namespace', '')}/{subject['name']}")


def _named(obj: Object, kind: str, name: Callable[[dict[str, Any]], str]) -> str:
    return ", ".join(name(subject) for subject in obj.get("subjects") or () if subject["kind"] == kind)


ROLE_BINDING = KindDefinition(
    group=GROUP,
    resource="rolebindings",
    strategies=of_rules(RoleBindingStrategy),
    name_validator=name_is_path_segment,
    cells=_cells,
)
CLUSTER_ROLE_BINDING = KindDefinition(
    group=GROUP,
    resource="clusterrolebindings",
    strategies=of_rules(ClusterRoleBindingStrategy),
    name_validator=name_is_path_segment,
    cells=_cells,
)
