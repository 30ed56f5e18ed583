"""The command `fakeapi node`: shows the nodes of a running server, with drivers, claims and CDI devices."""

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from fakeapi.cli.control_options import control_client
from fakeapi.machinery.printable import counted, printable_line

if TYPE_CHECKING:
    from fakeapi.clients.control import ControlClient


@click.command()
@control_client
@click.argument("name", required=False)
@click.option("--stop", "action", flag_value="stop", help="Stop the kubelet of the node.")
@click.option("--start", "action", flag_value="start", help="Start the kubelet of the node again.")
@click.option("--json", "as_json", is_flag=True, help="Print the response of the control API as JSON.")
def node(client: "ControlClient", *, name: str | None, action: str | None, as_json: bool) -> None:
    """List the nodes with a kubelet, or show one: its drivers, prepared claims, pods and CDI devices."""
    if action is not None:
        if name is None:
            raise click.UsageError(f"Name the node to {action}.")
        client.post(f"/nodes/{quote(name, safe='')}/{action}")
    answer = client.get("/nodes" if name is None else f"/nodes/{quote(name, safe='')}")
    if as_json:
        click.echo(json.dumps(answer, indent=2))
    elif name is None:
        _print_nodes(answer["nodes"])
    else:
        _print_node(answer)


def _print_nodes(nodes: list[dict[str, Any]]) -> None:
    if not nodes:
        click.echo("No node has a kubelet: start the server with --controllers kubelet, or with a --driver.")
    for each in nodes:
        state = "" if each["running"] else " (stopped)"
        drivers = ", ".join(each["drivers"]) or "no drivers"
        click.echo(
            printable_line(
                f"{each['name']}{state}: {drivers}; {counted(each['pods'], 'pod')}, "
                f"{counted(each['preparedClaims'], 'prepared claim')}"
            )
        )


def _print_node(answer: dict[str, Any]) -> None:
    lines = [f"directory: {answer['directory']}"]
    lines += [f"driver {driver['name']}: {driver['source']}" for driver in answer["drivers"]]
    for claim in answer["claims"]:
        lines.append(f"claim {claim['namespace']}/{claim['name']}")
        lines += [
            f"  {device['driver']}/{device['pool']}/{device['device']}: {', '.join(device['cdiDevices'])}"
            for device in claim["devices"]
        ]
    for pod in answer["pods"]:
        lines.append(f"pod {pod['namespace']}/{pod['name']} {pod['phase']}: {', '.join(pod['cdiDevices'])}")
    for name, edits in answer["cdiDevices"].items():
        lines.append(f"CDI device {name}")
        lines += [f"  {key}={value}" for key, value in edits["env"].items()]
        lines += [f"  device node {device['path']}" for device in edits["deviceNodes"]]
        lines += [f"  mount {mount['hostPath']} at {mount['containerPath']}" for mount in edits["mounts"]]
    for line in lines:
        click.echo(printable_line(line))
