"""Parses YAML to nodes with PyYAML, within limits, and with the errors of go-yaml v2."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import yaml

from fakeapi.machinery.lazy_pattern import lazy_pattern

TAG_DIRECTIVES_MAX = 100
"""Maximum number of `%TAG` directives in a text.

The limit is needed because libyaml compares each directive with all earlier directives.
"""

_TAG_DIRECTIVE = lazy_pattern(rb"(?:\A|[^ -~\t])%TAG")
_TAG_DIRECTIVE_UTF_16 = lazy_pattern(rb"%\0?T")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

_TOO_MANY_TAG_DIRECTIVES = f"yaml: document has more than {TAG_DIRECTIVES_MAX} %TAG directives"

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(ValueError):
    """A text is not YAML or cannot be converted to JSON; the message is go-yaml's."""


@dataclass(frozen=True, slots=True)
class YamlBounds:
    nodes: int
    depth: int

    @property
    def too_deep(self) -> YamlError:
        return YamlError(f"yaml: exceeded max depth of {self.depth}")

    @property
    def too_many_nodes(self) -> YamlError:
        return YamlError(f"yaml: document has more than {self.nodes} nodes")


@dataclass(slots=True, eq=False)
class YamlNode:
    """A node of a YAML document.

    `children`: the items of a sequence, the alternating keys and values of a mapping, or the target of an
    alias.
    """

    kind: str
    line: int
    value: str = ""
    tag: str | None = None
    implicit: bool = False
    children: list["YamlNode"] = field(default_factory=list)


class YamlParser:
    """A parser of YAML: composes nodes from the events of PyYAML."""

    def __init__(self, text: bytes, bounds: YamlBounds) -> None:
        self._text = text
        self._bounds = bounds
        self._nodes = 0
        self._anchors: dict[str, YamlNode] = {}

    def document(self) -> YamlNode | None:
        """Returns the root node of the first document; None for an empty text.

        Raises YamlError if the text is not valid YAML or exceeds a limit.
        """
        with closing(self.documents()) as documents:
            return next(documents, None)

    def documents(self) -> Generator[YamlNode, None, None]:
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

    def _node(self, event: Any, depth: int) -> YamlNode:
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
            return YamlNode("alias", line, name, children=[self._anchors[name]])
        if isinstance(event, yaml.ScalarEvent):
            node = YamlNode("scalar", line, str(event.value), event.tag, event.implicit[0])
        else:
            node = YamlNode("mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence", line)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if node.kind != "scalar":
            event = self._loader.get_event()
            while not isinstance(event, yaml.CollectionEndEvent):
                node.children.append(self._node(event, depth + 1))
                event = self._loader.get_event()
        return node


def _has_too_many_tag_directives(text: bytes) -> bool:
    if text.count(b"%") <= TAG_DIRECTIVES_MAX:  # Nearly all texts return here.
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
