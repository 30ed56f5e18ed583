"""Cost of the journal: a server that keeps one beside a server that does not, in turn.

What counts is the time of the server's own process, which other work on the machine changes less than the
time that passes; turns are short, so that both servers meet the same of it.
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
    """Microseconds of processor time that a request takes with and without the journal: that of the quickest
    tenth of all turns, as whatever else the machine does only adds to them.
    """

    on: float
    off: float

    @property
    def loss(self) -> float:
        """The relative extra cost of the journal: 0.03 is 3 %."""
        return self.on / self.off - 1


async def cost_of(
    servers: tuple[tuple[int, int], tuple[int, int]], make: Callable[[int], bytes], turns: int
) -> Cost:
    """`servers` are the ports and process ids of those with and without."""
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
