"""Measures the cost of the request journal: compares a server that has a journal with a server that has none.

Measures the CPU time of the server's process, because other work on the machine changes CPU time less than
elapsed time. The servers take short turns, so that other work affects both equally.
"""

import asyncio
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.load import Connection, processor_seconds

CONNECTIONS = 4
A_TURN = 50


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU microseconds per request, with the request journal (`on`) and without it (`off`).

    Both figures are the first decile over all turns, because other work on the machine only adds time.
    """

    on: float
    off: float

    @property
    def loss(self) -> float:
        """The relative extra cost of the journal; 0.03 means 3 %."""
        return self.on / self.off - 1


async def cost_of(
    servers: tuple[tuple[int, int], tuple[int, int]], make: Callable[[int], bytes], turns: int
) -> Cost:
    """Measures the CPU time of a request on a server with a journal and on a server without.

    - `servers`: port and process id of the server with a journal, then of the server without a journal.
    - `make`: builds the request with a given number.
    - `turns`: number of turns of each server. The servers take turns.
    """
    connections = [[await Connection.open(port) for _ in range(CONNECTIONS)] for port, _ in servers]
    spent: tuple[list[float], list[float]] = ([], [])
    for number in range(turns):
        for which in (0, 1) if number % 2 else (1, 0):
            pid = servers[which][1]
            before = processor_seconds(pid)
            await turn(connections[which], make, number * A_TURN)
            spent[which].append((processor_seconds(pid) - before) / A_TURN * 1e6)
    for connection in (*connections[0], *connections[1]):
        connection.close()
    return Cost(*(statistics.quantiles(each, n=10)[0] for each in spent))


async def turn(connections: Sequence[Connection], make: Callable[[int], bytes], first: int) -> None:
    async def work(which: int, connection: Connection) -> None:
        for number in range(first + which, first + A_TURN, len(connections)):
            answer = await connection.send(make(number))
            assert answer.status < 300, answer.body[:500]

    await asyncio.gather(*(work(which, each) for which, each in enumerate(connections)))
