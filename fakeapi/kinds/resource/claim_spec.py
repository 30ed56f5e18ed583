"""The claim spec of resource.k8s.io/v1alpha3 and newer, in ResourceClaim and ResourceClaimTemplate.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaim` and `resourceclaimtemplate`,
`pkg/apis/resource/v1alpha3` and `pkg/apis/resource/validation`.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from msgspec.structs import replace

from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.resource import admin_access
from fakeapi.kinds.resource.conversion.requests import spec_from_hub
from fakeapi.kinds.resource.device_requests import (
    restore_empty_request_lists,
)
from fakeapi.kinds.resource.layout import Layout
from fakeapi.kinds.resource.validation.cel_selectors import (
    CelCheck,
    accept_any_cel,
    cel_warnings,
)
from fakeapi.kinds.resource.validation.claim_devices import (
    Checks,
    requested_expressions,
    validate_devices,
)
from fakeapi.kinds.resource.validation.identifiers import validate_driver_name
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases.rules import ReleaseRules


def validate_claim_spec(spec: Object, path: str, checks: Checks) -> list[FieldError]:
    """Validates the spec of a ResourceClaim or of a template's claims. `path`: the path of the spec."""
    errors = validate_devices(spec["devices"], f"{path}.devices", checks)
    if "controller" in spec:
        errors += validate_driver_name(spec["controller"], f"{path}.controller", checks.rules)
    return errors


class ClaimSpecStrategy(Strategy, ABC):
    """Base strategy for ResourceClaims and ResourceClaimTemplates, whose spec is immutable.

    `restore_after_decoding` receives objects in the layout of the request's API version. All other methods
    receive objects in the layout of the hub version.
    """

    claim_path: ClassVar[tuple[str, ...]] = ("spec",)
    """The field path of the claim spec within the object."""

    spec_type: ClassVar[str] = "ResourceClaimSpec"
    """The Go type of the object's `spec`, for error messages."""

    is_checked_by_updates: ClassVar[bool] = False
    """Whether updates validate the spec in releases with the quirk `updates_are_checked_once`.

    In other releases, updates always validate the spec.
    """

    def __init__(
        self,
        rules: ReleaseRules,
        namespace_labels: admin_access.NamespaceLabels,
        check_cel: CelCheck = accept_any_cel,
        *,
        layout: Layout = Layout.FLAT,
    ) -> None:
        """Creates the strategy for one API version of a release.

        - `namespace_labels`: returns the labels of a namespace, for the check of `adminAccess`
        - `check_cel`: compiles the CEL selectors
        - `layout`: the layout of device requests in request bodies
        """
        self._rules = rules
        self._layout = layout
        self._namespace_labels = namespace_labels
        self._checks = Checks(rules, check_cel)
        self._checks_of_stored = replace(self._checks, stored=True)

    def claim_spec(self, obj: Object) -> Object:
        """Returns the claim spec of a ResourceClaim, or of a ResourceClaimTemplate."""
        spec: Object = obj
        for name in self.claim_path:
            spec = spec[name]
        return spec

    @abstractmethod
    def validate(self, obj: Object, checks: Checks) -> list[FieldError]:
        """Returns the errors of the `spec` of a ResourceClaim or ResourceClaimTemplate."""

    def restore_after_decoding(self, obj: Object, sent: Any) -> Object:
        if self._rules.quirks.request_fields_under_exactly and self._layout is Layout.NESTED:
            restore_empty_request_lists(self.claim_spec(obj), sent, (*self.claim_path, "devices", "requests"))
        return obj

    def authorize_create(self, obj: Object) -> list[FieldError]:
        if not self._rules.quirks.admin_access_needs_label:
            return []
        claim = {"metadata": obj["metadata"], "spec": self.claim_spec(obj)}
        return admin_access.authorize_requests(
            claim, self._namespace_labels, self._rules.quirks.admin_access_label
        )

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self.validate(obj, self._checks)

    def warnings_on_create(self, obj: Object) -> list[str]:
        return cel_warnings(requested_expressions(self.claim_spec(obj)["devices"]), self._checks.check_cel)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update of a ResourceClaim or ResourceClaimTemplate. The spec must not change.

        Up to 1.34 errors of the spec are reported twice, before and after the error of a changed spec.
        """
        once = self._rules.quirks.updates_are_checked_once
        return [
            *metadata.of_object,
            *(self.validate(new, self._checks) if self.is_checked_by_updates or not once else ()),
            *metadata.of_change,
            *self._validate_spec_unchanged(new, old),
            *(() if once else self.validate(new, self._checks_of_stored)),
        ]

    def _validate_spec_unchanged(self, new: Object, old: Object) -> list[FieldError]:
        """Returns an error if the update changes the spec. Up to 1.32 the error prints the nested layout."""
        specs = (new["spec"], old["spec"])
        if not self._rules.quirks.request_fields_under_exactly:
            specs = (self.nested_spec(new), self.nested_spec(old))
        type_name = self._rules.schemas.newest_type("resource", self.spec_type)
        return validate_immutable_struct(*specs, "spec", type_name, self._rules)

    def nested_spec(self, obj: Object) -> Object:
        """Returns the object's `spec` in the nested layout, see `Layout.NESTED`."""
        return spec_from_hub(obj["spec"])
