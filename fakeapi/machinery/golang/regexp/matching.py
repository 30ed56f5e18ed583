"""Matches texts against Go's regular expressions, in time linear in the length of the text.

A regular expression is compiled to a nondeterministic finite automaton (NFA). Matching builds the states of a
deterministic automaton (DFA) as needed, and caches them.
"""

from functools import lru_cache

import msgspec

from fakeapi.machinery.golang.regexp.classes import PERL, CharacterSet
from fakeapi.machinery.golang.regexp.syntax import (
    Assertion,
    Choice,
    Node,
    RegexpError,
    Repeat,
    Sequence,
    parse,
)

STEPS_MAX = 10_000
"""Maximum number of NFA steps of a regular expression; Go allows some millions."""

TRANSITIONS_MAX = 20_000
"""Maximum number of cached DFA transitions; a full cache is cleared."""

_WORD = frozenset(chr(code) for first, last in PERL["w"] for code in range(first, last + 1))


class _Step(msgspec.Struct):
    """A step of the NFA: consumes a character, checks an assertion, or does neither.

    `takes`: the set of characters to consume; None for a step without a character.
    `checks`: the kind of the assertion; "" for none.
    `to`: the numbers of the next steps. A step without next steps accepts the text.
    """

    takes: CharacterSet | None = None
    checks: str = ""
    to: list[int] = msgspec.field(default_factory=list)


class _State(msgspec.Struct):
    """A state of the DFA.

    - `steps`: the current NFA steps, before assertions are checked.
    - `before`: the kind of the previous character.
    - `next`: character -> next state; None if the text matches. The key "" stands for the end of the text.
    """

    steps: frozenset[int]
    before: str
    next: "dict[str, _State | None]" = msgspec.field(default_factory=dict)


class Regexp:
    """A compiled regular expression in Go's syntax; threads may share it."""

    def __init__(self, text: str) -> None:
        """Compiles the expression.

        Raises RegexpError with Go's message if Go rejects the expression, or if it exceeds STEPS_MAX.
        """
        self.text = text
        self._steps: list[_Step] = [_Step()]
        self._start = self._build(parse(text), 0)
        self._states: dict[tuple[frozenset[int], str], _State] = {}
        self._kept = 0

    def search(self, text: str) -> bool:
        """Whether the expression matches anywhere in `text`, like Go's MatchString."""
        state = self._state(frozenset((self._start,)), "begin")
        for character in text:
            try:
                following = state.next[character]
            except KeyError:
                following = self._after(state, character)
            if following is None:
                return True
            state = following
        try:
            return state.next[""] is None
        except KeyError:
            matches = 0 in self._reached(state, "")
            state.next[""] = None if matches else state
            return matches

    def _state(self, steps: frozenset[int], before: str) -> _State:
        key = (steps, before)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _State(steps, before)
        return state

    def _after(self, state: _State, character: str) -> _State | None:
        """Returns the DFA state after one more character; None if the text before the character matches."""
        if self._kept >= TRANSITIONS_MAX:
            self._states.clear()
            self._kept = 0
            state.next.clear()
        reached = self._reached(state, character)
        following: _State | None = None
        if 0 not in reached:
            taken = {self._start}
            for number in reached:
                step = self._steps[number]
                if step.takes is not None and step.takes.has(character):
                    taken.update(step.to)
            following = self._state(frozenset(taken), _kind(character))
        state.next[character] = following
        self._kept += 1
        return following

    def _reached(self, state: _State, character: str) -> set[int]:
        """Returns all NFA steps reachable before `character`, which is "" at the end of the text."""
        after = _kind(character) if character else "end"
        reached: set[int] = set()
        waiting = list(state.steps)
        while waiting:
            number = waiting.pop()
            if number in reached:
                continue
            reached.add(number)
            step = self._steps[number]
            if step.takes is None and (not step.checks or _holds(step.checks, state.before, after)):
                waiting.extend(step.to)
        return reached

    def _add(self, step: _Step) -> int:
        if len(self._steps) >= STEPS_MAX:
            raise RegexpError("expression too large", self.text)
        self._steps.append(step)
        return len(self._steps) - 1

    def _build(self, node: Node, then: int) -> int:
        """Adds the NFA steps of a syntax node, followed by the step `then`.

        Returns the number of the first step.
        """
        match node:
            case CharacterSet():
                return self._add(_Step(takes=node, to=[then]))
            case Assertion():
                return self._add(_Step(checks=node.kind, to=[then]))
            case Sequence():
                for part in reversed(node.nodes):
                    then = self._build(part, then)
                return then
            case Choice():
                return self._add(_Step(to=[self._build(part, then) for part in node.nodes]))
            case Repeat():
                return self._build_repeat(node, then)

    def _build_repeat(self, node: Repeat, then: int) -> int:
        if node.most is None:
            loop = self._add(_Step(to=[then]))
            self._steps[loop].to.append(self._build(node.node, loop))
            then = loop
        else:
            end = then
            for _ in range(node.most - node.least):
                then = self._add(_Step(to=[end, self._build(node.node, then)]))
        for _ in range(node.least):
            then = self._build(node.node, then)
        return then


@lru_cache(maxsize=1024)
def compile_regexp(text: str) -> Regexp:
    """Compiles a regular expression; caches the result.

    Raises RegexpError with Go's message if Go rejects the expression, or if it exceeds a limit of fakeapi.
    """
    return Regexp(text)


def _kind(character: str) -> str:
    if character == "\n":
        return "newline"
    return "word" if character in _WORD else "other"


def _holds(check: str, before: str, after: str) -> bool:
    match check:
        case "begin":
            return before == "begin"
        case "end":
            return after == "end"
        case "line begin":
            return before in ("begin", "newline")
        case "line end":
            return after in ("end", "newline")
        case "word":
            return (before == "word") != (after == "word")
        case _:
            return (before == "word") == (after == "word")
