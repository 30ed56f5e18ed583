"""Field errors print values in Go syntax up to 1.33, and as JSON since 1.34."""

import pytest

from fakeapi.kinds.common.printing.differences import printed_difference
from fakeapi.kinds.common.printing.quantities import printed_int_or_string, printed_quantity
from fakeapi.kinds.common.printing.texts import printed_bytes, printed_string_map, printed_strings
from fakeapi.kinds.common.printing.values import (
    printed_field,
    printed_plain,
    printed_selector,
    printed_struct,
)
from fakeapi.kinds.core.persistent_volume.internal_form import internal_source
from fakeapi.machinery.golang.strconv import render
from fakeapi.releases import load_release
from fakeapi.releases.rules import ReleaseRules, rules_of

GO, JSON = rules_of(load_release("1.33")), rules_of(load_release("1.34"))
CODES = "batch/v1.PodFailurePolicyOnExitCodesRequirement", "values"
STRATEGY = "apps/v1.DeploymentStrategy"
QUANTITY = (
    "resource.Quantity{i:resource.int64Amount{value:15, scale:-1}, "
    'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1.5", Format:"DecimalSI"}'
)


def printed_by(rules: ReleaseRules) -> list[str]:
    wording = rules.quirks.wording
    values = (
        printed_plain(None, wording),
        printed_plain("a", wording),
        printed_struct(None, STRATEGY, rules),
        printed_struct({"type": "Odd", "rollingUpdate": {"maxSurge": 1}}, STRATEGY, rules),
        printed_field(None, *CODES, rules),
        printed_field([1, 2], *CODES, rules),
        printed_selector(None, rules),
        printed_selector({"matchLabels": {}, "matchExpressions": [{"key": "a", "operator": "In"}]}, rules),
        printed_strings(None, wording, "[]core.IPFamily"),
        printed_strings(["a"], wording, "[]core.IPFamily"),
        printed_string_map({}, wording),
        printed_string_map({"b": "2", "a": "1"}, wording),
        printed_bytes(None, wording),
        printed_bytes("", wording),
        printed_bytes("CWE=", wording),
        printed_quantity("1.5", wording),
        printed_int_or_string("1%", wording),
        printed_int_or_string(5, wording),
    )
    return [render(value) for value in values]


def test_errors_up_to_1_33_print_go_syntax() -> None:
    assert printed_by(GO) == [
        '"null"',
        '"a"',
        '"null"',
        'apps.DeploymentStrategy{Type:"Odd", RollingUpdate:(*apps.RollingUpdateDeployment)(0xc000012345)}',
        "[]int32(nil)",
        "[]int32{1, 2}",
        '"null"',
        (
            "v1.LabelSelector{MatchLabels:map[string]string(nil), "
            "MatchExpressions:[]v1.LabelSelectorRequirement{"
            'v1.LabelSelectorRequirement{Key:"a", Operator:"In", Values:[]string(nil)}}}'
        ),
        "[]core.IPFamily(nil)",
        '[]core.IPFamily{"a"}',
        "map[string]string(nil)",
        'map[string]string{"a":"1", "b":"2"}',
        "[]byte(nil)",
        "[]byte{}",
        "[]byte{0x9, 0x61}",
        QUANTITY,
        'intstr.IntOrString{Type:1, IntVal:0, StrVal:"1%"}',
        'intstr.IntOrString{Type:0, IntVal:5, StrVal:""}',
    ]


def test_errors_from_1_34_on_print_json_of_the_internal_version() -> None:
    assert printed_by(JSON) == [
        "null",
        '"a"',
        "null",
        '{"Type":"Odd","RollingUpdate":{"MaxUnavailable":null,"MaxSurge":1}}',
        "null",
        "[1,2]",
        "null",
        '{"matchExpressions":[{"key":"a","operator":"In"}]}',
        "null",
        '["a"]',
        "null",
        '{"a":"1","b":"2"}',
        "null",
        '""',
        '"CWE="',
        '"1.5"',
        '"1%"',
        "5",
    ]


@pytest.mark.parametrize(
    ("rules", "difference"),
    [
        (
            GO,
            (
                "  core.PersistentVolumeSource{\n  \tGCEPersistentDisk: nil,\n"
                "  \tAWSElasticBlockStore: nil,\n"
                '- \tHostPath: {path: "<"},\n+ \tHostPath: {path: ">"},\n  \tGlusterfs: nil,\n  \tNFS: nil,\n'
                "  \t... // 17 identical fields\n  }\n"
            ),
        ),
        (
            JSON,
            (
                '@@ -2,7 +2,7 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n'
                '  "HostPath": {\n-  "Path": "\\u003c",\n+  "Path": "\\u003e",\n   "Type": null\n  },\n'
                '  "Glusterfs": null,\n'
            ),
        ),
    ],
    ids=["report of go-cmp", "diff of JSON"],
)
def test_a_difference_has_context_and_hides_other_fields(rules: ReleaseRules, difference: str) -> None:
    old, new = ({"hostPath": {"path": path}} for path in "<>")
    printed = printed_difference(old, new, internal_source(rules), rules)
    assert printed.replace("\u00a0", " ") == difference
