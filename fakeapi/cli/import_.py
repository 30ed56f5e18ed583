"""The command `fakeapi import`: creates the objects of manifests or of a cluster in a running server.

Exit status: 0 if the server accepted all objects, 1 if it refused an object or nothing could be read, 2 for
invalid options. The exit status can be 0 even if the user may not read some resources of the cluster.
"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import server_target
from fakeapi.cli.server_choice import named
from fakeapi.cli.transfer_options import read_limit, reported, selection_of, selection_options, summary
from fakeapi.machinery.printable import printable_line

if TYPE_CHECKING:
    from fakeapi.clients.remote import ReadOnlyClient
    from fakeapi.clients.target import Target
    from fakeapi.installing.plan import Plan
    from fakeapi.transfer.importing import Imported
    from fakeapi.transfer.reading import State
    from fakeapi.transfer.selection import Selection


@click.command("import", context_settings={"show_default": True})
@click.argument("sources", nargs=-1, metavar="[FILE|DIRECTORY]...", type=click.Path(path_type=Path))
@click.option(
    "--from-cluster",
    "cluster",
    metavar="KUBECONFIG|URL",
    help="Read the objects of this cluster: a kubeconfig, or the URL of `kubectl proxy`. Only GET requests "
    "are sent.",
)
@click.option(
    "--context", metavar="NAME", help="Context of the cluster's kubeconfig.  [default: its current context]"
)
@selection_options
@read_limit
@click.option("--status", is_flag=True, help="Also import the status of objects.")
@click.option("--dry-run", is_flag=True, help="Read and check the objects, and print what would be imported.")
@server_target
def import_(
    *,
    target: "Target",
    sources: tuple[Path, ...],
    cluster: str | None,
    context: str | None,
    limit: int,
    status: bool,
    dry_run: bool,
    **chosen: Any,
) -> None:
    """Put manifests, or the objects of a cluster, into a running fakeapi server.

    The import creates namespaces and definitions first, and owners before the objects that they own. Owner
    references get the new uids. Objects are applied (server-side apply), so you can repeat an import.
    Manifests are checked before anything is created. With --from-cluster, Secrets are imported without their
    data, and other credentials are removed. The import reports and leaves out resources that you may not read
    in the cluster, and objects that the server refuses.
    """
    if bool(sources) == bool(cluster):
        raise click.UsageError("Name manifests, or a cluster with --from-cluster.")
    if not cluster:
        _refuse_cluster_options(context, chosen)
    selection = selection_of(chosen, **_of_a_cluster())
    with reported(target):
        plan, problems = asyncio.run(_plan(target, sources, cluster, context, selection, limit))
        result = asyncio.run(
            _import(target, plan, lenient=cluster is not None, status=status, dry_run=dry_run)
        )
    problems += result.problems
    for problem in problems:
        click.echo(f"Left out: {printable_line(problem)}", err=True)
    words = "would import" if dry_run else "imported"
    statuses = f"; {result.statuses} statuses" if status and not dry_run else ""
    click.echo(f"{words} {summary(result.objects.elements())}{statuses}")
    if result.problems or (problems and not result.objects):
        raise click.exceptions.Exit(1)


def _of_a_cluster() -> dict[str, Any]:
    from fakeapi.transfer.selection import OF_A_CLUSTER  # noqa: PLC0415 - keeps --help fast

    return {"left_out": OF_A_CLUSTER}


def _refuse_cluster_options(context: str | None, chosen: dict[str, Any]) -> None:
    if context is not None or any(chosen.values()):
        raise click.UsageError("--context, --namespace, --resource and --selector need --from-cluster.")


async def _plan(
    target: "Target",
    sources: tuple[Path, ...],
    cluster: str | None,
    context: str | None,
    selection: "Selection",
    limit: int,
) -> "tuple[Plan, list[str]]":
    """Reads the manifests or the cluster. Returns the plan of the import, and one line for each read error.

    - `sources`: the files and directories, if `cluster` is None.
    - `cluster`: a kubeconfig or URL of the cluster to read.
    - `context`: the context of the kubeconfig; None for its current context.
    - `selection` and `limit`: the choice of objects to read from the cluster, and their maximum number.
    """
    from fakeapi.cli.progress import Activity  # noqa: PLC0415 - keeps --help fast
    from fakeapi.clients.remote import ReadOnlyClient  # noqa: PLC0415 - keeps --help fast
    from fakeapi.installing.plan import plan_of  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.cluster import read_cluster  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.importing import AGENT  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.manifests import plain_manifests  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.served import discover  # noqa: PLC0415 - keeps --help fast

    if cluster is None:
        return plan_of(sources), []
    api = ReadOnlyClient(target, AGENT)
    source = ReadOnlyClient(_cluster_target(cluster, context), AGENT)
    try:
        await _check_fakeapi(api, target)
        served, _ = await discover(api)
        with Activity("reading", "resources") as activity:
            state: State = await read_cluster(
                source, selection, target=served, limit=limit, progress=activity
            )
    finally:
        await source.close()
        await api.close()
    manifests = [manifest for _, manifest in plain_manifests(state.objects, status=True)]
    return plan_of([manifests]), state.problems


def _cluster_target(cluster: str, context: str | None) -> "Target":
    """Returns the Target for the option --from-cluster, a kubeconfig or a URL.

    Raises TargetError if the URL or the kubeconfig is invalid, or if a file cannot be read. Raises UsageError
    for a URL with a `context`.
    """
    from fakeapi.clients.kubeconfig_reader import target_of_kubeconfig  # noqa: PLC0415 - keeps --help fast
    from fakeapi.clients.target import target_of_url  # noqa: PLC0415 - keeps --help fast

    if not cluster.startswith(("http://", "https://")):
        return target_of_kubeconfig(Path(cluster).expanduser(), context)
    if context is not None:
        raise click.UsageError("--context needs a kubeconfig.")
    return target_of_url(cluster)


async def _check_fakeapi(api: "ReadOnlyClient", target: "Target") -> None:
    """Raises ClickException if the server is not fakeapi, so that an import never changes a real cluster."""
    from fakeapi.transfer.exporting import is_fakeapi  # noqa: PLC0415 - keeps --help fast

    if not await is_fakeapi(api):
        words = "is not a fakeapi server with a control API; import writes only to such servers"
        raise click.ClickException(f"{named(target)} {words}; name one with --server")


async def _import(
    target: "Target", plan: "Plan", *, lenient: bool, status: bool, dry_run: bool
) -> "Imported":
    from fakeapi.cli.progress import Activity  # noqa: PLC0415 - keeps --help fast
    from fakeapi.clients.remote import RemoteClient  # noqa: PLC0415 - keeps --help fast
    from fakeapi.transfer.importing import AGENT, Importer  # noqa: PLC0415 - keeps --help fast

    api = RemoteClient(target, AGENT)
    try:
        await _check_fakeapi(api, target)
        with Activity("importing", "steps") as activity:
            importer = Importer(api, lenient=lenient, progress=activity)
            return await (importer.dry_run(plan) if dry_run else importer.run(plan, status=status))
    finally:
        await api.close()
