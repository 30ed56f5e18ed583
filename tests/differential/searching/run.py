"""Searches stories that provoke error messages, and writes them to the corpus.

    python -m tests.differential.searching.run [--release 1.37] [--gates all] [--steps 20000] [--seed 1]
    python -m tests.differential.searching.run --count [--missing]

`--count` only counts the messages that the stories of the corpus provoke in `RELEASES`.
`corpus.py` describes the corpus.
"""

import argparse
import asyncio
from collections import Counter
from pathlib import Path

from fakeapi.releases import load_release
from tests.differential.exchanges.corpus import Entry, read_corpus, write_corpus
from tests.differential.exchanges.messages import messages
from tests.differential.searching.provoking import places_of_entries, provoking
from tests.differential.searching.search import Search
from tests.differential.searching.seeds import read_seeds
from tests.differential.searching.unreachable import by_reason, described

RELEASES = ("1.31", "1.34", "1.37")
"""The releases whose kube-apiserver gets the stories."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", default="1.37")
    parser.add_argument("--gates", choices=("", "all"), default="", help='"all": all alpha and beta gates')
    parser.add_argument("--steps", type=int, default=20_000, help="the number of random changes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], help="these resources (default: all)")
    parser.add_argument("--seeds", type=Path, help="also start from the seeds in this file")
    parser.add_argument("--known", action="store_true", help="send only the known objects, without changes")
    parser.add_argument("--count", action="store_true", help="only count the provoked messages")
    parser.add_argument("--missing", action="store_true", help="list the messages that no story provokes")
    options = parser.parse_args()
    if options.count:
        count(lists_missing=options.missing)
    else:
        asyncio.run(search(options))


def count(*, lists_missing: bool) -> None:
    """Prints the number of messages that the corpus provokes, by release and by package."""
    entries = read_corpus()
    known = {message.place: message for message in messages()}
    reached: set[str] = set()
    for release in RELEASES:
        own = served(entries, release)
        plain = places_of(own, release, "")
        gated = places_of(own, release, "all") - plain
        say(f"{release}: {len(own):,} stories provoke {len(plain):,} messages; all gates {len(gated):,} more")
        reached |= plain | gated
    say(f"in at least one of these releases: {len(reached):,} of {len(known):,} messages")
    reasons = by_reason(message for place, message in sorted(known.items()) if place not in reached)
    left = reasons.pop("", [])
    say(f"of {len(reached) + len(left):,} messages that a story may provoke: {len(reached):,}")
    for reason, unreachable in reasons.items():
        say(f"  {len(unreachable)} others: {reason}")
    seen = Counter(known[place].package for place in reached)
    missing = Counter(message.package for message in left)
    for package in sorted(seen):
        say(f"  {package}: {seen[package]} of {seen[package] + missing[package]}")
    for message in left if lists_missing else ():
        say(f"{message.place} {message.reason} {described(message)}")


def served(entries: list[Entry], release: str) -> list[Entry]:
    """Returns the entries whose kinds a release serves."""
    kinds = {(kind.api_version, kind.resource) for kind in load_release(release).kinds}
    return [entry for entry in entries if (entry["apiVersion"], entry["resource"]) in kinds]


def places_of(entries: list[Entry], release: str, gates: str) -> set[str]:
    """Returns the places of all messages that these entries provoke."""
    places = asyncio.run(places_of_entries(entries, release, gates))
    return set().union(*places.values())


async def search(options: argparse.Namespace) -> None:
    """Searches new stories, and saves the corpus after each stage."""
    known = read_corpus()
    entries = served(known, options.release)
    places = set().union(*(await places_of_entries(entries, options.release, options.gates)).values())
    missing = [message for message in messages() if message.place not in places]
    async with provoking(options.release, options.gates) as provoker:
        searched = Search(
            provoker,
            options.release,
            options.gates,
            seed=options.seed,
            missing=missing,
            seeds=[*read_seeds(), *(read_seeds(options.seeds) if options.seeds else ())],
            only=options.only,
        )

        def save(progress: str) -> None:
            say(f"{progress}: {len(searched.found)} new stories, {len(searched.missing)} messages missing")
            write_corpus([*known, *searched.found])

        await searched.run(0 if options.known else options.steps, save, sweeps=not options.known)
        save("at the end")


def say(line: str) -> None:
    print(line[:240], flush=True)  # noqa: T201 - the output of a command


if __name__ == "__main__":
    main()
