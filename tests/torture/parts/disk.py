"""While the disk is full, slow or interrupted, the server stores or refuses each write, and reads still work.

The server runs with a preloaded library (`disk.c`) that makes file operations on its database fail.
"""

import asyncio
import signal
import tempfile
from pathlib import Path
from random import Random

from tests.torture.budget import Budget, Finding
from tests.torture.disks import library
from tests.torture.servers import BASE, Client, Server, claim, listed, serving, value_of, version_of

WRITERS = 4
OPERATIONS = 25
"""Number of operations of each writer in each phase of a round."""

NO_SPACE = "etcdserver: mvcc: database space exceeded"
FAULTS = {
    "full": {},
    "interrupted": {"TORTURE_EINTR": "3"},
    "slow": {"TORTURE_SLOW": "5000"},
}


class Load:
    """Clients that write and remember the values that the server has stored, and one client that reads."""

    def __init__(self, server: Server, chance: Random) -> None:
        self.server = server
        self.random = chance
        self.known: dict[str, tuple[int, str]] = {}
        self.stored = self.refused = self.reads = 0

    async def phase(self, *, is_full: bool) -> None:
        """Runs OPERATIONS operations of every writer while another client reads.

        `is_full`: whether the disk is full.
        """
        reading = asyncio.create_task(self._read())
        await asyncio.gather(*(self._write(number, is_full=is_full) for number in range(WRITERS)))
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        if reading.done() and not reading.cancelled() and (error := reading.exception()):
            raise error

    async def _read(self) -> None:
        client = Client(self.server.port)
        try:
            while True:
                code, answer = await client.ask("GET", BASE)
                if code != 200:
                    raise Finding(f"a read was answered {code}: {answer}")
                self.reads += 1
        finally:
            client.close()

    async def _write(self, number: int, *, is_full: bool) -> None:
        client = Client(self.server.port)
        for _ in range(OPERATIONS):
            name = f"w{number}-{self.random.randrange(3)}"
            value = f"{self.random.getrandbits(40)}" + "x" * self.random.choice([0, 10_000])
            if name not in self.known:
                code, answer = await client.ask("POST", BASE, claim(name, value))
            elif self.random.random() < 0.3:
                code, answer = await client.ask("DELETE", f"{BASE}/{name}")
                value = ""
            else:
                patch = {"metadata": {"annotations": {"v": value}}}
                code, answer = await client.ask("PATCH", f"{BASE}/{name}", patch, "merge-patch+json")
            if code == 500 and is_full and answer["message"] == NO_SPACE:
                self.refused += 1
            elif code not in {200, 201}:
                raise Finding(f"a write was answered {code}: {answer.get('message')}")
            else:
                self.stored += 1
                self.known.pop(name, None)
                if value:
                    self.known[name] = version_of(answer), value_of(answer)
        client.close()


def run(budget: Budget) -> dict[str, float]:
    rounds = stored = refused = reads = 0
    with tempfile.TemporaryDirectory() as place:
        shim = library(Path(place))
        for number in budget.rounds():
            fault = [*FAULTS][number % len(FAULTS)]
            load = one_round(Path(place) / str(number), shim, fault, budget.random)
            rounds, stored = rounds + 1, stored + load.stored
            refused, reads = refused + load.refused, reads + load.reads
    return {"rounds": rounds, "stored writes": stored, "refused writes": refused, "reads": reads}


def one_round(directory: Path, shim: Path, fault: str, chance: Random) -> Load:
    data, full = directory / "data", directory / "full"
    data.mkdir(parents=True)
    environment = {"LD_PRELOAD": str(shim), "TORTURE_DIR": str(data), "TORTURE_FULL": str(full)}
    options = ("--db", str(data / "db"), "--durability", chance.choice(["normal", "full"]))
    with serving(directory, *options, environment=environment | FAULTS[fault]) as server:
        load = Load(server, chance)
        asyncio.run(load.phase(is_full=False))
        if fault == "full":
            full.touch()
            asyncio.run(load.phase(is_full=True))
            full.unlink()
            asyncio.run(load.phase(is_full=False))
            if not load.refused:
                raise Finding("the disk was full, and no write was refused")
        compare(fault, load.known, listed(server))
        server.end(chance.choice([signal.SIGKILL, signal.SIGTERM]))
        server.check_log()
    with serving(directory, *options) as again:
        compare(f"{fault}, after a restart", load.known, listed(again))
    return load


def compare(moment: str, known: dict[str, tuple[int, str]], found: dict[str, tuple[int, str]]) -> None:
    if known != found:
        differing = [name for name in known.keys() | found.keys() if known.get(name) != found.get(name)]
        raise Finding(f"{moment}: what was acknowledged is not what is stored, for {sorted(differing)}")
