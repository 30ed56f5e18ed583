"""Sends the same requests to `fakeapi serve --authorization rbac` and to kube-apiserver; compares responses.

    python -m tests.differential.rbac.run [--requests N] [--users N] [--seed N] [--builds FOLDER]
                                          [--port PORT]

Go builds etcd and kube-apiserver once (`benchmarks.kubernetes`, about 15 minutes). kube-apiserver runs with
the authorization mode Node,RBAC. Its users have tokens in a file; on fakeapi, an administrator impersonates
these users. Service accounts have tokens of both servers. kube-apiserver runs without controllers, so the
tool aggregates its ClusterRoles like kube-controller-manager.

The tool compares status codes, the message of each 403, and the status of each review. It prints each
difference as a curl line. The exit status is 1 if there is a difference. The requests are:

- reads, lists and watches, with selectors
- creates, updates, applies, patches and deletes, most as dry runs
- subresources and paths
- reviews
- changes of roles and bindings, which stay in force, and escalations
- certificate approval and signing
- impersonation by service accounts
- unknown tokens
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from benchmarks import kubernetes
from tests.differential.rbac import world
from tests.differential.rbac.aggregating import Aggregation
from tests.differential.rbac.comparing import difference, is_escalation, shown
from tests.differential.rbac.generating import Generator
from tests.differential.rbac.servers import Answer, Client, Request, Server, curl
from tests.differential.rbac.settling import Settling
from tests.torture import servers as torture

RELEASE = "1.37"
PORT = 6543
ADMIN = "administrator"
DIFFERENCES_MAX = 200
"""Maximum number of differences to print. The tool counts all differences."""


@contextmanager
def both(builds: Path, port: int, clients: list[Client]) -> Iterator[tuple[Server, Server]]:
    """Starts fakeapi and kube-apiserver with users for these clients; yields both servers, fakeapi first."""
    programs = kubernetes.build_etcd(builds), kubernetes.build_api_server(builds, RELEASE)
    users = [_token_line(client) for client in clients if client.account is None]
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        options = ("--release", RELEASE, "--authorization", "rbac", "--token", ADMIN)
        own = stack.enter_context(torture.serving(place, *options))
        running = kubernetes.running(*programs, port, users=users, authorization="Node,RBAC", options=())
        real = stack.enter_context(running)
        yield (
            Server(f"http://127.0.0.1:{own.port}", ADMIN, impersonates=True),
            Server(real.url, real.token, impersonates=False),
        )


def _token_line(client: Client) -> str:
    groups = f',"{",".join(client.groups)}"' if client.groups else ""
    return f"{client.token},{client.name},{groups}"


def prepare(servers: tuple[Server, Server], clients: list[Client], random: Random) -> None:
    """Creates the same initial objects in both servers, and tokens for the service accounts."""
    for method, path, body in [*world.writes(random, clients)]:
        for server in servers:
            server.must(method, path, body)
    for client in clients:
        if client.account is not None:
            namespace, name = client.account
            path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
            for server in servers:
                token_request = server.must("POST", path, {"spec": {"expirationSeconds": 86400}})
                server.tokens[client.name] = token_request["status"]["token"]
    for server in servers:  # the authorizer sees pods in order, so the last pod is enough
        name, node = world.NAMES[-1], world.NODES[-1]
        namespace = world.NAMESPACES[-1]
        server.await_access(
            f"system:node:{node}", verb="get", resource="secrets", namespace=namespace, name=name
        )


def changes_roles(request: Request, answer: Answer) -> bool:
    """Whether a request was successful and changed RBAC roles or bindings."""
    return (
        request.method != "GET"
        and world.RBAC in request.path
        and "dryRun" not in request.path
        and answer.code < 300
    )


def compare(servers: tuple[Server, Server], generator: Generator, requests: int) -> tuple[Counter[str], int]:
    """Sends generated requests to both servers and prints the differences between the responses.

    Returns the number of responses with each status code, and the number of differences.
    """
    own, real = servers
    counts: Counter[str] = Counter()
    aggregation, settling = Aggregation(real), Settling(servers)
    aggregation.update()
    settling.settle()
    differences = 0
    for _ in range(requests):
        client, request = generator.next()
        answers = own.ask(client, request), real.ask(client, request)
        counts[str(answers[1].code)] += 1
        if is_escalation(answers[1]):
            counts["403 for an escalation"] += 1
        kind = difference(request, *answers)
        if kind:
            differences += 1
            if differences <= DIFFERENCES_MAX:
                show(f"{kind} differs for {client.name}: {curl(real, client, request)}")
                show(f"  here    {answers[0].code} {shown(*answers)}")
                show(f"  there   {answers[1].code} {shown(*reversed(answers))}")
        if any(changes_roles(request, answer) for answer in answers):
            counts["changes of roles and bindings"] += 1
            aggregation.update()
            settling.settle()
    return counts, differences


def show(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the output of a command


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=10_000, help="requests to compare (default: 10,000)")
    parser.add_argument("--users", type=int, default=50, help="users who send them (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="repeats a run (default: 1)")
    kubernetes.add_options(parser, PORT)
    arguments = parser.parse_args()
    random = Random(arguments.seed)
    clients = world.clients(arguments.users, random)
    with both(arguments.builds, arguments.port, clients) as servers:
        prepare(servers, clients, random)
        begun = time.monotonic()
        counts, differences = compare(servers, Generator(random, clients), arguments.requests)
    seconds = time.monotonic() - begun
    show(f"seed {arguments.seed}: {arguments.requests} requests of {len(clients)} users in {seconds:.0f} s")
    show(", ".join(f"{number} x {code}" for code, number in sorted(counts.items())))
    show(f"{differences} differences")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
