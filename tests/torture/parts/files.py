"""Every function that reads users' files accepts random YAML and JSON files or fails with a one-line error.

These functions must use little time and memory. Their error messages must not have escape codes.
"""

import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig
from fakeapi.clients.target import TargetError
from fakeapi.faults.reading import read_rules
from fakeapi.faults.rules import RuleError
from fakeapi.installing.plan import plan_of
from fakeapi.installing.sources import InstallError
from fakeapi.testing import manifests
from tests.torture.budget import Budget, Finding, patience
from tests.torture.grammar import Grammar

READ_SECONDS = 10.0
"""Maximum seconds to read a file. All generated files take less."""

GROWTH_MAX = 1024
"""Maximum growth in MiB of this process's peak memory while it reads all generated files."""

READERS: dict[str, tuple[Callable[[Path], object], type[Exception]]] = {
    "install": (lambda path: plan_of([path]), InstallError),
    "manifests": (manifests.load, ValueError),
    "faults": (read_rules, RuleError),
    "kubeconfig": (target_of_kubeconfig, TargetError),
}
SEEDS = (
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata: {x: "y"}\n---\n# nothing\n',
    '{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "p"}}]}',
    "- conflict: pods\n- delay: {target: nodes, seconds: 1}\n",
    "{current-context: c, contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: {}}]}",
    "a: &a {b: [1, 1.5, 1:59, 0x1f, ~, yes, 2020-01-01, !!binary aGk=]}\nc: {<<: *a, d: *a}\n",
)


def value(chance: Random, depth: int) -> Any:
    """Returns a random JSON value that uses field names of manifests. `depth`: maximum depth of nesting."""
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(
            [None, True, 0, -1.5, 10**30, "", "a", "../x", "\x1b[31m\n", "v1", "List", "é" * 50]
        )
    if chance.random() < 0.3:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    names = (
        "apiVersion",
        "kind",
        "metadata",
        "name",
        "namespace",
        "items",
        "spec",
        "ownerReferences",
        "faults",
    )
    return {chance.choice(names): value(chance, depth - 1) for _ in range(chance.randrange(6))}


def bomb(chance: Random) -> str:
    """Returns the text of a YAML bomb (nested aliases), or of a very deep or very long file."""
    size = chance.choice([10, 1_000, 30_000])
    width = chance.randrange(2, 12)
    levels = range(1, chance.randrange(2, 30))
    head = chance.choice(["", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"])
    return head + chance.choice(
        [
            "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * width)}]\n" for n in levels),
            "a0: &a0 {x: y}\n"
            + "".join(f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * width)}]}}\n" for n in levels),
            chance.choice(["[", "{a: ", "- ", "? ", '{"a":', "[{"]) * size,
            "x: 1" + ":59" * size,
            "x: " + chance.choice("019.e_") * size,
            "---\n" * size,
            "".join(f"%TAG !t{n}! x\n" for n in range(size)) + "--- a\n",
            "x: &" + "a" * size + " b\n",
            '{"apiVersion":"v1","kind":"List","items":[' * min(size, 99) + "]}" * min(size, 99),
            "k: v\n" * size,
            "? [" + "a, " * size + "]\n: b\n",
        ]
    )


def text_of(chance: Random, grammar: Grammar) -> bytes:
    choice = chance.random()
    if choice < 0.3:
        return bomb(chance).encode()
    if choice < 0.6:
        return json.dumps(value(chance, chance.randrange(1, 7))).encode()
    return grammar.damaged(chance.choice(SEEDS).encode())


def check(name: str, path: Path) -> bool:
    """Reads the file with the reader `name` of READERS; returns whether the reader accepts the file.

    Raises Finding if the reader raises an unexpected or unprintable error, or takes too long.
    """
    read, refusal = READERS[name]
    began = time.monotonic()
    try:
        read(path)
        taken = True
    except refusal as error:
        taken = False
        if name != "manifests" and not str(error).isprintable():
            raise Finding(f"{name}: the error {str(error)!r} of {path.read_bytes()!r:.2000}") from error
    except Exception as error:
        raise Finding(f"{name}: {error!r} of {path.read_bytes()!r:.2000}") from error
    seconds = time.monotonic() - began
    if seconds > patience(READ_SECONDS):
        raise Finding(f"{name}: {seconds:.1f} s for {path.read_bytes()!r:.2000}")
    return taken


def peak() -> int:
    """Returns the peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def run(budget: Budget) -> dict[str, float]:
    grammar, before = Grammar(budget.random), peak()
    files = taken = 0
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "a.yaml")
        for _ in budget.rounds():
            content = text_of(budget.random, grammar)
            path.write_bytes(content)
            for name in READERS:
                taken += check(name, path)
            files += 1
            if peak() - before > GROWTH_MAX:
                raise Finding(f"{peak() - before} MiB more after {content!r:.2000}")
    return {"files": files, "taken": taken}
