"""Every parser accepts or refuses damaged inputs; accepted inputs meet the checks in `tests.torture.targets`.

Keeps each input that made a parser execute new code lines, and damages the kept inputs further.
"""

import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

from tests.torture.budget import Budget, Finding
from tests.torture.grammar import Grammar
from tests.torture.targets import TARGETS, Target

INPUTS_OF_A_TURN = 50
INPUT_MAX = 4_096
CORPUS_MAX = 400
"""Maximum number of kept inputs for each parser. At the limit, a new input replaces a random input."""

Line = tuple[int, int]


class Traced:
    """Runs functions and records which code lines of fakeapi they execute."""

    def __init__(self) -> None:
        self.lines: set[Line] = set()
        self._new = False
        self._known: dict[int, bool] = {}

    def run(self, function: Callable[[], object]) -> bool:
        """Calls the function; returns whether it executed new code lines of fakeapi.

        A code line is new if no earlier call executed it. Exceptions of the function pass through.
        """
        self._new = False
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            function()
        finally:
            sys.settrace(before)
        return self._new

    def _call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            known = self._known[id(code)] = "fakeapi" in code.co_filename and "tests" not in code.co_filename
        return self._line if known else None

    def _line(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        line = id(frame.f_code), frame.f_lineno
        if line not in self.lines:
            self.lines.add(line)
            self._new = True
        return self._line


class Hunt:
    """Generates damaged inputs for one parser. Keeps inputs that make the parser execute new code lines."""

    def __init__(self, name: str, target: Target, budget: Budget) -> None:
        self.name = name
        self.target = target
        self.random = budget.random
        self.grammar = Grammar(budget.random)
        self.corpus = [*target.seeds]
        self.traced = Traced()
        self.inputs = self.accepted = 0

    def turn(self) -> None:
        for _ in range(INPUTS_OF_A_TURN):
            data = self._input()
            self.inputs += 1
            try:
                is_new = self.traced.run(lambda data=data: self._run(data))  # type: ignore[misc]
            except Exception as error:
                raise Finding(f"{self.name}: {data!r}\n{traceback.format_exc()}") from error
            if is_new:
                if len(self.corpus) >= CORPUS_MAX:
                    self.corpus[self.random.randrange(CORPUS_MAX)] = data
                else:
                    self.corpus.append(data)

    def _run(self, data: bytes) -> None:
        self.accepted += self.target.run(data)

    def _input(self) -> bytes:
        data = self.random.choice(self.corpus)
        choice = self.random.random()
        if choice < 0.3:
            other = self.random.choice(self.corpus)
            data = data[: self.random.randint(0, len(data))] + other[self.random.randint(0, len(other)) :]
        elif choice < 0.4:
            at = self.random.randint(0, len(data))
            end = self.random.randint(at, min(len(data), at + 8))
            data = data[:end] + data[at:end] * self.random.choice([1, 2, 50]) + data[end:]
        return self.grammar.damaged(data)[:INPUT_MAX]


def run(budget: Budget) -> dict[str, float]:
    hunts = [Hunt(name, target, budget) for name, target in TARGETS.items()]
    for number in budget.rounds():
        hunts[number % len(hunts)].turn()
    return {
        "inputs": sum(hunt.inputs for hunt in hunts),
        "accepted": sum(hunt.accepted for hunt in hunts),
        "lines reached": sum(len(hunt.traced.lines) for hunt in hunts),
    }
