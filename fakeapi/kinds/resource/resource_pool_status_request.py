"""ResourcePoolStatusRequest of resource.k8s.io/v1alpha3: a one-time query of pool usage, from 1.36.

Follows k8s.io/kubernetes `pkg/registry/resource/resourcepoolstatusrequest` and
`pkg/apis/resource/validation`. Most rules are declared in `pkg/apis/resource/v1alpha3`.
"""

from typing import ClassVar

from fakeapi.kinds.common.conditions import validate_conditions
from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.common.immutable_structs import validate_immutable_struct
from fakeapi.kinds.common.status_strategies import StatusOnlyStrategy
from fakeapi.kinds.resource.gated_fields import POOL_STATUS_REQUEST_FIELDS
from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.registry.model.columns import Column, at, since
from fakeapi.registry.model.definition import KindDefinition, of_rules
from fakeapi.registry.model.strategy import NO_METADATA_ERRORS, MetadataErrors, RulesStrategy
from fakeapi.releases import Quirks


class PoolStatusRequestStrategy(RulesStrategy):
    """Strategy for ResourcePoolStatusRequests. Ignores the status that the client sends."""

    reset_fields: ClassVar[tuple[tuple[str, ...], ...]] = (("status",),)
    updates_unconditionally: ClassVar[bool] = False

    def prepare_create(self, obj: Object) -> Object:
        obj.pop("status", None)
        return drop_disabled_fields(obj, None, POOL_STATUS_REQUEST_FIELDS, self._rules)

    def prepare_update(self, new: Object, old: Object) -> Object:
        new.pop("status", None)
        if "status" in old:
            new["status"] = old["status"]
        return drop_disabled_fields(new, old, POOL_STATUS_REQUEST_FIELDS, self._rules)

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        return [*metadata.of_change]


class PoolStatusStrategy(StatusOnlyStrategy, PoolStatusRequestStrategy):
    """Strategy for `/status` of ResourcePoolStatusRequests. Rejects changes of an existing status."""

    def validate_update(
        self, new: Object, old: Object, metadata: MetadataErrors = NO_METADATA_ERRORS
    ) -> list[FieldError]:
        status, before = new.get("status"), old.get("status")
        errors = list(metadata.of_change)
        if before is not None:
            type_name = self._rules.schemas.newest_type("resource", "ResourcePoolStatusRequestStatus")
            errors += validate_immutable_struct(status, before, "status", type_name, self._rules)
        elif status is not None:
            errors += validate_conditions(status.get("conditions") or (), "status.conditions", self._rules)
        return errors


_UNKNOWN = "-"
_NEVER = "<none>"


def _ended(obj: Object) -> tuple[str, str]:
    """Returns "Complete" or "Failed", and the time of this condition of a ResourcePoolStatusRequest.

    If neither condition is True, returns "Pending" and an empty time.
    """
    for condition in obj.get("status", {}).get("conditions") or ():
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            return condition["type"], condition["lastTransitionTime"]
    return "Pending", ""


def _status(obj: Object, now: float) -> str:
    ended, _ = _ended(obj)
    pools, total = len(obj.get("status", {}).get("pools") or ()), _pool_count(obj, now)
    return f"{ended} ({pools}/{total} pools)" if ended == "Complete" and total > pools else ended


def _completed(obj: Object, now: float) -> str:
    ended, stamp = _ended(obj)
    return since(stamp, now) if ended == "Complete" else _NEVER


def _pool_count(obj: Object, _now: float) -> int:
    count: int = obj.get("status", {}).get("poolCount") or 0
    return count


def _sum_column(name: str, field: str, description: str) -> Column:
    """Returns a table column that contains the sum of a field over all pools.

    If the field is a string, the column contains the number of strings. Requests without a status and failed
    requests have the cell "-".
    """

    def cell(obj: Object, _now: float) -> str:
        if "status" not in obj or _ended(obj)[0] == "Failed":
            return _UNKNOWN
        values = [pool[field] for pool in obj["status"].get("pools") or () if field in pool]
        return str(sum(1 if isinstance(value, str) else value for value in values))

    return Column(name, description, cell)


def _columns(schema: Struct, quirks: Quirks) -> tuple[Column, ...]:
    across = "devices across all pools."
    return (
        Column("Driver", "The driver to query pools for.", at("spec", "driver")),
        _sum_column("Total", "totalDevices", f"Total number of {across}"),
        _sum_column("Available", "availableDevices", f"Number of available {across}"),
        _sum_column("Allocated", "allocatedDevices", f"Number of allocated {across}"),
        _sum_column("Unavailable", "unavailableDevices", f"Number of unavailable {across}"),
        _sum_column("Errors", "validationError", "Number of pools with validation errors."),
        Column("Pools", "Total number of matching pools.", _pool_count, type="integer"),
        Column("Status", "Processing status.", _status),
        Column("Completed", "Time since the observation completed.", _completed),
    )


RESOURCE_POOL_STATUS_REQUEST = KindDefinition(
    group="resource.k8s.io",
    resource="resourcepoolstatusrequests",
    strategies=of_rules(PoolStatusRequestStrategy, PoolStatusStrategy),
    columns=_columns,
    shows_age=False,
    is_declared=True,
)
