"""core/v1 ComponentStatus: the health of control plane components. A fakeapi server has no components.

Follows k8s.io/kubernetes `pkg/registry/core/componentstatus`.
"""

from collections.abc import Mapping

from fakeapi.kinds.generic import plain_strategies
from fakeapi.machinery.errors import ApiError, Qualified, not_found
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell
from fakeapi.registry.model.definition import KindDefinition
from fakeapi.releases import Quirks


def _missing(name: str, quirks: Quirks) -> ApiError:
    if quirks.missing_component_is_500:
        return ApiError(500, "", f"Component not found: {name}")
    return not_found(Qualified("", "componentstatus"), name)


def _cells(quirks: Quirks) -> Mapping[str, Cell]:
    return {
        "Status": _of_condition("status"),
        "Message": _of_condition("message"),
        "Error": _of_condition("error"),
    }


def _of_condition(field: str) -> Cell:
    """Returns a table cell function for a field of the Healthy condition."""

    def cell(obj: Object, now: float) -> str:
        conditions = obj.get("conditions") or ()
        return next(
            (condition.get(field, "") for condition in conditions if condition["type"] == "Healthy"), ""
        )

    return cell


COMPONENT_STATUS = KindDefinition(
    group="", resource="componentstatuses", strategies=plain_strategies, cells=_cells, missing=_missing
)
