"""ResourceClaimParameters and ResourceClassParameters of resource.k8s.io/v1alpha2: Kubernetes 1.30.

Follows k8s.io/kubernetes `pkg/registry/resource/resourceclaimparameters`, `resourceclassparameters`,
`pkg/apis/resource/validation` and `pkg/apis/resource/structured/namedresources/validation`.
"""

from fakeapi.kinds.resource.legacy_v1alpha2 import CLASSIC_VERSIONS
from fakeapi.kinds.resource.legacy_v1alpha2.parameter_references import (
    validate_claim_reference,
    validate_class_reference,
)
from fakeapi.kinds.resource.validation.cel_selectors import (
    CelCheck,
    accept_any_cel,
    cel_errors,
    cel_warnings,
    named_resources_compiler,
)
from fakeapi.kinds.resource.validation.collections import validate_named
from fakeapi.kinds.resource.validation.identifiers import validate_driver_name
from fakeapi.machinery.field_errors import FieldError, required
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Column, Columns
from fakeapi.registry.model.definition import CLASSIC, KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, Strategy
from fakeapi.releases import Kind
from fakeapi.releases.rules import ReleaseRules

NO_MODEL = "exactly one structured model field must be set"


class _ParametersStrategy(Strategy):
    """Base strategy of ResourceClaimParameters and ResourceClassParameters; every field may change."""

    def __init__(self, rules: ReleaseRules, check_cel: CelCheck = accept_any_cel) -> None:
        self._rules = rules
        self._check_cel = check_cel

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change, *metadata.of_object, *self.validate_create(new)]

    def warnings_on_create(self, obj: Object) -> list[str]:
        return cel_warnings(map(_selector, self._selecting(obj)), self._check_cel)

    def warnings_on_update(self, new: Object, old: Object) -> list[str]:
        return self.warnings_on_create(new)

    def _selecting(self, obj: Object) -> list[Object]:
        """Returns the requests of ResourceClaimParameters, or the filters of ResourceClassParameters.

        The object must be valid. Each request or filter has a CEL selector.
        """
        raise NotImplementedError

    def _validate_driver_name(self, name: str, path: str) -> list[FieldError]:
        return validate_driver_name(name, path, self._rules)

    def _validate_selecting(self, model: Object, path: str) -> list[FieldError]:
        """Validates a request or a filter: it must have `namedResources` with a valid CEL selector."""
        if "namedResources" not in model:
            return [required(path, NO_MODEL)]
        place, selector = f"{path}.namedResources.selector", model["namedResources"]["selector"]
        return cel_errors(selector, place, self._check_cel) if selector else [required(place)]


def _selector(model: Object) -> str:
    selector: str = model["namedResources"]["selector"]
    return selector


class ClaimParametersStrategy(_ParametersStrategy):
    """Strategy for ResourceClaimParameters: the requests of a claim, grouped by driver."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        return [
            *validate_claim_reference(obj, "generatedFrom", "generatedFrom"),
            *validate_named(
                obj.get("driverRequests"),
                "driverRequests",
                "driverName",
                self._validate_driver_name,
                self._validate_requests,
            ),
        ]

    def _selecting(self, obj: Object) -> list[Object]:
        return [request for driver in obj.get("driverRequests") or () for request in driver["requests"]]

    def _validate_requests(self, driver: Object, path: str) -> list[FieldError]:
        requests = driver.get("requests", ())
        if not requests:
            return [required(f"{path}.requests", "empty entries with no requests are not allowed")]
        errors: list[FieldError] = []
        for index, request in enumerate(requests):
            errors += self._validate_selecting(request, f"{path}.requests[{index}]")
        return errors


class ClassParametersStrategy(_ParametersStrategy):
    """Strategy for ResourceClassParameters: filters and vendor parameters, at most one of each per driver."""

    def validate_create(self, obj: Object) -> list[FieldError]:
        name = self._validate_driver_name
        return [
            *validate_class_reference(obj, "generatedFrom", "generatedFrom"),
            *validate_named(obj.get("filters"), "filters", "driverName", name, self._validate_selecting),
            *validate_named(
                obj.get("vendorParameters"), "vendorParameters", "driverName", name, lambda item, path: []
            ),
        ]

    def _selecting(self, obj: Object) -> list[Object]:
        return obj.get("filters") or []


GENERATED_FROM_TEXT = (
    "If this object was created from some other resource, then this links back to that resource. This "
    "field is used to find the in-tree representation of the {0} parameters when the parameter reference "
    "of the {0} refers to some unknown type."
)


def _claim_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": ClaimParametersStrategy(rules, named_resources_compiler(rules.quirks, rules.limits))}


def _class_strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    return {"": ClassParametersStrategy(rules, named_resources_compiler(rules.quirks, rules.limits))}


def _generated_from(obj: Object, now: float) -> str:
    reference = obj.get("generatedFrom")
    if not reference:
        return ""
    return f"{reference.get('kind', '')}.{reference.get('apiGroup', '')} {reference.get('name', '')}"


def _columns_of(owner: str) -> Columns:
    column = Column("GeneratedFrom", GENERATED_FROM_TEXT.format(owner), _generated_from)
    return lambda schema, quirks: (column,)


CLAIM_PARAMETERS = KindDefinition(
    group="resource.k8s.io",
    resource="resourceclaimparameters",
    versions=CLASSIC_VERSIONS,
    hub=CLASSIC,
    strategies=_claim_strategies,
    columns=_columns_of("claim"),
)
CLASS_PARAMETERS = KindDefinition(
    group="resource.k8s.io",
    resource="resourceclassparameters",
    versions=CLASSIC_VERSIONS,
    hub=CLASSIC,
    strategies=_class_strategies,
    columns=_columns_of("class"),
)
