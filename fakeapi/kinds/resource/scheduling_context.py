"""PodSchedulingContext of resource.k8s.io/v1alpha2 (Kubernetes 1.27 to 1.30) and v1alpha3 (1.31).

Follows k8s.io/kubernetes `pkg/registry/resource/podschedulingcontext` and `pkg/apis/resource/validation`.
"""

from typing import Any, ClassVar

from msgspec.structs import replace

from fakeapi.kinds.common.status_strategies import StatusKeptStrategy
from fakeapi.kinds.resource.legacy_v1alpha2 import CLASSIC_VERSIONS
from fakeapi.kinds.resource.validation.collections import validate_distinct, validate_set
from fakeapi.kinds.resource.validation.nodes import validate_node_name
from fakeapi.machinery.field_errors import FieldError, duplicate
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column, at
from fakeapi.registry.model.definition import CLASSIC, KindDefinition, Strategies, StrategyContext
from fakeapi.registry.model.object_meta import for_status
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors
from fakeapi.releases import Kind, Quirks
from fakeapi.releases.rules import ReleaseRules


class PodSchedulingContextStrategy(StatusKeptStrategy):
    """Strategy for creates and updates of PodSchedulingContexts. Ignores the status that the client sends."""

    def __init__(self, rules: ReleaseRules, *, duplicates_only: bool) -> None:
        """Creates the strategy for one API version of a release.

        `duplicates_only`: whether a repeated node name gets only the duplicate error, as in v1alpha2
        """
        self._rules = rules
        self._validate_list = validate_distinct if duplicates_only else validate_set

    def validate_create(self, obj: Object) -> list[FieldError]:
        return self._validate_nodes(obj["spec"].get("potentialNodes"), "spec.potentialNodes")

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates an update of a PodSchedulingContext.

        Like upstream, reports each error of the spec twice.
        """
        errors = [*metadata.of_object, *self.validate_create(new)]
        return [*errors, *metadata.of_change, *errors]

    def _validate_nodes(self, names: list[str] | None, path: str) -> list[FieldError]:
        return self._validate_list(
            names, path, self._rules.limits.scheduling_nodes, validate_node_name, self._rules
        )


class PodSchedulingContextStatusStrategy(PodSchedulingContextStrategy):
    """Strategy for `/status` of PodSchedulingContexts: the unsuitable nodes for each claim."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("spec",),)

    def prepare_update(self, new: Object, old: Object) -> Object:
        return for_status(new, old, stores_metadata=self._rules.quirks.status_stores_metadata)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        """Validates `status.resourceClaims` of a PodSchedulingContext.

        Like upstream, error paths begin with `status.claims`.
        """
        errors: list[FieldError] = [*metadata.of_change]
        seen: set[str] = set()
        claims: list[dict[str, Any]] = new["status"].get("resourceClaims", [])
        for index, claim in enumerate(claims):
            path = f"status.claims[{index}]"
            errors += self._validate_nodes(claim.get("unsuitableNodes"), f"{path}.unsuitableNodes")
            name = claim.get("name", "")
            if name in seen:
                errors.append(duplicate(path, name))
            seen.add(name)
        return errors


SELECTED_NODE_TEXT = (
    "SelectedNode is the node for which allocation of ResourceClaims that are referenced by the Pod and "
    'that use "WaitForFirstConsumer" allocation is to be attempted.'
)


def _strategies(kind: Kind, rules: ReleaseRules, context: StrategyContext) -> Strategies:
    duplicates_only = kind.version in CLASSIC_VERSIONS
    return {
        "": PodSchedulingContextStrategy(rules, duplicates_only=duplicates_only),
        "status": PodSchedulingContextStatusStrategy(rules, duplicates_only=duplicates_only),
    }


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    return (Column("SelectedNode", SELECTED_NODE_TEXT, at("spec", "selectedNode")),)


SCHEDULING_CONTEXT = KindDefinition(
    group="resource.k8s.io", resource="podschedulingcontexts", strategies=_strategies, columns=_columns
)
CLASSIC_SCHEDULING_CONTEXT = replace(SCHEDULING_CONTEXT, versions=CLASSIC_VERSIONS, hub=CLASSIC)
