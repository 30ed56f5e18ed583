"""Decodes YAML to JSON values like sigs.k8s.io/yaml, which uses its fork of go-yaml v2.

For example, `yes` is true, `0777` is 511, dates are strings, and keys of any type become strings. PyYAML
parses the text. If PyYAML uses libyaml, its error messages equal go-yaml's, because go-yaml is a port of
libyaml to Go. The server decodes request bodies with `load` or `load_strictly`. Like kube-apiserver, these
functions ignore text after the first document.
"""

import base64
import re
from collections.abc import Generator, Hashable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from math import isfinite, isnan
from typing import Any

import yaml

from fakeapi.machinery.golang.json_decoding import GO_UTF8
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.golang.yaml_encoding import float_text
from fakeapi.machinery.golang.yaml_scalars import MAX_INT64, STRICT_PREFIX, is_timestamp, resolved

MAX_DEPTH = 400
"""Maximum nesting depth of YAML in a request body.

go-yaml allows 10,000 levels; Python's stack does not.
"""

NODES_MAX = 200_000
"""Maximum number of YAML nodes of a request body.

If aliases or merge keys repeat a node, each repetition counts. go-yaml has no such limit. The largest objects
of Kubernetes, CustomResourceDefinitions, have about 50,000 nodes.
"""

ALIASED_CHARACTERS_MAX = 3 * 1024 * 1024
"""Maximum number of characters that aliases repeat. It equals the maximum size of a request body in bytes."""

FEW_STEPS, MANY_STEPS = 400_000, 4_000_000
"""Numbers of nodes that determine the maximum share of aliased nodes in a document.

Up to FEW_STEPS nodes, 99% of the nodes may be aliased. The share falls to 10% at MANY_STEPS nodes. Documents
with at most 1,000 nodes, or at most 100 aliased nodes, are always allowed.
"""

TAG_DIRECTIVES_MAX = 100
"""Maximum number of `%TAG` directives in a text. libyaml compares each directive with all earlier ones."""

_TAG_DIRECTIVE = re.compile(rb"(?:\A|[^ -~\t])%TAG")
_TAG_DIRECTIVE_UTF_16 = re.compile(rb"%\0?T")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

_TAG = "tag:yaml.org,2002:"
_RESOLVED = frozenset(_TAG + name for name in ("str", "bool", "int", "float", "null", "timestamp"))

_TOO_MANY_TAG_DIRECTIVES = f"yaml: document has more than {TAG_DIRECTIVES_MAX} %TAG directives"
_EXCESSIVE_ALIASING = "yaml: document contains excessive aliasing"

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A text is not YAML or cannot be converted to JSON; the message is go-yaml's."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A decoded YAML document.

    `value`: the JSON value of the document. The keys of objects are sorted.
    `strict_error`: the error about all repeated keys; "" if no key is repeated.
    """

    value: Any
    strict_error: str = ""


def load(text: bytes) -> Any:
    """Decodes the first YAML document to a JSON value with sorted keys.

    If a key is repeated, the last value counts. Raises YamlError if the text is not valid YAML or exceeds a
    limit.
    """
    return load_strictly(text).value


def load_strictly(text: bytes) -> Loaded:
    """Decodes the first YAML document; the result includes a strict error for repeated keys.

    Raises YamlError if the text is not valid YAML or exceeds a limit.
    """
    bounds = _Bounds(NODES_MAX, MAX_DEPTH)
    root = _Parser(text, bounds).document()
    if root is None:
        return Loaded(None)
    decoder = _Decoder(bounds)
    value = _jsonable(decoder.value(root))
    if not decoder.repeated:
        return Loaded(value)
    return Loaded(value, STRICT_PREFIX + "\n".join(f"  {line}" for line in decoder.repeated))


def load_all(text: bytes, *, nodes_max: int, depth_max: int) -> Iterator[Any]:
    """Yields the JSON values of all YAML documents, None for empty documents.

    If a key is repeated, the last value counts. Raises YamlError if the text is not valid YAML or exceeds a
    limit.

    `nodes_max`: the maximum number of nodes in all documents together. If aliases or merge keys repeat a
    node, each repetition counts.
    `depth_max`: the maximum nesting depth.
    """
    bounds = _Bounds(nodes_max, depth_max)
    decoder = _Decoder(bounds)
    for root in _Parser(text, bounds).documents():
        yield _jsonable(decoder.value(root))
        decoder.repeated.clear()


@dataclass(frozen=True, slots=True)
class _Bounds:
    nodes: int
    depth: int

    @property
    def too_deep(self) -> YamlError:
        return YamlError(f"yaml: exceeded max depth of {self.depth}")

    @property
    def too_many_nodes(self) -> YamlError:
        return YamlError(f"yaml: document has more than {self.nodes} nodes")


@dataclass(slots=True, eq=False)
class _Node:
    """A node of a YAML document.

    `children`: the items of a sequence, the alternating keys and values of a mapping, or the target of an
    alias.
    """

    kind: str
    line: int
    value: str = ""
    tag: str | None = None
    implicit: bool = False
    children: list["_Node"] = field(default_factory=list)


class _Parser:
    """A parser of YAML: composes nodes from the events of PyYAML."""

    def __init__(self, text: bytes, bounds: _Bounds) -> None:
        self._text = text
        self._bounds = bounds
        self._nodes = 0
        self._anchors: dict[str, _Node] = {}

    def document(self) -> _Node | None:
        """Returns the root node of the first document; None for an empty text.

        Raises YamlError if the text is not valid YAML or exceeds a limit.
        """
        with closing(self.documents()) as documents:
            return next(documents, None)

    def documents(self) -> Generator[_Node, None, None]:
        """Yields the root nodes of all documents.

        Raises YamlError if the text is not valid YAML or exceeds a limit.
        """
        if _has_too_many_tag_directives(self._text):
            raise YamlError(_TOO_MANY_TAG_DIRECTIVES)
        try:
            self._loader = _Loader(self._text)
            try:
                self._loader.get_event()  # StreamStartEvent
                while not isinstance(self._loader.get_event(), yaml.StreamEndEvent):
                    root = self._node(self._loader.get_event(), 1)
                    self._loader.get_event()  # DocumentEndEvent; may raise an error
                    self._anchors.clear()
                    yield root
            finally:
                self._loader.dispose()
        except yaml.YAMLError as error:
            raise YamlError(f"yaml: {_words(error)}") from error

    def _node(self, event: Any, depth: int) -> _Node:
        if depth > self._bounds.depth:
            raise self._bounds.too_deep
        self._nodes += 1
        if self._nodes > self._bounds.nodes:
            raise self._bounds.too_many_nodes
        line = event.start_mark.line
        if isinstance(event, yaml.AliasEvent):
            name = str(event.anchor)
            if name not in self._anchors:
                raise YamlError(f"yaml: unknown anchor '{name}' referenced")
            return _Node("alias", line, name, children=[self._anchors[name]])
        if isinstance(event, yaml.ScalarEvent):
            node = _Node("scalar", line, str(event.value), event.tag, event.implicit[0])
        else:
            node = _Node("mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence", line)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if node.kind != "scalar":
            event = self._loader.get_event()
            while not isinstance(event, yaml.CollectionEndEvent):
                node.children.append(self._node(event, depth + 1))
                event = self._loader.get_event()
        return node


def _has_too_many_tag_directives(text: bytes) -> bool:
    if text.count(b"%") <= TAG_DIRECTIVES_MAX:  # nearly all texts
        return False
    pattern = _TAG_DIRECTIVE_UTF_16 if text.startswith(_UTF_16) else _TAG_DIRECTIVE
    return next(islice(pattern.finditer(text), TAG_DIRECTIVES_MAX, None), None) is not None


def _words(error: yaml.YAMLError) -> str:
    """Returns go-yaml's message for an error of PyYAML.

    go-yaml counts lines from 1 in errors of the scanner, and from 0 in errors of the parser.
    """
    if isinstance(error, yaml.reader.ReaderError):
        return str(error.reason)
    if not isinstance(error, yaml.MarkedYAMLError):
        return str(error)
    line = 0
    if error.problem_mark is not None and error.problem_mark.line:
        line = error.problem_mark.line + isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark is not None:
        line = error.context_mark.line
    return (f"line {line}: " if line else "") + (error.problem or "unknown problem parsing YAML content")


class _Decoder:
    """Converts YAML nodes to Python values; mappings become `_Members`.

    `repeated`: an error line for each repeated key.
    """

    def __init__(self, bounds: _Bounds) -> None:
        self.repeated: list[str] = []
        self._bounds = bounds
        self._steps = 0
        self._alias_steps = 0
        self._alias_depth = 0
        self._aliased_characters = 0
        self._depth = 0
        self._active: set[_Node] = set()

    def value(self, node: _Node) -> Any:
        self._count()
        if node.kind == "scalar":
            if self._alias_depth:
                self._count_characters(len(node.value))
            return _scalar(node)
        if self._depth >= self._bounds.depth:  # only with aliases: the parser has limited the document itself
            raise self._bounds.too_deep
        self._depth += 1
        result: Any
        if node.kind == "alias":
            result = self._aliased(node, self.value)
        elif node.kind == "sequence":
            result = []
            for child in node.children:
                result.append(self.value(child))
        else:
            result = _Members()
            self._fill(node, result)
        self._depth -= 1
        return result

    def _fill(self, node: _Node, members: "_Members") -> None:
        children = iter(node.children)
        for key_node, value_node in zip(children, children, strict=True):
            if _merges(key_node):
                self._merge(value_node, members)
                continue
            key = self.value(key_node)
            if isinstance(key, _Members | list):
                raise YamlError(f"yaml: invalid map key: {_go_syntax(key)}")
            value = self.value(value_node)
            identity = (type(key), key)
            if identity in members.values:
                self.repeated.append(f"line {value_node.line + 1}: key {_go_syntax(key)} already set in map")
            members.values[identity] = value

    def _merge(self, node: _Node, members: "_Members") -> None:
        """Applies a merge key `<<`: adds the members of one or several mappings to `members`.

        In a list of mappings, earlier mappings take precedence over later ones. Raises YamlError if the value
        of the merge key is neither a mapping nor a list of mappings.
        """
        sources = reversed(node.children) if node.kind == "sequence" else [node]
        for source in sources:
            target = source.children[0] if source.kind == "alias" else source
            if target.kind != "mapping":
                raise YamlError("yaml: map merge requires map or sequence of maps as the value")
            self._merge_one(source, members)

    def _merge_one(self, node: _Node, members: "_Members") -> None:
        self._count()
        if node.kind == "alias":
            self._aliased(node, lambda target: self._merge_one(target, members))
        else:
            self._fill(node, members)

    def _aliased(self, node: _Node, decode: Any) -> Any:
        if node in self._active:
            raise YamlError(f"yaml: anchor '{node.value}' value contains itself")
        self._active.add(node)
        self._alias_depth += 1
        value = decode(node.children[0])
        self._alias_depth -= 1
        self._active.remove(node)
        return value

    def _count(self) -> None:
        self._steps += 1
        if self._alias_depth:
            self._alias_steps += 1
            if (
                self._alias_steps > 100
                and self._steps > 1000
                and self._alias_steps / self._steps > _allowed_alias_ratio(self._steps)
            ):
                raise YamlError(_EXCESSIVE_ALIASING)
        if self._steps > self._bounds.nodes:
            raise self._bounds.too_many_nodes

    def _count_characters(self, count: int) -> None:
        self._aliased_characters += count
        if self._aliased_characters > ALIASED_CHARACTERS_MAX:
            raise YamlError(_EXCESSIVE_ALIASING)


class _Members:
    """The members of a YAML mapping by (type of the key, key): Go distinguishes the keys `1` and `1.0`."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[tuple[type, Hashable], Any] = {}


def _allowed_alias_ratio(steps: int) -> float:
    if steps <= FEW_STEPS:
        return 0.99
    if steps >= MANY_STEPS:
        return 0.10
    return 0.99 - 0.89 * (steps - FEW_STEPS) / (MANY_STEPS - FEW_STEPS)


def _merges(node: _Node) -> bool:
    return node.kind == "scalar" and node.value == "<<" and (node.implicit or node.tag == f"{_TAG}merge")


def _scalar(node: _Node) -> Any:
    if node.tag is None:
        return resolved(node.value)[1] if node.implicit else node.value
    if node.tag == f"{_TAG}binary":
        return _binary(node.value)
    if node.tag not in _RESOLVED or node.tag == f"{_TAG}str":
        return node.value
    expected = node.tag.removeprefix(_TAG)
    kind, value = resolved(node.value)
    if expected == "timestamp" and is_timestamp(node.value):
        return node.value
    if expected == "float" and kind == "int" and value <= MAX_INT64:
        return float(value)
    if expected != kind:
        raise YamlError(f"yaml: cannot decode !!{kind} `{node.value}` as a !!{expected}")
    return value


def _binary(text: str) -> str:
    text = text.replace("\n", "").replace("\r", "")
    try:
        data = base64.b64decode(text, validate=True) if len(text) % 4 == 0 else None
    except ValueError:
        data = None
    if data is None:
        raise YamlError("yaml: !!binary value contains invalid base64 data")
    return data.decode("utf-8", GO_UTF8)


def _jsonable(value: Any) -> Any:
    """Converts a decoded YAML value to JSON like sigs.k8s.io/yaml.

    Keys become sorted strings, and whole floats become integers. Raises YamlError for infinity, for NaN,
    and for keys that cannot become strings.
    """
    if isinstance(value, _Members):
        members = {_key(key, item): _jsonable(item) for (_, key), item in value.values.items()}
        return dict(sorted(members.items()))
    if isinstance(value, list):
        return [_jsonable(item) for item in value]
    if isinstance(value, float):
        return _number(value)
    return value


def _key(key: Any, value: Any) -> str:
    match key:
        case str():
            return key
        case bool():
            return "true" if key else "false"
        case float():
            return float_text(key, bits=32)
        case int() if key <= MAX_INT64:
            return str(key)
    kind, text = ("uint64", f"{key:#x}") if key else ("%!s(<nil>)", "<nil>")
    raise YamlError(f"unsupported map key of type: {kind}, key: {text}, value: {_go_syntax(value)}")


def _go_syntax(value: Any, nil: str = "<nil>") -> str:
    """Formats a decoded YAML value like Go's `%#v`; `nil` is the text for null."""
    match value:
        case None:
            return nil
        case str():
            return quote(value)
        case bool():
            return "true" if value else "false"
        case float():
            return float_text(value)
        case list():
            return f"[]interface {{}}{{{', '.join(_go_syntax(item, 'interface {}(nil)') for item in value)}}}"
        case _Members():
            pairs = (
                f"{_go_syntax(key)}:{_go_syntax(item, 'interface {}(nil)')}"
                for (_, key), item in value.values.items()
            )
            return f"map[interface {{}}]interface {{}}{{{', '.join(pairs)}}}"
        case _:
            return str(value)


def _number(value: float) -> float | int:
    """Converts a float as if Go encoded it to JSON and decoded it again.

    Whole numbers below 1e+21 become integers. Raises YamlError for infinity and NaN.
    """
    if not isfinite(value):
        name = "NaN" if isnan(value) else f"{'+' if value > 0 else '-'}Inf"
        raise YamlError(f"json: unsupported value: {name}")
    return int(Decimal(repr(value))) if value.is_integer() and abs(value) < 1e21 else value
