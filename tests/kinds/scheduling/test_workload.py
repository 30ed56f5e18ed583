"""Workload, PodGroup and CompositePodGroup: validation and immutable fields."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import NOW, Body, Found, canonical, created, refusals, refused_change, resource_of

GANG = {"gang": {"minCount": 2}}
ONE = "exactly one of `basic`, `gang` is required"
EMPTY = "must specify one of: `basic`, `gang`"


def of(release: str, version: str, resource: str, *gates: str) -> Resource:
    return resource_of(release, "scheduling.k8s.io", version, resource, "GenericWorkload", *gates)


FIRST = of("1.35", "v1alpha1", "workloads")
FLAT = of("1.36", "v1alpha2", "workloads")
TREE = of("1.37", "v1beta1", "workloads", "TopologyAwareWorkloadScheduling", "CompositePodGroup")
PLAIN = of("1.37", "v1beta1", "workloads")
GROUP = of("1.37", "v1beta1", "podgroups")
FLAT_GROUP = of("1.36", "v1alpha2", "podgroups")


def spec(**fields: Any) -> Body:
    return {"spec": fields}


def changed(resource: Resource, body: Body, old: Body) -> Body:
    """Prepares an update of the object `old` to `body`; returns the new object before validation."""
    return resource.strategy_for("").prepare_update(canonical(resource, body), old)


def template(name: str = "a", policy: Body | None = None, **fields: Any) -> Body:
    return {"name": name, "schedulingPolicy": GANG if policy is None else policy, **fields}


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([{"name": "a", "policy": GANG}], []),
        ([], [("spec.podGroups", "Required value: must have at least one item")]),
        (
            [{"name": str(number), "policy": GANG} for number in range(9)],
            [("spec.podGroups", "Too many: 9: must have at most 8 items")],
        ),
        (
            [{"name": "a", "policy": GANG}, {"name": "a", "policy": {"gang": {"minCount": 0}}}],
            [
                ("spec.podGroups[1].name", 'Duplicate value: "a"'),
                ("spec.podGroups[1].policy.gang.minCount", "Invalid value: 0: must be greater than zero"),
            ],
        ),
        (
            [{"name": "a", "policy": {}}, {"name": "b", "policy": {**GANG, "basic": {}}}],
            [
                ("spec.podGroups[0].policy", f"Required value: {ONE}"),
                (
                    "spec.podGroups[1].policy",
                    f'Invalid value: "{{`basic`, `gang`}}": {ONE}, but multiple fields are set',
                ),
            ],
        ),
    ],
)
def test_groups_of_1_35_are_parts_of_their_workload(groups: list[Body], expected: Found) -> None:
    assert refusals(FIRST, spec(podGroups=groups)) == expected


def test_groups_of_1_35_stay() -> None:
    one, other = (spec(podGroups=[{"name": name, "policy": GANG}]) for name in "ab")
    assert refused_change(FIRST, one, other) == [
        (
            "podGroups",
            'Invalid value: [{"Name":"b","Policy":{"Basic":null,"Gang":{"MinCount":2}}}]: field is immutable',
        )
    ]


@pytest.mark.parametrize(
    ("templates", "expected"),
    [
        ([template()], []),
        (None, [("spec.podGroupTemplates", "Required value")]),
        (
            [template(policy={})],
            [("spec.podGroupTemplates[0].schedulingPolicy", f'Invalid value: "": {EMPTY}')],
        ),
        (
            [template(policy={"gang": {"minCount": -1}})],
            [
                (
                    "spec.podGroupTemplates[0].schedulingPolicy.gang.minCount",
                    "Invalid value: -1: must be greater than or equal to 1",
                )
            ],
        ),
        (
            [template(policy={**GANG, "basic": {}}, name="")],
            [
                ("spec.podGroupTemplates[0].name", "Required value"),
                (
                    "spec.podGroupTemplates[0].schedulingPolicy",
                    'Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
                ),
            ],
        ),
    ],
)
def test_templates_follow_the_markers_of_their_type(templates: list[Body] | None, expected: Found) -> None:
    assert refusals(FLAT, spec(podGroupTemplates=templates)) == expected


def test_templates_of_one_name_are_shown_as_they_were_sent() -> None:
    shown = '{"name":"a","schedulingPolicy":{"gang":{"minCount":2}},"schedulingConstraints":null}'
    assert refusals(PLAIN, spec(podGroupTemplates=[template(), template()])) == [
        ("spec.podGroupTemplates[1]", f"Duplicate value: {shown}")
    ]


def test_templates_of_a_workload_stay() -> None:
    old, new = spec(podGroupTemplates=[template()]), spec(podGroupTemplates=[template("b")])
    fixed = ("spec.podGroupTemplates", "Invalid value: null: field is immutable")
    assert refused_change(FLAT, old, new) == [fixed]
    assert refused_change(PLAIN, old, new) == [
        ("spec.podGroupTemplates[0]", "Forbidden: item may not be added"),
        ("spec.podGroupTemplates", "Forbidden: item may not be removed"),
    ]
    grown = spec(podGroupTemplates=[template(policy={"gang": {"minCount": 3}})])
    assert refused_change(PLAIN, old, grown) == []


def test_a_workload_has_templates_of_one_kind() -> None:
    either = "`podGroupTemplates`, `compositePodGroupTemplates`"
    assert refusals(PLAIN, spec()) == [("spec", f'Invalid value: "": must specify one of: {either}')]
    composite = {"name": "c", "schedulingPolicy": {"basic": {}}, "podGroupTemplates": [template()]}
    dropped = spec(podGroupTemplates=[template()], compositePodGroupTemplates=[composite])
    assert refusals(PLAIN, dropped) == []
    found = [each for each in refusals(TREE, dropped) if each[0] == "spec"]
    ((field, text),) = found
    assert field == "spec"
    assert text.endswith(f"must specify exactly one of: {either}")


def test_templates_keep_disabled_fields_that_their_stored_template_has() -> None:
    claims = [{"name": "c", "resourceClaimName": "r"}]
    old = spec(podGroupTemplates=[template(resourceClaims=claims), template("b")])
    new = spec(podGroupTemplates=[template(resourceClaims=claims), template("b", resourceClaims=claims)])
    templates = changed(PLAIN, new, {**old, "metadata": {}})["spec"]["podGroupTemplates"]
    assert [entry.get("resourceClaims") for entry in templates] == [claims, None]
    assert [entry["schedulingConstraints"] for entry in templates] == [None, None]


def test_composite_templates_keep_disabled_fields_of_stored_templates_with_the_same_name() -> None:
    never = "Never"
    kept, lost = ({"name": name, "schedulingPolicy": GANG, "preemptionPolicy": never} for name in "ab")
    old = spec(compositePodGroupTemplates=[kept])
    templates = changed(TREE, spec(compositePodGroupTemplates=[lost, kept]), old)["spec"]
    assert [entry.get("preemptionPolicy") for entry in templates["compositePodGroupTemplates"]] == [
        None,
        never,
    ]


def test_a_tree_has_leaves_names_and_one_priority() -> None:
    leaf: Body = {"name": "c", "schedulingPolicy": {"basic": {}}}
    assert refusals(TREE, spec(compositePodGroupTemplates=[leaf])) == [
        (
            "spec.compositePodGroupTemplates[0]",
            'Invalid value: "c": must have at least one child PodGroupTemplate or CompositePodGroupTemplate',
        )
    ]
    low = {**leaf, "podGroupTemplates": [template("c", priority=1)]}
    assert [field for field, _ in refusals(TREE, spec(compositePodGroupTemplates=[low]))] == [
        "spec.compositePodGroupTemplates[0].podGroupTemplates[0].name",
        "spec",
    ]
    deep = {**leaf, "name": "4", "podGroupTemplates": [template()]}
    for name in "321":
        deep = {**leaf, "name": name, "compositePodGroupTemplates": [deep]}
    ((field, text),) = refusals(TREE, spec(compositePodGroupTemplates=[deep]))
    assert field == "spec.compositePodGroupTemplates[0]"
    assert text.endswith(": maximum template hierarchy depth is 4")


def test_a_group_keeps_its_policy() -> None:
    reference = {"workloadName": "w", "templateName": "t"}
    old = spec(workloadRef=reference, schedulingPolicy=GANG)
    basic = spec(workloadRef=reference, schedulingPolicy={"basic": {}})
    assert refused_change(GROUP, old, basic) == [
        ("spec.schedulingPolicy.basic", "Invalid value: null: field is immutable"),
        ("spec.schedulingPolicy.gang", "Invalid value: null: field cannot be cleared once set"),
    ]
    grown = {"gang": {"minCount": 3}}
    assert refused_change(GROUP, old, spec(workloadRef=reference, schedulingPolicy=grown)) == []
    assert refused_change(FLAT_GROUP, spec(schedulingPolicy=GANG), spec(schedulingPolicy=grown)) == [
        ("spec.schedulingPolicy", "Invalid value: null: field is immutable")
    ]


def test_a_group_has_a_priority_of_users_where_the_gate_is_on() -> None:
    body = spec(schedulingPolicy=GANG, priority=2_000_000_000)
    too_high = ("spec.priority", "Invalid value: 2000000000: must be less than or equal to 1000000000")
    assert refusals(GROUP, body) == [too_high]
    assert refusals(FLAT_GROUP, body) == []
    assert "priority" not in created(FLAT_GROUP, body)["spec"]


def test_the_status_of_a_group_names_its_claims() -> None:
    resource = of("1.37", "v1beta1", "podgroups", "DRAWorkloadResourceClaims")
    obj = created(
        resource, spec(schedulingPolicy=GANG, resourceClaims=[{"name": "c", "resourceClaimName": "r"}])
    )
    assert obj["status"] == {}
    condition = {"type": "T", "status": "True", "reason": "", "message": "", "lastTransitionTime": NOW}
    status = {"conditions": [condition], "resourceClaimStatuses": [{"name": "c"}, {"name": "d"}]}
    errors = resource.strategy_for("status").validate_update({**obj, "status": status}, obj)
    assert [(error.field, error.body) for error in errors] == [
        ("status.conditions[0].reason", "Required value"),
        (
            "status.resourceClaimStatuses[1].name",
            'Invalid value: "d": must match the name of an entry in `spec.resourceClaims`',
        ),
    ]
