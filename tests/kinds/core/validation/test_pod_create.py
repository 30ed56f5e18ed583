"""Validation of new pods and pod templates: the errors of each release."""

from typing import Any

import pytest

from fakeapi.kinds.core.pod.validation.create import validate_pod_create
from fakeapi.kinds.core.pod.validation.template import validate_pod_template_spec
from fakeapi.releases.release import COMPILED_RELEASES
from tests.kinds.core.validation.pods import CONTAINER, pod, template, with_container
from tests.kinds.resource.builders import RULES, triples

NO_HANDLER = "Required value: must specify a handler type"
PORT_RANGE = "Invalid value: 70000: must be between 1 and 65535, inclusive"
DNS_POLICIES = '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"'
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TYPE = "may not specify more than 1 volume type"


@pytest.mark.parametrize("release", COMPILED_RELEASES)
def test_an_ordinary_pod_is_valid_in_every_release(release: str) -> None:
    assert validate_pod_create(pod(), RULES[release]) == []
    assert validate_pod_template_spec(template(), "spec.template", RULES[release]) == []


EVERYWHERE: list[tuple[dict[str, Any], list[tuple[str, str, str]]]] = [
    ({"containers": []}, [("spec.containers", "Required", "Required value")]),
    (with_container(image=""), [("spec.containers[0].image", "Required", "Required value")]),
    (
        with_container(image=" x"),
        [
            (
                "spec.containers[0].image",
                "Invalid",
                'Invalid value: " x": must not have leading or trailing whitespace',
            )
        ],
    ),
    (
        {"restartPolicy": "Sometimes"},
        [
            (
                "spec.restartPolicy",
                "NotSupported",
                'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
            )
        ],
    ),
    (
        {"dnsPolicy": "Nowhere"},
        [
            (
                "spec.dnsPolicy",
                "NotSupported",
                f'Unsupported value: "Nowhere": supported values: {DNS_POLICIES}',
            )
        ],
    ),
    (
        with_container(ports=[{"containerPort": 70000, "protocol": "TCP"}]),
        [("spec.containers[0].ports[0].containerPort", "Invalid", PORT_RANGE)],
    ),
    (
        with_container(ports=[{"containerPort": 80, "hostPort": 1, "protocol": "TCP"}] * 2),
        [("spec.containers[0].ports[1].hostPort", "Duplicate", 'Duplicate value: "TCP//1"')],
    ),
    (
        {"containers": [CONTAINER, CONTAINER]},
        [("spec.containers[1].name", "Duplicate", 'Duplicate value: "main"')],
    ),
    (
        with_container(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
        [
            (
                "spec.containers[0].resources.requests",
                "Invalid",
                'Invalid value: "2": must be less than or equal to cpu limit of 1',
            )
        ],
    ),
    (
        with_container(resources={"requests": {"example.com/gpu": "1"}}),
        [
            (
                "spec.containers[0].resources.limits",
                "Required",
                "Required value: Limit must be set for non overcommitable resources",
            )
        ],
    ),
    (
        with_container(resources={"claims": [{"name": "gpu"}]}),
        [
            (
                "spec.containers[0].resources.claims[0]",
                "NotFound",
                'Not found: "gpu": must be one of the names in pod.spec.resourceClaims which is empty',
            )
        ],
    ),
    (
        with_container(livenessProbe={"successThreshold": 1}),
        [("spec.containers[0].livenessProbe", "Required", NO_HANDLER)],
    ),
    (
        with_container(volumeMounts=[{"name": "none", "mountPath": "/x"}]),
        [("spec.containers[0].volumeMounts[0].name", "NotFound", 'Not found: "none"')],
    ),
    (
        {"volumes": [{"name": "a"}]},
        [("spec.volumes[0]", "Required", "Required value: must specify a volume type")],
    ),
    (
        {"volumes": [{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]},
        [("spec.volumes[1].name", "Duplicate", 'Duplicate value: "a"')],
    ),
    (
        {"volumes": [{"name": "a", "emptyDir": {}, "downwardAPI": {}}]},
        [("spec.volumes[0].downwarAPI", "Forbidden", f"Forbidden: {TYPE}")],
    ),
    (
        {"volumes": [{"name": "a", "gcePersistentDisk": {}}]},
        [("spec.volumes[0].persistentDisk.pdName", "Required", "Required value")],
    ),
    (
        {"volumes": [{"name": "a", "secret": {"secretName": "s", "defaultMode": 512}}]},
        [
            (
                "spec.volumes[0].secret.defaultMode",
                "Invalid",
                "Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
            )
        ],
    ),
    (
        {"activeDeadlineSeconds": 0},
        [
            (
                "spec.activeDeadlineSeconds",
                "Invalid",
                "Invalid value: 0: must be between 1 and 2147483647, inclusive",
            )
        ],
    ),
    (
        {"schedulingGates": [{"name": "a"}, {"name": "a"}]},
        [("spec.schedulingGates[1]", "Duplicate", 'Duplicate value: "a"')],
    ),
    (
        {"nodeName": "n", "schedulingGates": [{"name": "a"}]},
        [
            (
                "spec.nodeName",
                "Forbidden",
                "Forbidden: cannot be set until all schedulingGates have been cleared",
            )
        ],
    ),
    (
        {"topologySpreadConstraints": [{"maxSkew": 0, "topologyKey": "", "whenUnsatisfiable": "Never"}]},
        [
            (
                "spec.topologySpreadConstraints[0].maxSkew",
                "Invalid",
                "Invalid value: 0: must be greater than zero",
            ),
            ("spec.topologySpreadConstraints[0].topologyKey", "Required", "Required value: can not be empty"),
            (
                "spec.topologySpreadConstraints[0].whenUnsatisfiable",
                "NotSupported",
                'Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway"',
            ),
        ],
    ),
    (
        {"os": {"name": "plan9"}},
        [("spec.os", "NotSupported", 'Unsupported value: "plan9": supported values: "linux", "windows"')],
    ),
    (
        {"os": {"name": "windows"}, "hostPID": True},
        [("spec.hostPID", "Forbidden", "Forbidden: cannot be set for a windows pod")],
    ),
]


@pytest.mark.parametrize("release", COMPILED_RELEASES)
@pytest.mark.parametrize(("spec", "expected"), EVERYWHERE)
def test_what_every_release_says_of_a_wrong_field(
    release: str, spec: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    assert triples(validate_pod_create(pod(spec), RULES[release])) == expected


BY_RELEASE: list[tuple[dict[str, Any], dict[str, list[str]]]] = [
    (
        with_container(env=[{"name": "1 a"}]),
        {
            "1.29": ["spec.containers[0].env[0].name"],
            "1.31": ["spec.containers[0].env[0].name"],
            "1.32": [],
            "1.37": [],
        },
    ),
    (
        with_container(restartPolicy="Never"),
        {"1.33": ["spec.containers[0].restartPolicy"], "1.35": []},
    ),
    (
        {"hostAliases": [{"ip": "010.0.0.1", "hostnames": ["Bad_Name"]}]},
        {
            "1.27": ["spec.hostAliases.hostnames"],
            "1.30": ["spec.hostAliases[0].hostnames[0]"],
            "1.36": ["spec.hostAliases[0].ip", "spec.hostAliases[0].hostnames[0]"],
        },
    ),
    (
        {"hostNetwork": True, **with_container(ports=[{"containerPort": 80, "protocol": "TCP"}])},
        {
            "1.27": ["spec.containers[0].ports[0].containerPort"],
            "1.28": ["spec.containers[0].ports[0].hostPort"],
            "1.37": ["spec.containers[0].ports[0].hostPort"],
        },
    ),
    (
        {"hostUsers": False, "hostNetwork": True, "hostPID": True},
        {"1.33": ["spec.hostNetwork", "spec.HostPID"], "1.36": ["spec.hostNetwork", "spec.HostPID"]},
    ),
    (
        {"dnsConfig": {"searches": ["_tcp.example.com", "."]}},
        {"1.31": ["spec.dnsConfig.searches[0]", "spec.dnsConfig.searches[1]"], "1.33": [], "1.37": []},
    ),
    (
        with_container(lifecycle={"preStop": {"sleep": {"seconds": 0}}}),
        {"1.31": ["spec.containers[0].lifecycle.preStop.sleep"], "1.33": [], "1.37": []},
    ),
    (
        {
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}
                        ]
                    }
                }
            }
        },
        {
            "1.32": [],
            "1.33": [
                f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values[0]"
            ],
        },
    ),
]


@pytest.mark.parametrize(
    ("spec", "release", "expected"),
    [(spec, release, paths) for spec, table in BY_RELEASE for release, paths in table.items()],
)
def test_what_differs_from_release_to_release(
    spec: dict[str, Any], release: str, expected: list[str]
) -> None:
    errors = validate_pod_create(pod(spec), RULES[release])
    assert [error.field for error in errors] == expected


def test_a_template_is_looked_at_in_place_and_has_no_ephemeral_containers() -> None:
    wrong = template({**with_container(name="Bad_Name"), "ephemeralContainers": [CONTAINER | {"name": "e"}]})
    errors = validate_pod_template_spec(wrong, "spec.template", RULES["1.33"])
    assert [error.field for error in errors] == [
        "spec.template.spec.containers[0].name",
        "spec.template.spec.ephemeralContainers",
    ]


def test_what_the_stored_template_has_stays_allowed() -> None:
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    selector = {"matchExpressions": [{"key": "bad key!", "operator": "Exists"}]}
    wrong = template({"topologySpreadConstraints": [{**spread, "labelSelector": selector}]})
    assert validate_pod_template_spec(wrong, "spec.template", RULES["1.33"])
    assert validate_pod_template_spec(wrong, "spec.template", RULES["1.33"], old=wrong) == []
