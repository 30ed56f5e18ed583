"""Validation errors about metadata in updates name the right field for each kind."""

from typing import Any

import pytest

from fakeapi.kinds.core.namespace.definition import NamespaceStatusStrategy, NamespaceStrategy
from fakeapi.kinds.resource.device_class import DeviceClassStrategy
from fakeapi.kinds.resource.device_taint_rule import DeviceTaintRuleStrategy
from fakeapi.kinds.resource.legacy_v1alpha2.parameters import (
    ClaimParametersStrategy,
    ClassParametersStrategy,
)
from fakeapi.kinds.resource.legacy_v1alpha2.resource_class import ResourceClassStrategy
from fakeapi.kinds.resource.legacy_v1alpha2.resource_slice import (
    ResourceSliceStrategy as OldSliceStrategy,
)
from fakeapi.kinds.resource.resource_slice import ResourceSliceStrategy
from fakeapi.kinds.resource.scheduling_context import (
    PodSchedulingContextStatusStrategy,
    PodSchedulingContextStrategy,
)
from fakeapi.machinery.field_errors import required
from fakeapi.registry.model.strategy import MetadataErrors, Strategy
from tests.kinds.resource.builders import places, rules_with

RULES, NEWEST = rules_with("1.31"), rules_with("1.33")

FOUND = MetadataErrors([required("object")], [required("change")])
NODES = {"potentialNodes": ["A"]}
CONTEXT = {"spec": NODES, "status": {"resourceClaims": [{"unsuitableNodes": ["A"]}]}}
POOL = {"name": "p", "resourceSliceCount": 0, "generation": 0}
SLICE = {"spec": {"driver": "d", "pool": POOL, "nodeName": "n", "devices": None}}


def now() -> str:
    return "2027-01-15T08:00:00Z"


def _named(value: object) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__name__}" if isinstance(value, Strategy) else ""


@pytest.mark.parametrize(
    ("strategy", "obj", "found"),
    [
        (Strategy(), {}, "object change"),
        (
            DeviceClassStrategy(RULES),
            {"spec": {"selectors": [{}]}},
            "object spec.selectors[0].cel change spec.selectors[0].cel",
        ),
        (ResourceClassStrategy(RULES), {"driverName": "A_"}, "object driverName change object driverName"),
        (ResourceSliceStrategy(RULES, now), SLICE, "change spec.pool.resourceSliceCount"),
        (OldSliceStrategy(RULES), {"driverName": "d"}, "change object <nil>"),
        (
            ClaimParametersStrategy(RULES),
            {"generatedFrom": {"kind": "k", "name": ""}},
            "change object generatedFrom.name",
        ),
        (
            ClassParametersStrategy(RULES),
            {"generatedFrom": {"kind": "k", "name": ""}},
            "change object generatedFrom.name",
        ),
        (
            PodSchedulingContextStrategy(RULES, duplicates_only=False),
            CONTEXT,
            "object spec.potentialNodes[0] change object spec.potentialNodes[0]",
        ),
        (
            PodSchedulingContextStatusStrategy(RULES, duplicates_only=False),
            CONTEXT,
            "change status.claims[0].unsuitableNodes[0]",
        ),
        (
            DeviceTaintRuleStrategy(NEWEST, now),
            {"spec": {"taint": {"key": "a", "effect": ""}}},
            "change spec.taint.effect",
        ),
        (NamespaceStrategy(RULES), {"spec": {"finalizers": ["x"]}}, "object spec.finalizers change"),
        (NamespaceStatusStrategy(RULES), {"metadata": {}, "status": {"phase": "x"}}, "change status.Phase"),
    ],
    ids=_named,
)
def test_errors_of_metadata_stand_where_the_kind_looks_at_it(
    strategy: Strategy, obj: dict[str, Any], found: str
) -> None:
    assert places(strategy.validate_update(obj, obj, FOUND)) == found.split()
