"""RuntimeClass: validation, immutable fields and warnings."""

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import Body, Found, created, refusals, refused_change, resource_of


def runtime_class(release: str = "1.33") -> Resource:
    return resource_of(release, "node.k8s.io", "v1", "runtimeclasses")


NO_OPERATOR = (
    'Invalid value: "": operator must be Exists when `key` is empty, '
    'which means "match all values and all keys"'
)
EFFECTS = '"NoSchedule", "PreferNoSchedule", "NoExecute"'
SAME = 'core.Toleration{Key:"a", Operator:"", Value:"", Effect:"", TolerationSeconds:(*int64)(nil)}'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"overhead": {"podFixed": {"cpu": "1", "example.com/gpu": "1"}}}, []),
        (
            {"overhead": {"podFixed": {"cpu": "-1"}}},
            [("overhead.limits[cpu]", 'Invalid value: "-1": must be greater than or equal to 0')],
        ),
        (
            {"overhead": {"podFixed": {"hugepages-2Mi": "3Mi"}}},
            [
                (
                    "overhead.limits[hugepages-2Mi]",
                    'Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
                ),
                ("overhead", "Forbidden: HugePages require cpu or memory"),
            ],
        ),
        (
            {"scheduling": {"tolerations": [{"effect": "Odd"}]}},
            [
                ("scheduling.tolerations.tolerations[0].operator", NO_OPERATOR),
                (
                    "scheduling.tolerations.tolerations[0].effect",
                    f'Unsupported value: "Odd": supported values: {EFFECTS}',
                ),
            ],
        ),
        (
            {"scheduling": {"tolerations": [{"key": "a"}, {"key": "a"}]}},
            [("scheduling.tolerations[1]", f"Duplicate value: {SAME}")],
        ),
    ],
)
def test_overhead_and_tolerations_are_checked(body: Body, expected: Found) -> None:
    assert refusals(runtime_class(), {"handler": "h", **body}) == expected


def test_errors_of_tolerations_are_reported_in_one_place_from_1_35_on() -> None:
    body = {"handler": "h", "scheduling": {"tolerations": [{"effect": "NoExecute"}]}}
    (error,) = refusals(runtime_class("1.35"), body)
    assert error == ("scheduling.tolerations[0].operator", NO_OPERATOR)


@pytest.mark.parametrize(("release", "words"), [("1.35", "Invalid value"), ("1.36", "Required value")])
def test_a_missing_handler_is_required_from_1_36_on(release: str, words: str) -> None:
    (error,) = refusals(runtime_class(release), {"handler": ""})
    assert error[0] == "handler"
    assert error[1].startswith(words)


@pytest.mark.parametrize(("release", "shown"), [("1.33", '"b"'), ("1.36", '"b"'), ("1.37", "null")])
def test_the_handler_stays(release: str, shown: str) -> None:
    assert refused_change(runtime_class(release), {"handler": "a"}, {"handler": "b"}) == [
        ("handler", f"Invalid value: {shown}: field is immutable")
    ]


def test_labels_that_others_replaced_are_warned_of() -> None:
    resource = runtime_class()
    scheduling = {"nodeSelector": {"beta.kubernetes.io/os": "linux", "a": "b"}}
    obj = created(resource, {"handler": "h", "scheduling": scheduling})
    assert resource.strategy_for("").warnings_on_create(obj) == [
        'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'
    ]
