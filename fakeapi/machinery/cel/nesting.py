"""Measures the nesting depth of a CEL expression from its tokens; cel-go rejects more than 250 levels.

Follows cel-go `parser`. cel-go's grammar recurses for each bracket, each `:` branch of a condition and each
right operand. Its syntax tree visitor recurses for each operator, selection, index and method call. This
module measures both depths in one pass without recursion.
"""

import re

import msgspec

from fakeapi.machinery.lazy_pattern import lazy_pattern

NESTING_MAX = 250
"""Maximum number of nesting levels of an expression."""

_STRING = r"""
      [rR]'''(?:[^']|'(?!''))*+(?:''')? | [rR]\"""(?:[^"]|"(?!""))*+(?:\""")?
    | [rR]'[^'\r\n]*+'? | [rR]"[^"\r\n]*+"?
    | '''(?:[^'\\]|\\.|'(?!''))*+(?:''')? | \"""(?:[^"\\]|\\.|"(?!""))*+(?:\""")?
    | '(?:[^'\\\r\n]|\\.)*+'? | "(?:[^"\\\r\n]|\\.)*+"?
"""
"""Regular expression for a string literal, or for an unclosed string literal.

Only one alternative matches a given text, so matching is fast.
"""

_NUMBER = r"""(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?+[0-9A-Za-z_]*+"""

TOKEN = lazy_pattern(
    rf"""
      (?P<string>{_STRING})
    | (?P<comment>//[^\n]*+)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*+ | {_NUMBER})
    | (?P<quoted>`)
    | (?P<symbol>&& | \|\| | == | != | <= | >= | \.\? | [-+*/%<>!?:.,(){{}}\[\]])
    """,
    re.DOTALL | re.VERBOSE,
)
"""Regular expression for a token of a CEL expression; matches neither spaces nor invalid characters."""

_RELATION, _SUM, _PRODUCT = 3, 4, 5
_PRECEDENCE = {
    "?": 0,
    ":": 0,
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in"), _RELATION),
    **dict.fromkeys(("+", "-"), _SUM),
    **dict.fromkeys(("*", "/", "%"), _PRODUCT),
}
_CLOSING = frozenset(")]}")


class _Bracket(msgspec.Struct):
    """The expression inside one pair of brackets, or the whole expression.

    - `is_suffix`: whether the bracket is an index of the operand before it.
    - `operands`, `operators`: the depths of operands not combined yet, and the operators between them.
    - `deepest`: the maximum depth of the arguments or elements before the last comma.
    - `wants_operand`: whether an operand must follow: after an operator, a comma or an opening bracket.
    - `questions`: the number of "?" without their ":" so far.
    - `conditions`: the number of `:` branches that contain the next token, in this and outer brackets.
    - `relations`: the number of comparisons whose right operand contains the next token.
    - `sums`: the number of sums and products whose right operand contains the next token.
    """

    outer: "_Bracket | None" = None
    is_suffix: bool = False
    operands: list[int] = msgspec.field(default_factory=list)
    operators: list[str] = msgspec.field(default_factory=list)
    deepest: int = 0
    wants_operand: bool = True
    questions: int = 0
    conditions: int = 0
    relations: int = 0
    sums: int = 0

    def operator(self, name: str) -> None:
        """Adds an operator, after combining earlier operators of the same or a higher precedence.

        Conditions (`?:`) are right-associative, all other operators left-associative.
        """
        precedence = _PRECEDENCE[name]
        while self.operators and _PRECEDENCE[self.operators[-1]] >= max(precedence, 1):
            self._combine()
        self.operators.append(name)
        self.wants_operand = True
        if precedence == 0:
            self.questions += 1 if name == "?" else -1
            self.conditions += name == ":"
        pending = [_PRECEDENCE[symbol] for symbol in self.operators[-_PRODUCT:]]
        around = self.outer or _Bracket()
        self.relations = around.relations + pending.count(_RELATION)
        self.sums = around.sums + pending.count(_SUM) + pending.count(_PRODUCT)

    def operand(self, depth: int = 0) -> None:
        if self.wants_operand:
            self.operands.append(depth)
            self.wants_operand = False

    def end_part(self) -> None:
        """Combines all operators at the end of an argument, element, entry or expression."""
        while self.operators:
            self._combine()
        self.deepest = max(self.deepest, *self.operands, 0)
        self.operands.clear()
        self.wants_operand = True
        self.questions = 0
        around = self.outer or _Bracket()
        self.conditions, self.relations, self.sums = around.conditions, around.relations, around.sums

    def _combine(self) -> None:
        name = self.operators.pop()
        right = self.operands.pop() if self.operands else 0
        left = self.operands.pop() if self.operands else 0
        counts = _PRECEDENCE[name] >= _RELATION or name == "?"
        self.operands.append(max(left, right) + counts)


class Nesting(msgspec.Struct, frozen=True):
    """The nesting depths of an expression.

    `grammar`: the maximum recursion depth of a rule in cel-go's grammar.
    `operations`: the depth of the syntax tree: operators, selections and calls.
    """

    grammar: int
    operations: int


def nesting_of(text: str) -> Nesting:
    """Measures the nesting of a CEL expression in linear time.

    For invalid text, the result is meaningless.
    """
    bracket = _Bracket()
    level = deepest = 1
    for token in TOKEN.finditer(text):
        kind, symbol = token.lastgroup, token[0]
        if kind == "comment":
            continue
        if symbol in _OPENING:
            bracket = _opened(bracket, symbol)
            level += 1
        elif symbol in _CLOSING:
            if bracket.outer is not None:
                bracket = _closed(bracket, bracket.outer)
                level -= 1
        elif kind != "symbol" and not (symbol == "in" and not bracket.wants_operand):
            bracket.operand()
            continue
        elif symbol == "," or (symbol == ":" and not bracket.questions):
            bracket.end_part()
        elif symbol in {".", ".?"}:
            if not bracket.wants_operand:
                bracket.operands[-1] += 1
        elif symbol in _PRECEDENCE and not bracket.wants_operand:
            bracket.operator(symbol)
        deepest = max(deepest, level + max(bracket.conditions, bracket.relations, bracket.sums))
    while bracket.outer is not None:
        bracket = _closed(bracket, bracket.outer)
    bracket.end_part()
    return Nesting(deepest, bracket.deepest)


_OPENING = frozenset("([{")


def _opened(outer: _Bracket, symbol: str) -> _Bracket:
    """Opens a bracket within `outer`. An index belongs to the operand before it."""
    is_suffix = symbol == "[" and not outer.wants_operand
    return _Bracket(outer, is_suffix, conditions=outer.conditions, relations=outer.relations, sums=outer.sums)


def _closed(inner: _Bracket, outer: _Bracket) -> _Bracket:
    """Closes the bracket `inner` and returns `outer`, with the depth of `inner` as an operand.

    An index or argument list counts for the operand before it. An index adds one level; arguments add none,
    because the dot of the method call already added one.
    """
    inner.end_part()
    if outer.wants_operand:
        outer.operand(inner.deepest)
    else:
        outer.operands[-1] = max(outer.operands[-1], inner.deepest) + inner.is_suffix
    return outer
