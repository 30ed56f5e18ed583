"""JSONPath gives the results of k8s.io/client-go `util/jsonpath`."""

from typing import Any

import pytest

from fakeapi.machinery.jsonpath import RESULTS_MAX, as_text, dotted, nested, parse_path
from fakeapi.machinery.jsonpath_syntax import LENGTH_MAX, JsonPathError

POD = {
    "spec": {
        "replicas": 3,
        "ratio": 0.5,
        "on": True,
        "parts": [
            {"name": "a", "size": 1, "tags": ["x", "y"]},
            {"name": "b", "size": 2},
            {"name": "c", "size": 3.5},
        ],
        "labels": {"app.kubernetes.io/name": "web", "it's": 1},
        "nothing": None,
    },
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Up", "status": "False"}]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.replicas", [3]),
        (".spec.missing", []),
        (".spec.missing.deeper[0]", []),
        (".spec.parts[0].name", ["a"]),
        (".spec.parts[-1].name", ["c"]),
        (".spec.parts[0:2].name", ["a", "b"]),
        (".spec.parts[:2].name", ["a", "b"]),
        (".spec.parts[1:].name", ["b", "c"]),
        (".spec.parts[::2].name", ["a", "c"]),
        (".spec.parts[*].name", ["a", "b", "c"]),
        (".spec.parts[0,2].name", ["a", "c"]),
        (".spec.parts[1:1].name", []),
        (".spec['replicas']", [3]),
        (".spec['replicas','on']", [3, True]),
        (r".spec.labels.app\.kubernetes\.io/name", ["web"]),
        (r".spec.labels['app\.kubernetes\.io/name']", ["web"]),
        (".spec.parts[0].*", ["a", 1, ["x", "y"]]),
        ("..name", ["a", "b", "c"]),
        (".status.conditions[?(@.type=='Ready')].status", ["True"]),
        ('.status.conditions[?(@.type=="Up")].status', ["False"]),
        ('.status.conditions[?(@.type!="Up")].status', ["True"]),
        (".spec.parts[?(@.tags)].name", ["a"]),
        (".spec.parts[?(@.size>1)].name", None),
        (".spec.parts[0:2][?(@.size>=2)].name", None),
        (".spec.parts[?(@.missing<2)].name", []),
        (".spec.parts[?(@.name in 'a')].name", ["a", "b", "c"]),
        (".spec.parts[?(@.name>'a')].name", ["b", "c"]),
        (".spec.nothing", [None]),
        (".spec.nothing.deeper", []),
        (".spec.parts[9]", None),
        (".spec.replicas[0]", None),
        (".spec.parts.name", []),
        ("$.spec.on", [True]),
        ("", [POD]),
        (".", []),
        (".spec.replicas }{.status", [3]),
        ("nonsense", None),
    ],
)
def test_a_path_finds_what_client_go_finds(path: str, found: list[Any] | None) -> None:
    parsed = parse_path(path)
    if found is None:
        with pytest.raises(JsonPathError):
            parsed.find(POD)
        assert parsed.first(POD) == (False, None)
    else:
        assert parsed.find(POD) == found


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".spec[0", "unterminated array"),
        (".spec[a]", "invalid array index a"),
        (".spec[?(@.a", "unterminated filter"),
        (".spec[?(@.a)x]", "unclosed array expect ]"),
        (".spec....a", "invalid multiple recursive descent"),
        (".a'b", None),
        ("'b", "unterminated quoted string"),
        (".a\nb", "unclosed action"),
        ("&", "unrecognized character in action: U+0026 '&'"),
        ("1.2.3", "cannot parse number 1.2.3"),
        (".[-]", "array index - is not a number"),
        ("." * 20_000, "a path may have at most 16384 characters"),
    ],
)
def test_a_path_that_does_not_parse_says_why(path: str, message: str | None) -> None:
    if message is None:
        parse_path(path)
        return
    with pytest.raises(JsonPathError) as caught:
        parse_path(path)
    assert str(caught.value) == message


def test_results_are_bounded() -> None:
    many: Any = [0]
    for _ in range(14):
        many = [many, many]
    with pytest.raises(JsonPathError, match=str(RESULTS_MAX)):
        parse_path("..").find(many)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (3, "3"),
        (2.0, "2"),
        (True, "true"),
        (None, "<no value>"),
        ({"b": "<", "a": [1]}, r'{"a":[1],"b":"\u003c"}'),
    ],
)
def test_a_result_is_printed_as_go_prints_it(value: Any, text: str) -> None:
    assert as_text(value) == text


def test_nested_members_are_found_by_name() -> None:
    assert nested(POD, dotted(".spec.replicas")) == (True, 3)
    assert nested(POD, dotted(".spec.other")) == (False, None)
    with pytest.raises(JsonPathError):
        nested(POD, dotted(".spec.replicas.more"))


def test_a_path_that_is_too_long_is_refused() -> None:
    path = ".a" * (LENGTH_MAX // 2)
    assert parse_path(path)
    with pytest.raises(JsonPathError, match=f"a path may have at most {LENGTH_MAX} characters"):
        parse_path(path + ".")
