"""Decodes YAML to JSON values like sigs.k8s.io/yaml, which uses its fork of go-yaml v2.

For example, `yes` is true, `0777` is 511, dates are strings, and keys of any type become strings. PyYAML
parses the text. If PyYAML uses libyaml, its error messages equal go-yaml's, because go-yaml is a port of
libyaml to Go. The server decodes request bodies with `load` or `load_strictly`. Like kube-apiserver, these
functions ignore text after the first document.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.golang.json_decoding import GO_UTF8
from fakeapi.machinery.golang.yaml_json import YamlMembers, go_syntax, json_value
from fakeapi.machinery.golang.yaml_nodes import YamlBounds, YamlNode, YamlParser
from fakeapi.machinery.golang.yaml_nodes import YamlError as YamlError  # noqa: PLC0414 - exported again
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
"""Maximum number of characters that aliases repeat.

The limit equals the maximum size of a request body in bytes.
"""

FEW_STEPS, MANY_STEPS = 400_000, 4_000_000
"""Numbers of nodes that determine the maximum share of aliased nodes in a document.

Up to FEW_STEPS nodes, 99% of the nodes may be aliased. The share falls to 10% at MANY_STEPS nodes. Documents
with at most 1,000 nodes, or at most 100 aliased nodes, are always allowed.
"""

_TAG = "tag:yaml.org,2002:"
_RESOLVED = frozenset(_TAG + name for name in ("str", "bool", "int", "float", "null", "timestamp"))

_EXCESSIVE_ALIASING = "yaml: document contains excessive aliasing"


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
    bounds = YamlBounds(NODES_MAX, MAX_DEPTH)
    root = YamlParser(text, bounds).document()
    if root is None:
        return Loaded(None)
    decoder = _Decoder(bounds)
    value = json_value(decoder.value(root))
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
    bounds = YamlBounds(nodes_max, depth_max)
    decoder = _Decoder(bounds)
    for root in YamlParser(text, bounds).documents():
        yield json_value(decoder.value(root))
        decoder.repeated.clear()


class _Decoder:
    """Converts YAML nodes to Python values; mappings become `YamlMembers`.

    `repeated`: an error line for each repeated key.
    """

    def __init__(self, bounds: YamlBounds) -> None:
        self.repeated: list[str] = []
        self._bounds = bounds
        self._steps = 0
        self._alias_steps = 0
        self._alias_depth = 0
        self._aliased_characters = 0
        self._depth = 0
        self._active: set[YamlNode] = set()

    def value(self, node: YamlNode) -> Any:
        self._count()
        if node.kind == "scalar":
            if self._alias_depth:
                self._count_characters(len(node.value))
            return _scalar(node)
        # The parser limits the nesting of the text, so only aliases can exceed the limit here.
        if self._depth >= self._bounds.depth:
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
            result = YamlMembers()
            self._fill(node, result)
        self._depth -= 1
        return result

    def _fill(self, node: YamlNode, members: "YamlMembers") -> None:
        children = iter(node.children)
        for key_node, value_node in zip(children, children, strict=True):
            if _merges(key_node):
                self._merge(value_node, members)
                continue
            key = self.value(key_node)
            if isinstance(key, YamlMembers | list):
                raise YamlError(f"yaml: invalid map key: {go_syntax(key)}")
            value = self.value(value_node)
            identity = (type(key), key)
            if identity in members.values:
                self.repeated.append(f"line {value_node.line + 1}: key {go_syntax(key)} already set in map")
            members.values[identity] = value

    def _merge(self, node: YamlNode, members: "YamlMembers") -> None:
        """Applies a merge key `<<`: adds the members of one or several mappings to `members`.

        In a list of mappings, earlier mappings take precedence over later mappings. Raises YamlError if the
        value of the merge key is neither a mapping nor a list of mappings.
        """
        sources = reversed(node.children) if node.kind == "sequence" else [node]
        for source in sources:
            target = source.children[0] if source.kind == "alias" else source
            if target.kind != "mapping":
                raise YamlError("yaml: map merge requires map or sequence of maps as the value")
            self._merge_one(source, members)

    def _merge_one(self, node: YamlNode, members: "YamlMembers") -> None:
        self._count()
        if node.kind == "alias":
            self._aliased(node, lambda target: self._merge_one(target, members))
        else:
            self._fill(node, members)

    def _aliased(self, node: YamlNode, decode: Any) -> Any:
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


def _allowed_alias_ratio(steps: int) -> float:
    if steps <= FEW_STEPS:
        return 0.99
    if steps >= MANY_STEPS:
        return 0.10
    return 0.99 - 0.89 * (steps - FEW_STEPS) / (MANY_STEPS - FEW_STEPS)


def _merges(node: YamlNode) -> bool:
    return node.kind == "scalar" and node.value == "<<" and (node.implicit or node.tag == f"{_TAG}merge")


def _scalar(node: YamlNode) -> Any:
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
