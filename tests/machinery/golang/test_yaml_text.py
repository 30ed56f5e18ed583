"""YAML is decoded and encoded as in sigs.k8s.io/yaml."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import yaml

from fakeapi.machinery.golang import yaml_nodes, yaml_text
from fakeapi.machinery.golang.yaml_text import YamlError
from tests.machinery.steps import assert_linear

needs_libyaml = pytest.mark.skipif(not yaml.__with_libyaml__, reason="the words are libyaml's")


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the test once with libyaml's YAML parser and once with PyYAML's parser in Python."""
    if request.param == "python":
        monkeypatch.setattr(yaml_nodes, "_Loader", yaml.SafeLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML was built without libyaml")
    return str(request.param)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing", None),
        ("~", None),
        ("[yes, Y, on, True]", [True] * 4),
        ("[no, n, OFF, false]", [False] * 4),
        ("['yes', \"no\", !!str on]", ["yes", "no", "on"]),
        ("[0777, 0o17, 0x1F, 0b11, -0b11, 1_000, +12, 089]", [511, 15, 31, 3, -3, 1000, 12, 89]),
        ("[1e3, 1.0, .5, 1.5e300, -0.0, 1e400]", [1000, 1, 0.5, 1.5e300, 0, "1e400"]),
        ("[18446744073709551615, 18446744073709551616]", [18446744073709551615, 18446744073709552000]),
        (f"[{'9' * 5000}, 1{'0' * 300}]", ["9" * 5000, 1e300]),
        (
            "[2001-01-01, 2001-01-01T00:00:00Z, '12:30', 12:30]",
            ["2001-01-01", "2001-01-01T00:00:00Z", *["12:30"] * 2],
        ),
        ("{y: 1, 2: 3, 1.5: 4, 1e6: 5, no: 6}", {"1.5": 4, "1e+06": 5, "2": 3, "false": 6, "true": 1}),
        ("{1e300: 1, -1e39: 2, 1e-60: 3}", {"-.inf": 2, ".inf": 1, "0": 3}),
        ("{a: 1, a: 2}", {"a": 2}),
        ("{1: a, '1': a}", {"1": "a"}),
        ("x: &a {k: 1}\nw: *a", {"w": {"k": 1}, "x": {"k": 1}}),
        ("x: &a {k: 1, l: 2}\nw: {<<: *a, k: 3}", {"w": {"k": 3, "l": 2}, "x": {"k": 1, "l": 2}}),
        ("x: &a {k: 1, l: 2}\nw: {k: 3, <<: *a}", {"w": {"k": 1, "l": 2}, "x": {"k": 1, "l": 2}}),
        ("<<: [{a: 1}, {a: 2, b: 3}]", {"a": 1, "b": 3}),
        ("{'<<': 1, a: <<}", {"<<": 1, "a": "<<"}),
        ("[!!int '5', !!float 5, !!str 5, !!binary aGk=, !own x]", [5, 5, "5", "hi", "x"]),
        ("a: b\n---\n{", {"a": "b"}),
        ("a: |\n  x\n  y\nb: >\n  f\n  g\n", {"a": "x\ny\n", "b": "f g\n"}),
        ('{"a": [1, {"b": null}]}', {"a": [1, {"b": None}]}),
    ],
)
def test_a_document_has_this_value(parser: str, text: str, value: Any) -> None:
    loaded = yaml_text.load(text.encode())
    assert repr(loaded) == repr(value)  # repr distinguishes 1, 1.0 and True


def test_keys_come_sorted_at_every_level() -> None:
    assert str(yaml_text.load(b"b: {z: 1, w: 2}\na: 1\nB: 1")) == "{'B': 1, 'a': 1, 'b': {'w': 2, 'z': 1}}"


@pytest.mark.parametrize(
    ("text", "strict_error"),
    [
        ("a: 1\nb: 2", ""),
        (
            "a: 1\na: 2\nb:\n  c: 1\n  c:\n    2",
            ['line 2: key "a" already set in map', 'line 6: key "c" already set in map'],
        ),
        ("x: &a {k: 1}\ny: {k: 5, <<: *a}", ['line 1: key "k" already set in map']),
        (
            "1: a\n1: b\ntrue: c\nyes: d",
            ["line 2: key 1 already set in map", "line 4: key true already set in map"],
        ),
        ("1: a\n'1': b\n1.0: c\ntrue: d", ""),
    ],
)
def test_strict_decoding_names_every_repeated_key_with_the_line_of_its_value(
    parser: str, text: str, strict_error: Any
) -> None:
    expected = "\n".join(["yaml: unmarshal errors:", *(f"  {line}" for line in strict_error)])
    assert yaml_text.load_strictly(text.encode()).strict_error == (expected if strict_error else "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("&a [*a]", "yaml: anchor 'a' value contains itself"),
        ("*x", "yaml: unknown anchor 'x' referenced"),
        ("<<: 5", "yaml: map merge requires map or sequence of maps as the value"),
        ("!!int x", "yaml: cannot decode !!str `x` as a !!int"),
        ("!!binary '*'", "yaml: !!binary value contains invalid base64 data"),
        ("!!binary 'é'", "yaml: !!binary value contains invalid base64 data"),
        ("? [a, 1, ~]\n: c", 'yaml: invalid map key: []interface {}{"a", 1, interface {}(nil)}'),
        ("? {a: true}\n: c", 'yaml: invalid map key: map[interface {}]interface {}{"a":true}'),
        ("~: 1.5", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1.5"),
        (
            "18446744073709551615: x",
            'unsupported map key of type: uint64, key: 0xffffffffffffffff, value: "x"',
        ),
        ("a: .inf", "json: unsupported value: +Inf"),
        ("a: -.INF", "json: unsupported value: -Inf"),
        ("a: .nan", "json: unsupported value: NaN"),
        ("[" * 500, f"yaml: exceeded max depth of {yaml_text.MAX_DEPTH}"),
    ],
)
def test_a_document_that_json_cannot_say_is_refused(parser: str, text: str, message: str) -> None:
    with pytest.raises(YamlError) as caught:
        yaml_text.load(text.encode())
    assert str(caught.value) == message


@needs_libyaml
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "yaml: line 1: did not find expected node content"),
        ("a: b: c", "yaml: mapping values are not allowed in this context"),
        ("a:\n\tb: 1", "yaml: line 2: found character that cannot start any token"),
        ("- a\nb: c", "yaml: line 1: did not find expected '-' indicator"),
        ("a: [b, c\nd: e", "yaml: line 1: did not find expected ',' or ']'"),
        ("a: 'b\n", "yaml: line 2: found unexpected end of stream"),
        ("a: b\n  c: d", "yaml: line 2: mapping values are not allowed in this context"),
        ("\x07", "yaml: control characters are not allowed"),
    ],
)
def test_text_that_is_no_yaml_is_refused_in_go_yamls_words(text: str, message: str) -> None:
    with pytest.raises(YamlError) as caught:
        yaml_text.load(text.encode())
    assert str(caught.value) == message


def test_what_is_no_yaml_is_refused_without_libyaml_too(parser: str) -> None:
    for text in (b"{", b"a: b: c", b"\x07", b"\xff\xfe\xff", b"a: 'b\n"):
        with pytest.raises(YamlError, match=r"^yaml: "):
            yaml_text.load(text)


def test_aliases_may_expand_a_document_a_hundredfold_and_no_further() -> None:
    def document(levels: int) -> bytes:
        lines = ["a0: &a0 x"]
        lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
        return "\n".join(lines).encode()

    assert yaml_text.load(document(4))["a3"] == [[["x"] * 9] * 9] * 9
    with pytest.raises(YamlError, match=r"^yaml: document contains excessive aliasing$"):
        yaml_text.load(document(9))


def test_text_that_aliases_repeat_is_bounded() -> None:
    def document(times: int) -> bytes:
        return b"a: &a " + b"x" * 10_000 + b"\nb: [" + b",".join([b"*a"] * times) + b"]"

    most = yaml_text.ALIASED_CHARACTERS_MAX // 10_000
    assert len(yaml_text.load(document(most))["b"]) == most
    with pytest.raises(YamlError, match=r"^yaml: document contains excessive aliasing$"):
        yaml_text.load(document(most + 1))


def test_keys_that_aliases_repeat_are_bounded() -> None:
    text = b"a: &a " + b"x" * 100_000 + b"\nb: {" + b",".join([b"*a : 1"] * 40) + b"}"
    with pytest.raises(YamlError, match=r"^yaml: document contains excessive aliasing$"):
        yaml_text.load_strictly(text)


@pytest.mark.parametrize(
    "text",
    [
        b"[" + b"1," * yaml_text.NODES_MAX + b"1]",
        b"x: &x {a: 1, b: 2, c: 3}\ny: {" + b",".join([b"<<: *x"] * 60_000) + b"}",
        b"x: &x {a: 1, b: 2, c: 3}\ny: [" + b",".join([b"*x"] * 60_000) + b"]",
    ],
    ids=["written", "merged", "aliased"],
)
def test_the_nodes_of_a_document_are_bounded(text: bytes) -> None:
    with pytest.raises(YamlError, match=r"^yaml: document has more than 200000 nodes$"):
        yaml_text.load(text)


def test_aliases_of_aliases_nest_no_deeper_than_a_document_may() -> None:
    def document(levels: int) -> bytes:
        lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, levels)]
        return "\n".join(lines).encode()

    assert "a100" in yaml_text.load(document(101))
    with pytest.raises(YamlError, match=r"^yaml: exceeded max depth of 400$"):
        yaml_text.load(document(600))


def test_tag_directives_are_bounded_in_every_encoding() -> None:
    def stream(lines: int) -> str:
        return "".join(f"%TAG !a{n}! x\n" for n in range(lines)) + "--- a\n"

    for encoding in ("utf-8", "utf-16"):
        assert yaml_text.load(stream(yaml_nodes.TAG_DIRECTIVES_MAX).encode(encoding)) == "a"
        with pytest.raises(YamlError, match=r"^yaml: document has more than 100 %TAG directives$"):
            yaml_text.load(stream(yaml_nodes.TAG_DIRECTIVES_MAX + 1).encode(encoding))
    assert yaml_text.load(b"a: '" + b" %TAG" * 200 + b"'")


SHAPES = {
    "repeated keys": lambda n: "a: b\n" * n,
    "distinct keys": lambda n: "".join(f"k{i}: b\n" for i in range(n)),
    "merges": lambda n: "x: &x {a: 1}\ny: {" + ",".join(["<<: *x"] * n) + "}",
    "merges of a list": lambda n: "x: &x {a: 1}\ny: {<<: [" + ",".join(["*x"] * n) + "]}",
    "aliases": lambda n: "x: &x [1]\ny: [" + ",".join(["*x"] * n) + "]",
    "anchors": lambda n: "\n".join(f"- &a{i} 1" for i in range(n)),
    "lines of a text": lambda n: "a: |\n" + "  x\n" * n,
    "a quoted text": lambda n: 'a: "' + "\\n" * n + '"',
    "an open quote": lambda n: 'a: "' + "\\n" * n,
    "digits": lambda n: "a: " + "1" * n,
    "digits between underscores": lambda n: "a: 1" + "_1" * n,
    "base 60": lambda n: "a: 1" + ":1" * n,
    "comments": lambda n: "# a\n" * n + "a: 1",
    "documents": lambda n: "---\n" * n,
    "tags": lambda n: "- !!str a\n" * n,
    "complex keys": lambda n: "? a\n: b\n" * n,
    "flow brackets": lambda n: "[" * n,
    "dashes": lambda n: "- " * n,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_reading_takes_steps_in_proportion_to_the_text(shape: Callable[[int], str]) -> None:
    assert_linear(lambda n: partial(yaml_text.load_strictly, shape(n).encode()), 300)
