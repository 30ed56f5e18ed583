"""Parses regular expressions with the flags and the error messages of Go's regexp.Compile.

Follows Go's `regexp/syntax`.
"""

import re
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from fakeapi.machinery.golang.regexp.classes import PERL, POSIX, CharacterSet, Item, unicode_test
from fakeapi.machinery.lazy_pattern import lazy_pattern

DEPTH_MAX = 100
"""Maximum number of nested groups of an expression; Go allows 1,000."""

_REPEAT_MAX = 1000
_RUNE_MAX = 0x10FFFF
_NEWLINE = ((10, 10),)


class RegexpError(ValueError):
    """A regular expression is invalid in Go, or exceeds a limit of fakeapi; the message is Go's."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"error parsing regexp: {code}: `{text}`")


class Assertion(msgspec.Struct, frozen=True):
    """A condition on a position in the text.

    `kind`: `begin`, `end`, `line begin`, `line end`, `word` (at a word boundary) or `no word`.
    """

    kind: str


class Repeat(msgspec.Struct, frozen=True):
    node: "Node"
    least: int
    most: int | None
    count: int
    """The product of the repeat counts of this node and of nodes inside, such as 6 for `(a{2}){3}`.

    Go limits the product to 1,000.
    """


class Sequence(msgspec.Struct, frozen=True):
    nodes: "tuple[Node, ...]"


class Choice(msgspec.Struct, frozen=True):
    nodes: "tuple[Node, ...]"


Node: TypeAlias = CharacterSet | Assertion | Repeat | Sequence | Choice


class _Flags(msgspec.Struct, frozen=True):
    folds: bool = False
    multiline: bool = False
    dot_is_all: bool = False
    ungreedy: bool = False


_FLAG_NAMES = {"i": "folds", "m": "multiline", "s": "dot_is_all", "U": "ungreedy"}


class _Group:
    """An open parenthesis, with the alternatives that are already read.

    `flags`: the flags to restore at the closing parenthesis.
    """

    def __init__(self, flags: _Flags) -> None:
        self.flags = flags
        self.nodes: list[Node] = []
        self.alternatives: list[Node] = []

    def close(self) -> Node:
        last = Sequence(tuple(self.nodes))
        return Choice((*self.alternatives, last)) if self.alternatives else last


def parse(text: str) -> Node:
    """Parses a regular expression.

    Raises RegexpError with Go's message if Go rejects the expression, or if it exceeds DEPTH_MAX.
    """
    return _Parser(text).parse()


_COUNT = lazy_pattern(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}")
_SIMPLE_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ASSERTIONS = {"A": "begin", "b": "word", "B": "no word", "z": "end"}


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._flags = _Flags()
        self._open = [_Group(self._flags)]

    def parse(self) -> Node:
        last_repeat = -1
        while self._at < len(self._text):
            start = self._at
            repeated = self._next(self._text[start], last_repeat)
            last_repeat = start if repeated else -1
        if len(self._open) > 1:
            raise RegexpError("missing closing )", self._text)
        return self._open[0].close()

    def _push(self, node: Node) -> None:
        self._open[-1].nodes.append(node)

    def _literal(self, character: str) -> None:
        code = ord(character)
        self._push(CharacterSet((Item(((code, code),)),), folds=self._flags.folds))

    def _next(self, character: str, last_repeat: int) -> bool:
        """Reads one element of the expression; returns whether the element was a repetition operator.

        `last_repeat`: the offset of the element before, if it was a repetition operator; otherwise -1.
        """
        if character in "*+?":
            self._at += 1
            self._repeat({"*": (0, None), "+": (1, None), "?": (0, 1)}[character], last_repeat)
            return True
        if character == "{":
            return self._counted(last_repeat)
        if character == "(":
            self._group()
        elif character == "[":
            self._class()
        elif character == "\\":
            self._backslash()
        else:
            self._at += 1
            self._plain(character)
        return False

    def _plain(self, character: str) -> None:
        flags = self._flags
        match character:
            case "|":
                group = self._open[-1]
                group.alternatives.append(Sequence(tuple(group.nodes)))
                group.nodes = []
            case ")":
                if len(self._open) == 1:
                    raise RegexpError("unexpected )", self._text)
                group = self._open.pop()
                self._flags = group.flags
                self._push(group.close())
            case "^":
                self._push(Assertion("line begin" if flags.multiline else "begin"))
            case "$":
                self._push(Assertion("line end" if flags.multiline else "end"))
            case ".":
                newline = () if flags.dot_is_all else (Item(_NEWLINE),)
                self._push(CharacterSet(newline, negated=True))
            case _:
                self._literal(character)

    def _repeat(self, counts: tuple[int, int | None], last_repeat: int) -> None:
        before = self._at - 1 if counts in ((0, None), (1, None), (0, 1)) else self._at
        self._apply(counts, before, last_repeat)

    def _counted(self, last_repeat: int) -> bool:
        match = _COUNT.match(self._text, self._at)
        if not match:
            self._at += 1
            self._literal("{")
            return False
        before = self._at
        self._at = match.end()
        least = _small(match[1])
        most = None if match[2] and match[3] is None else _small(match[3] or match[1])
        if least > _REPEAT_MAX or (most is not None and (most > _REPEAT_MAX or least > most)):
            raise RegexpError("invalid repeat count", match.group())
        self._apply((least, most), before, last_repeat, counted=True)
        return True

    def _apply(
        self, counts: tuple[int, int | None], before: int, last_repeat: int, *, counted: bool = False
    ) -> None:
        if self._text.startswith("?", self._at):
            self._at += 1
        if last_repeat >= 0:
            raise RegexpError("invalid nested repetition operator", self._text[last_repeat : self._at])
        nodes = self._open[-1].nodes
        if not nodes:
            raise RegexpError("missing argument to repetition operator", self._text[before : self._at])
        least, most = counts
        below = _count_of(nodes[-1])
        times = (least if most is None else most) if counted else 1
        if counted and max(least, most or 0) >= 2 and most != 0 and times * below > _REPEAT_MAX:
            raise RegexpError("invalid repeat count", self._text[before : self._at])
        count = 1 if counted and most == 0 else max(times, 1) * below
        nodes[-1] = Repeat(nodes[-1], least, most, count)

    def _group(self) -> None:
        if len(self._open) > DEPTH_MAX:
            raise RegexpError("expression nests too deeply", self._text)
        if not self._text.startswith("(?", self._at):
            self._at += 1
            self._open.append(_Group(self._flags))
        elif self._text.startswith(("(?P<", "(?<"), self._at) and len(self._text) - self._at > 3:
            self._named_group()
        else:
            self._flag_group()

    def _named_group(self) -> None:
        end = self._text.find(">", self._at)
        if end < 0:
            raise RegexpError("invalid named capture", self._text[self._at :])
        name = self._text[self._text.index("<", self._at) + 1 : end]
        if not re.fullmatch(r"[A-Za-z0-9_]+", name):
            raise RegexpError("invalid named capture", self._text[self._at : end + 1])
        self._at = end + 1
        self._open.append(_Group(self._flags))

    def _flag_group(self) -> None:
        flags, value, saw = self._flags, True, False
        for place in range(self._at + 2, len(self._text)):
            character = self._text[place]
            if character in _FLAG_NAMES:
                flags = replace(flags, **{_FLAG_NAMES[character]: value})
                saw = True
            elif character == "-" and value:
                value, saw = False, False
            elif character in ":)" and (value or saw):
                self._at = place + 1
                if character == ":":
                    self._open.append(_Group(self._flags))
                self._flags = flags
                return
            else:
                raise RegexpError("invalid or unsupported Perl syntax", self._text[self._at : place + 1])
        raise RegexpError("invalid or unsupported Perl syntax", self._text[self._at :])

    def _backslash(self) -> None:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter and letter in _ASSERTIONS:
            self._at += 2
            self._push(Assertion(_ASSERTIONS[letter]))
        elif letter == "C":
            raise RegexpError("invalid escape sequence", r"\C")
        elif letter == "Q":
            end = self._text.find(r"\E", self._at + 2)
            quoted = self._text[self._at + 2 : end if end >= 0 else None]
            self._at = end + 2 if end >= 0 else len(self._text)
            for character in quoted:
                self._literal(character)
        else:
            item = self._class_escape()
            if item is not None:
                self._push(CharacterSet((item,), folds=self._flags.folds))
            else:
                self._literal(self._escape())

    def _class_escape(self) -> Item | None:
        r"""Reads a class escape such as `\d`, `\pL` or `\p{Greek}`; returns None for other escapes."""
        letter = self._text[self._at + 1 : self._at + 2]
        if letter and letter in "pP":
            return self._unicode_class(letter)
        if letter and letter.lower() in PERL:
            self._at += 2
            return Item(PERL[letter.lower()], negated=letter.isupper())
        return None

    def _unicode_class(self, letter: str) -> Item:
        start = self._at
        opening = self._text[start + 2 : start + 3]
        if opening == "{":
            end = self._text.find("}", start)
            if end < 0:
                raise RegexpError("invalid character class range", self._text[start:])
            name = self._text[start + 3 : end]
        else:
            end, name = start + 2, opening
        self._at = end + 1
        negated = (letter == "P") != name.startswith("^")
        name = name.removeprefix("^")
        if unicode_test(name) is None:
            raise RegexpError("invalid character class range", self._text[start : end + 1])
        return Item(named=name, negated=negated)

    def _escape(self) -> str:
        r"""Reads an escape such as `\n` or `\x41`; returns its character.

        Raises RegexpError for an unknown or incomplete escape.
        """
        start = self._at
        character = self._text[start + 1 : start + 2]
        if not character:
            raise RegexpError("trailing backslash at end of expression", "")
        self._at += 2
        if character in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[character]
        if character == "x":
            return self._hexadecimal(start)
        octal = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}").match(self._text, start + 1)
        if octal:
            self._at = octal.end()
            return chr(int(octal.group(), 8))
        if character.isascii() and not character.isalnum():
            return character
        raise RegexpError("invalid escape sequence", self._text[start : self._at])

    def _hexadecimal(self, start: int) -> str:
        match = re.compile(r"\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2})").match(self._text, self._at)
        if match:
            code = int((match[1] or match[2]).lstrip("0")[:7] or "0", 16)
            if code <= _RUNE_MAX:
                self._at = match.end()
                return chr(code)
        raise RegexpError("invalid escape sequence", self._text[start : self._bad_hexadecimal_end()])

    def _bad_hexadecimal_end(self) -> int:
        """Returns the offset at which Go stops reading an invalid hexadecimal escape."""
        at = self._at
        if not self._text.startswith("{", at):
            return min(at + 2, len(self._text))
        code = 0
        for place in range(at + 1, len(self._text)):
            digit = self._text[place]
            if digit not in "0123456789abcdefABCDEF":
                return place + 1
            code = code * 16 + int(digit, 16)
            if code > _RUNE_MAX:
                return place + 1
        return len(self._text)

    def _class(self) -> None:
        start = self._at
        self._at += 1
        negated = self._text.startswith("^", self._at)
        self._at += negated
        items: list[Item] = []
        first = True
        while first or not self._text.startswith("]", self._at):
            first = False
            items.append(self._class_item(start))
        self._at += 1
        self._push(CharacterSet(tuple(items), negated=negated, folds=self._flags.folds))

    def _class_item(self, start: int) -> Item:
        if self._text.startswith("[:", self._at):
            end = self._text.find(":]", self._at + 2)
            if end >= 0:
                return self._posix_class(end)
        if self._text.startswith("\\", self._at):
            item = self._class_escape()
            if item is not None:
                return item
        begin = self._at
        low = high = ord(self._class_character(start))
        text = self._text
        if text.startswith("-", self._at) and len(text) - self._at >= 2 and text[self._at + 1] != "]":
            self._at += 1
            high = ord(self._class_character(start))
            if high < low:
                raise RegexpError("invalid character class range", text[begin : self._at])
        return Item(((low, high),))

    def _posix_class(self, end: int) -> Item:
        name = self._text[self._at + 2 : end]
        ranges = POSIX.get(name.removeprefix("^"))
        if ranges is None:
            raise RegexpError("invalid character class range", self._text[self._at : end + 2])
        self._at = end + 2
        return Item(ranges, negated=name.startswith("^"))

    def _class_character(self, start: int) -> str:
        if self._at >= len(self._text):
            raise RegexpError("missing closing ]", self._text[start:])
        if self._text[self._at] == "\\":
            return self._escape()
        self._at += 1
        return self._text[self._at - 1]


def _small(digits: str) -> int:
    """Parses a repeat count. Counts of five or more digits become _REPEAT_MAX + 1, which is too large."""
    return int(digits) if len(digits) <= 4 else _REPEAT_MAX + 1


def _count_of(node: Node) -> int:
    match node:
        case Repeat():
            return node.count
        case Sequence() | Choice():
            return max(map(_count_of, node.nodes), default=1)
        case _:
            return 1
