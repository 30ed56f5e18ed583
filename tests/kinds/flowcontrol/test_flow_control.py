"""FlowSchema and PriorityLevelConfiguration: validation, mandatory objects and conversions."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, canonical, created, refusals, refused_change, resource_of

GROUP = "flowcontrol.apiserver.k8s.io"
EVERYTHING = {
    "verbs": ["*"],
    "apiGroups": ["*"],
    "resources": ["*"],
    "clusterScope": True,
    "namespaces": ["*"],
}
PATHS = {"verbs": ["get"], "nonResourceURLs": ["/healthz"]}
GROUP_SUBJECT = {"kind": "Group", "group": {"name": "g"}}


def flow(resource: str, release: str = "1.33", version: str = "v1") -> Resource:
    return resource_of(release, GROUP, version, resource)


def schema(**spec: Any) -> Body:
    return {"spec": {"priorityLevelConfiguration": {"name": "exempt"}, **spec}}


def ruled(**rule: Any) -> Body:
    return schema(rules=[{"subjects": [GROUP_SUBJECT], "resourceRules": [EVERYTHING], **rule}])


def queue(**queuing: int) -> Body:
    return {"type": "Queue", "queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50, **queuing}}


def level(name: str = "a", kind: str = "Limited", **limited: Any) -> Body:
    spec: Body = {"type": kind}
    if kind == "Limited":
        spec["limited"] = {"limitResponse": {"type": "Reject"}, **limited}
    return {"metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(
    ("body", "place", "text"),
    [
        (schema(matchingPrecedence=10001), "matchingPrecedence", "10001: must not be greater than 10000"),
        (schema(matchingPrecedence=-1), "matchingPrecedence", "-1: must be a positive value"),
        (schema(matchingPrecedence=1), "matchingPrecedence", "1: only the schema named 'exempt' may"),
        (
            schema(distinguisherMethod={"type": "Odd"}),
            "distinguisherMethod.type",
            'flowcontrol.FlowDistinguisherMethod{Type:"Odd"}: supported values: "ByNamespace", "ByUser"',
        ),
        (schema(priorityLevelConfiguration={}), "priorityLevelConfiguration.name", "must reference"),
        (ruled(subjects=[]), "rules[0].subjects", "subjects must contain at least one value"),
        (ruled(resourceRules=[]), "rules[0]", "at least one of resourceRules and nonResourceRules"),
        (ruled(subjects=[{"kind": "Odd"}]), "rules[0].subjects[0].kind", '"Group", "ServiceAccount", "User"'),
        (
            ruled(subjects=[{**GROUP_SUBJECT, "user": {"name": "u"}}]),
            "rules[0].subjects[0].user",
            "user is forbidden when subject kind is not 'User'",
        ),
        (
            ruled(subjects=[{"kind": "ServiceAccount", "serviceAccount": {"name": "*"}}]),
            "rules[0].subjects[0].serviceAccount.namespace",
            "must specify namespace for service account",
        ),
        (
            ruled(resourceRules=[{**EVERYTHING, "verbs": ["*", "get"]}]),
            "rules[0].resourceRules[0].verbs",
            '[]string{"*", "get"}: if \'*\' is present, must not specify other verbs',
        ),
        (
            ruled(resourceRules=[{**EVERYTHING, "namespaces": [], "clusterScope": False}]),
            "rules[0].resourceRules[0].namespaces",
            "resource rules that are not cluster scoped must supply at least one namespace",
        ),
        (
            ruled(nonResourceRules=[{**PATHS, "nonResourceURLs": ["/a*/b"]}]),
            "rules[0].nonResourceRules[0].nonResourceURLs[0]",
            "wildcard can only do suffix matching",
        ),
    ],
)
def test_what_is_wrong_with_a_flow_schema_is_said(body: Body, place: str, text: str) -> None:
    [(field, message)] = refusals(flow("flowschemas"), body)
    assert field == f"spec.{place}"
    assert text in message


def test_a_good_flow_schema_has_no_errors() -> None:
    assert refusals(flow("flowschemas"), ruled(nonResourceRules=[PATHS])) == []


def test_the_mandatory_schemas_are_as_they_are() -> None:
    [(field, text)] = refusals(
        flow("flowschemas"), {**schema(matchingPrecedence=2), "metadata": {"name": "exempt"}}
    )
    assert field == "spec"
    assert text.endswith("spec of 'exempt' must equal the fixed value")


@pytest.mark.parametrize(
    ("body", "place", "text"),
    [
        (level(kind="Odd"), "type", 'Unsupported value: "Odd": supported values: "Exempt", "Limited"'),
        ({"spec": {"type": "Limited"}}, "limited", "must not be empty when type is Limited"),
        (level(lendablePercent=101), "limited.lendablePercent", "between 0 and 100"),
        (level(borrowingLimitPercent=-1), "limited.borrowingLimitPercent", "non-negative"),
        (level(nominalConcurrencyShares=-1), "limited.nominalConcurrencyShares", "non-negative"),
        (level(limitResponse={"type": "Queue"}), "limited.limitResponse.queuing", "must not be empty"),
        (
            level(limitResponse=queue(queues=10**7, handSize=8)),
            "limited.limitResponse.queuing.handSize",
            "required entropy bits of deckSize 10000000 and handSize 8 should not be greater than 60",
        ),
    ],
)
def test_what_is_wrong_with_a_priority_level_is_said(body: Body, place: str, text: str) -> None:
    [(field, message)] = refusals(flow("prioritylevelconfigurations"), body)
    assert field == f"spec.{place}"
    assert text in message


def test_only_the_level_of_that_name_is_exempt() -> None:
    levels = flow("prioritylevelconfigurations")
    assert refusals(levels, level("exempt", "Exempt")) == []
    why = "type must be 'Exempt' if and only if name is 'exempt'"
    assert refusals(levels, level("a", "Exempt")) == [("spec.type", f'Invalid value: "Exempt": {why}')]


@pytest.mark.parametrize(("release", "version"), [("1.29", "v1"), ("1.28", "v1beta3")])
def test_up_to_1_29_a_level_has_shares(release: str, version: str) -> None:
    levels = flow("prioritylevelconfigurations", release, version)
    body = level(nominalConcurrencyShares=-2)
    assert refusals(levels, body) == [
        ("spec.limited.nominalConcurrencyShares", "Invalid value: -2: must be positive")
    ]


def test_v1beta2_calls_the_shares_assured() -> None:
    levels = flow("prioritylevelconfigurations", "1.28", "v1beta2")
    stored = canonical(levels, level(assuredConcurrencyShares=7))
    assert stored["spec"]["limited"]["nominalConcurrencyShares"] == 7
    assert levels.from_hub(stored)["spec"]["limited"]["assuredConcurrencyShares"] == 7
    assert (
        refusals(levels, level(assuredConcurrencyShares=-1))[0][0] == "spec.limited.assuredConcurrencyShares"
    )


def test_v1beta3_says_by_an_annotation_that_there_are_no_shares() -> None:
    levels = flow("prioritylevelconfigurations", "1.31", "v1beta3")
    annotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
    kept = level(nominalConcurrencyShares=0)
    assert canonical(levels, kept)["spec"]["limited"]["nominalConcurrencyShares"] == 30
    kept["metadata"]["annotations"] = {annotation: "", "b": "1"}
    stored = canonical(levels, kept)
    assert stored["spec"]["limited"]["nominalConcurrencyShares"] == 0
    assert stored["metadata"]["annotations"] == {"b": "1"}
    assert levels.from_hub(stored)["metadata"]["annotations"] == {"b": "1", annotation: ""}


def test_a_change_of_the_spec_is_a_new_generation_and_keeps_the_status() -> None:
    schemas = flow("flowschemas")
    old = created(schemas, schema())
    assert (old["metadata"]["generation"], old["status"]) == (1, {})
    changed = canonical(schemas, schema(matchingPrecedence=5))
    new = schemas.strategy_for("").prepare_update(changed, old)
    assert new["metadata"]["generation"] == 2


def test_conditions_have_types_that_differ() -> None:
    twice = {**schema(), "status": {"conditions": [{"type": "A"}, {"type": "A"}, {}]}}
    assert refused_change(flow("flowschemas"), schema(), twice, "status") == [
        ("status.conditions[1].type", 'Duplicate value: "A"'),
        ("status.conditions[2].type", "Required value: must not be empty"),
    ]
