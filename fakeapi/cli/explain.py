"""The command `fakeapi explain`: says why a pod or claim waits, in a fakeapi server or a real cluster.

Exit status: 0 if the object was explained, 1 if it does not exist or the server does not answer, 2 for
invalid options.
"""

import asyncio
from typing import TYPE_CHECKING

import click

from fakeapi.cli.control_options import server_target
from fakeapi.cli.server_choice import (
    FROM_KUBECONFIG_VARIABLE,
    FROM_OPTION,
    control_error_text,
    named,
    with_hint,
)
from fakeapi.machinery.printable import printable_line

if TYPE_CHECKING:
    from fakeapi.clients.target import Target
    from fakeapi.explaining.explanation import Explanation

TEXT, JSON = "text", "json"


@click.command(context_settings={"show_default": True})
@click.argument("resource", metavar="pod|claim|…", default="")
@click.argument("name", metavar="[NAMESPACE/]NAME", default="")
@click.option("--namespace", "-n", metavar="NAMESPACE", help="Namespace of a bare NAME.  [default: default]")
@click.option("--all", "everything", is_flag=True, help="Print every reason, change and node.")
@click.option(
    "--output",
    "-o",
    type=click.Choice([TEXT, JSON], case_sensitive=False),
    default=TEXT,
    help="Print text, or JSON as docs/explain.md describes it. Errors are text on standard error.",
)
@click.option(
    "--feature-gates",
    metavar="GATE=BOOL,…",
    default="",
    show_default=False,
    help="With --kubeconfig: the feature gates of the cluster that differ from the defaults of its release.",
)
@server_target
def explain(
    *,
    target: "Target",
    resource: str,
    name: str,
    namespace: str | None,
    everything: bool,
    output: str,
    feature_gates: str,
) -> None:
    """Say why a pod or claim waits, why a pod has its node, or why an object is not deleted.

    With --kubeconfig, explains an object of any cluster, by GET requests for nodes, pods, claims, slices and
    classes. Nothing is written, and no Secret is read. Without --kubeconfig, the kubeconfig in $KUBECONFIG
    can also name any cluster. A fakeapi server explains its objects itself.

    The kinds are pod, claim, template, class, slice, node, namespace, pvc and devicetaintrule. Exit status: 0
    if the object was explained, 1 if it does not exist or the server does not answer, 2 for wrong arguments.

    \b
    fakeapi explain pod team/train
    fakeapi explain claim team/gpu --all
    fakeapi explain pod team/train --kubeconfig ~/.kube/config
    """  # noqa: D301 - click needs the character
    from fakeapi.explaining.text import text_of  # noqa: PLC0415 - keeps --help fast

    plural, where, name = _object(resource, name, namespace)
    if _is_any_cluster(target, feature_gates):
        explanation = _read(target, plural, where, name, feature_gates)
    else:
        explanation = _ask(target, plural, where, name)
    if output == JSON:
        import msgspec  # noqa: PLC0415 - keeps --help fast

        click.echo(msgspec.json.format(msgspec.json.encode(explanation)).decode())
    else:
        click.echo(text_of(explanation, everything=everything), nl=False)
    if explanation.verdict == "missing":
        if target.origin != FROM_OPTION:
            click.echo(f"Asked {named(target)}; --server names another server.", err=True)
        raise click.exceptions.Exit(1)


def _is_any_cluster(target: "Target", feature_gates: str) -> bool:
    """Whether to read the objects of the server, instead of using fakeapi's control API.

    --kubeconfig always reads the objects. $KUBECONFIG reads them unless its server is fakeapi, whose control
    API knows more, such as a frozen clock. Raises UsageError for `feature_gates` without a kubeconfig.
    """
    from fakeapi.clients.control import page_of  # noqa: PLC0415 - keeps --help fast

    if click.get_current_context().params.get("kubeconfig") is not None:
        return True
    if target.origin == FROM_KUBECONFIG_VARIABLE:
        return bool(feature_gates) or not page_of(target)
    if feature_gates:
        raise click.UsageError("--feature-gates needs --kubeconfig.")
    return False


def _object(kind: str, name: str, namespace: str | None) -> tuple[str, str, str]:
    """Returns the plural, the namespace and the name of the object that the arguments name.

    Takes KIND NAME and, as kubectl does, KIND/NAME. Raises UsageError for invalid arguments.
    """
    from fakeapi.explaining.explain import KIND_WORDS, place_of, resource_of  # noqa: PLC0415 - keeps --help fast

    if not kind:
        raise click.UsageError(f"name a kind and an object; the kinds are {KIND_WORDS}")
    first, slash, rest = kind.partition("/")
    if slash and not name:
        kind, name = first, rest
    try:
        plural = resource_of(kind)
    except ValueError as error:
        problem = str(error) if name else f"name a kind before {kind!r}; the kinds are {KIND_WORDS}"
        raise click.UsageError(printable_line(problem)) from None
    if not name and not slash:
        raise click.UsageError(
            f"name an object: fakeapi explain {kind} [NAMESPACE/]NAME; the kinds are {KIND_WORDS}"
        )
    if namespace == "":
        raise click.UsageError("--namespace must not be empty.")
    try:
        where, own = place_of(plural, name, namespace or "")
    except ValueError as error:
        raise click.UsageError(printable_line(error)) from None
    if namespace is not None and not where:
        raise click.UsageError(f"--namespace: a {kind} has no namespace.")
    return plural, where, own


def _ask(target: "Target", plural: str, namespace: str, name: str) -> "Explanation":
    """Requests the explanation from the control API of a fakeapi server."""
    from urllib.parse import quote  # noqa: PLC0415 - keeps --help fast

    import msgspec  # noqa: PLC0415 - keeps --help fast

    from fakeapi.clients.control import ControlClient, ControlError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.explaining.cluster_objects import NAMESPACED  # noqa: PLC0415 - keeps --help fast
    from fakeapi.explaining.explanation import Explanation  # noqa: PLC0415 - keeps --help fast

    parts = (namespace, name) if plural in NAMESPACED else (name,)
    try:
        with ControlClient.of_target(target) as client:
            body = client.get(f"/explain/{plural}/{'/'.join(quote(part, safe='') for part in parts)}")
    except ControlError as error:
        raise click.ClickException(control_error_text(error, target)) from error
    return msgspec.convert(body, Explanation)


def _read(target: "Target", plural: str, namespace: str, name: str, gates: str) -> "Explanation":
    """Reads the objects of any cluster with GET requests, and explains one object."""
    from fakeapi.clients.errors import StatusError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.clients.target import TargetError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.explaining.remote_cluster import explain_remote  # noqa: PLC0415 - keeps --help fast
    from fakeapi.releases.gates import GateError, UnknownGateError  # noqa: PLC0415 - keeps --help fast

    try:
        return asyncio.run(explain_remote(target, plural, namespace, name, gates))
    except (GateError, UnknownGateError) as error:
        raise click.UsageError(printable_line(error)) from error
    except (StatusError, TargetError) as error:
        raise click.ClickException(with_hint(error, target)) from error
