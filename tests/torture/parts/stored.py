"""With a damaged database, a server refuses to start or serves the acknowledged objects as valid JSON.

The part writes a database once and damages copies of it: flips bits, truncates the file, changes values or
deletes rows. It starts a server with each copy. A server that refuses to start must print a short error
without a traceback.
"""

import asyncio
import contextlib
import json
import shutil
import signal
import sqlite3
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from tests.torture.budget import Budget, Finding
from tests.torture.servers import BASE, Client, Server, claim, serving, value_of, version_of

NAMES = 30
REFUSAL_LINES = 5
ODD: tuple[Any, ...] = (
    None, -1, 0, 2**63 - 1, 1.5, "", "x", "é" * 500, b"", b"{}", b"\xff", b"null", b"[" * 5_000, b'{"a":',
    "/", "/resource.k8s.io/resourceclaims/default/zzz", "/resource.k8s.io/resourceclaims/default/../x", "\0",
)  # fmt: skip
COLUMNS = ("revision", "key", "created", "previous", "deleted", "value", "checksum")
VALUES = {"log": COLUMNS, "meta": ("compacted", "format"), "label": ("name", "value")}

Known = dict[str, tuple[int, str]]


async def filled(port: int) -> Known:
    """Creates, changes and deletes claims.

    Returns version and value of each remaining claim, by its name.
    """
    client, known = Client(port), Known()
    for number in range(NAMES * 2):
        name = f"c{number % NAMES}"
        if name not in known:
            _, answer = await client.ask("POST", BASE, claim(name, f"{number}"))
        else:
            patch = {"metadata": {"annotations": {"v": f"{number}"}}}
            _, answer = await client.ask("PATCH", f"{BASE}/{name}", patch, "merge-patch+json")
        known[name] = version_of(answer), value_of(answer)
        if number % 7 == 0:
            await client.ask("DELETE", f"{BASE}/{name}")
            del known[name]
    client.close()
    return known


async def found_in(port: int) -> Known:
    """Reads all claims in a list and one by one; returns version and value of each claim by its name.

    Raises Finding if a claim in the list differs from the claim at its own path, or if the server does not
    accept a new claim.
    """
    client = Client(port)
    code, listed = await client.ask("GET", BASE)
    if code != 200:
        raise Finding(f"a list was answered {code}: {listed}")
    for item in listed["items"]:
        code, one = await client.ask("GET", f"{BASE}/{item['metadata']['name']}")
        if code != 200 or one["metadata"] != item["metadata"]:
            raise Finding(f"{one} was read, and {item} listed")
    code, created = await client.ask("POST", BASE, claim("another", "new"))
    if code != 201:
        raise Finding(f"a create was answered {code}: {created}")
    client.close()
    return {o["metadata"]["name"]: (version_of(o), value_of(o)) for o in listed["items"]}


def flip(path: Path, chance: Random) -> str:
    """Flips some bits of a file and sometimes truncates it; returns a description of the damage."""
    data = bytearray(path.read_bytes())
    places = [chance.randrange(len(data)) for _ in range(chance.choice([1, 1, 3, 20]))]
    for place in places:
        data[place] ^= 1 << chance.randrange(8)
    if chance.random() < 0.1:
        del data[chance.randrange(len(data)) :]
    path.write_bytes(data)
    return f"bytes {places} flipped, {len(data)} kept"


def change(path: Path, chance: Random) -> str:
    """Changes a random column or deletes rows of a SQLite database; returns the SQL statement as text."""
    table = chance.choice(["log", "log", "log", "meta", "label"])
    column = chance.choice(VALUES[table])
    value = chance.choice(ODD)
    rows = chance.choice(["1", "rowid % 7 = 3", "rowid = (select max(rowid) from log)"])
    done = f"delete from {table} where {rows}"
    with contextlib.closing(sqlite3.connect(path)) as database, contextlib.suppress(sqlite3.Error):
        if chance.random() < 0.2:
            database.execute(done)
        else:
            done = f"update {table} set {column} = {value!r:.80} where {rows}"
            database.execute(f"update {table} set {column} = ? where {rows}", (value,))
        database.commit()
    return done


def run(budget: Budget) -> dict[str, float]:
    figures: dict[str, float] = {"databases": 0, "refused": 0, "served": 0}
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        original = directory / "original"
        with serving(directory, "--db", str(original), "--durability", "full") as server:
            known = asyncio.run(filled(server.port))
            server.end(signal.SIGTERM)
        for _ in budget.rounds():
            path = directory / "db"
            for suffix in ("", "-wal", "-shm"):
                path.with_name(f"db{suffix}").unlink(missing_ok=True)
            shutil.copy(original, path)
            damage = budget.random.choice([flip, change])
            done = damage(path, budget.random)
            served = attempt(directory, path, known, done, deleted="delete" in done)
            figures["databases"] += 1
            figures["served" if served else "refused"] += 1
    return figures if budget.seconds > 10 else {"databases": figures["databases"]}


def attempt(directory: Path, path: Path, known: Known, done: str, *, deleted: bool) -> bool:
    """Starts a server with the damaged database; returns whether it starts.

    - `known`: the objects that the server must serve if it starts
    - `done`: a description of the damage, for error messages
    - `deleted`: whether the damage deleted rows, so that objects may be missing

    Raises Finding for other objects, or if the server refuses to start with a traceback or a long message.
    """
    log = directory / "server.log"
    log.unlink(missing_ok=True)
    server: Server | None = None
    try:
        server = Server(directory, "--db", str(path))
    except Finding:
        words = log.read_text()
        if "Traceback" in words or not words or len(words.splitlines()) > REFUSAL_LINES:
            raise Finding(f"{done}: refused with {words[-3_000:]!r}") from None
        return False
    try:
        stored = asyncio.run(found_in(server.port))
        if stored != known and not deleted:
            differing = sorted(name for name in {*stored, *known} if stored.get(name) != known.get(name))
            raise Finding(f"{done}: {differing} are not what was acknowledged")
        server.check_log()
        server.end(signal.SIGTERM)
    except json.JSONDecodeError as error:
        raise Finding(f"{done}: JSON that cannot be read: {error}") from error
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
    return True
