"""Matches texts against regular expressions of Go, in time linear in the text.

The expression becomes a nondeterministic automaton, of which the deterministic one is made as texts need it.
"""

from dataclasses import dataclass, field
from functools import lru_cache

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
"""Steps of an automaton. An expression that needs more is refused as too large; for Go some millions are."""

TRANSITIONS_MAX = 20_000
"""Transitions that are kept of the deterministic automaton; beyond, it is made anew."""

_WORD = frozenset(chr(code) for first, last in PERL["w"] for code in range(first, last + 1))


@dataclass(slots=True)
class _Step:
    """Takes a character, checks a place, or neither; then goes on at each of `to`. Without `to` it
    accepts.
    """

    takes: CharacterSet | None = None
    checks: str = ""
    to: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _State:
    """Steps that are reached before anything is checked, after a character of a kind."""

    steps: frozenset[int]
    before: str
    next: "dict[str, _State | None]" = field(default_factory=dict)


class Regexp:
    """A compiled regular expression. Threads may share it: whatever its caches lose is computed again."""

    def __init__(self, text: str) -> None:
        """Raises RegexpError."""
        self.text = text
        self._steps: list[_Step] = [_Step()]
        self._start = self._build(parse(text), 0)
        self._states: dict[tuple[frozenset[int], str], _State] = {}
        self._kept = 0

    def search(self, text: str) -> bool:
        """Whether the expression matches anywhere in `text`: Go's MatchString."""
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
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = _State(steps, before)
        return found

    def _after(self, state: _State, character: str) -> _State | None:
        """The state after one more character; None where the text matched before it."""
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
        """The steps that are reached between the character before and this one, empty at the end."""
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
        """Adds the steps of a node, which go on at `then`; returns the first."""
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
    """The expression, kept for the next time. Raises RegexpError, with Go's message."""
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
