"""ResourceClaimTemplate of resource.k8s.io, in every version: claims to be made from it, with their metadata.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaimtemplate`, `pkg/apis/resource/validation` and
`ValidateTemplateObjectMeta` of `pkg/apis/core/validation`.
"""

from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

from fakeapi.machinery.fielderrors import FieldError, forbidden
from fakeapi.machinery.metadata import validate_annotations, validate_labels
from fakeapi.registry.resources import adminaccess, claims_v1alpha2, claims_v1alpha3
from fakeapi.registry.resources.celselectors import CelCheck, accept_any_cel, cel_warnings
from fakeapi.registry.resources.devicerequests import (
    RequestGates,
    default_claim_spec,
    default_exact_claim_spec,
)
from fakeapi.registry.resources.devices import Checks, requested_expressions
from fakeapi.registry.resources.equality import validate_immutable
from fakeapi.registry.resources.rules import Rules
from fakeapi.registry.strategy import Object, Strategy

Part: TypeAlias = dict[str, Any]

_NOT_FOR_TEMPLATES = {
    "name": "name",
    "generateName": "generateName",
    "namespace": "namespace",
    "selfLink": "selfLink",
    "uid": "uID",
    "resourceVersion": "resourceVersion",
    "generation": "generation",
    "creationTimestamp": "creationTimestamp",
    "deletionTimestamp": "deletionTimestamp",
    "deletionGracePeriodSeconds": "deletionGracePeriodSeconds",
    "ownerReferences": "ownerReferences",
    "finalizers": "finalizers",
    "managedFields": "managedFields",
}
"""What claims from a template cannot be given, and what errors call it: upstream takes the names from Go."""


def validate_template_metadata(metadata: Part, path: str, rules: Rules) -> list[FieldError]:
    """Errors of the metadata that claims are given: labels and annotations, and nothing else."""
    return [
        *validate_annotations(metadata.get("annotations", {}), f"{path}.annotations", rules.quirks.too_long),
        *validate_labels(metadata.get("labels", {}), f"{path}.labels"),
        *(
            forbidden(f"{path}.{called}", "cannot be set")
            for name, called in _NOT_FOR_TEMPLATES.items()
            if metadata.get(name) is not None
        ),
    ]


class ClaimTemplateV1Alpha2Strategy(Strategy):
    """Templates of v1alpha2; the spec stays as it was made."""

    metadata_checks: ClassVar[int] = 2

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def default(self, obj: Object) -> Object:
        claims_v1alpha2.default_claim_spec(obj["spec"]["spec"])
        return obj

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [
            *validate_template_metadata(obj["spec"]["metadata"], "spec.metadata", self._rules),
            *claims_v1alpha2.validate_claim_spec(obj["spec"]["spec"], "spec.spec"),
        ]

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """What is wrong with the spec is said before and after what is wrong with changing it."""
        errors = self.validate_create(new)
        return [*errors, *validate_immutable(new["spec"], old["spec"], "spec"), *errors]


class ClaimTemplateStrategy(Strategy):
    """Templates of v1alpha3 and newer; the spec stays as it was made.

    All but `default` see templates in the form of v1alpha3 and v1beta1.
    """

    metadata_checks: ClassVar[int] = 1

    def __init__(
        self,
        rules: Rules,
        namespace_labels: adminaccess.NamespaceLabels,
        check_cel: CelCheck = accept_any_cel,
        *,
        exact: bool = False,
    ) -> None:
        """`exact`: bodies are v1beta2's, where a request says by `exactly` what it wants."""
        self._rules = rules
        self._exact = exact
        self._namespace_labels = namespace_labels
        self._checks = Checks(rules, check_cel)
        self._checks_of_stored = replace(self._checks, stored=True)
        self._request_gates = RequestGates(rules)

    def default(self, obj: Object) -> Object:
        if self._exact:
            default_exact_claim_spec(obj["spec"]["spec"])
        else:
            default_claim_spec(obj["spec"]["spec"], self._rules)
        return obj

    def prepare_create(self, obj: Object) -> Object:
        return self._with_enabled_fields(obj, None)

    def validate_create(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        if self._rules.quirks.admin_access_needs_label:
            claim = {"metadata": obj["metadata"], "spec": obj["spec"]["spec"]}
            errors += adminaccess.authorize_requests(claim, self._namespace_labels)
        return errors + self._validate(obj, self._checks)

    def warnings_on_create(self, obj: Object) -> list[str]:
        return cel_warnings(requested_expressions(obj["spec"]["spec"]["devices"]), self._checks.check_cel)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return self._with_enabled_fields(new, old)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """What is wrong with the spec is said before and after what is wrong with changing it."""
        return [
            *self._validate(new, self._checks),
            *validate_immutable(new["spec"], old["spec"], "spec"),
            *self._validate(new, self._checks_of_stored),
        ]

    def _with_enabled_fields(self, obj: Object, old: Object | None) -> Object:
        claim = obj["spec"]["spec"]
        before = None if old is None else old["spec"]["spec"]["devices"]
        enabled = self._request_gates.enabled(
            claim["devices"],
            before,
            uses_admin_access=before is not None and adminaccess.requests_use_it(before),
        )
        if enabled is not claim["devices"]:
            obj["spec"] = {**obj["spec"], "spec": {**claim, "devices": enabled}}
        return obj

    def _validate(self, obj: Object, checks: Checks) -> list[FieldError]:
        return [
            *validate_template_metadata(obj["spec"]["metadata"], "spec.metadata", self._rules),
            *claims_v1alpha3.validate_claim_spec(obj["spec"]["spec"], "spec.spec", checks),
        ]
