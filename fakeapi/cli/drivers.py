"""The command `fakeapi drivers`: lists and changes the simulated DRA drivers of a running server."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from fakeapi.cli.control_options import control_client
from fakeapi.cli.numbers import Number, WholeNumber
from fakeapi.machinery.printable import counted, printable_line

if TYPE_CHECKING:
    from fakeapi.clients.control import ControlClient


@click.group()
def drivers() -> None:
    """List, add and change the simulated DRA drivers of a running server."""


@drivers.command("list")
@control_client
def list_drivers(client: "ControlClient") -> None:
    """List the drivers with their nodes, devices and prepared claims."""
    listed = client.get("/drivers")["drivers"]
    if not listed:
        click.echo("The server has no simulated drivers.")
    for driver in listed:
        _print(driver)


@drivers.command()
@control_client
@click.argument("name")
@click.option("--node", default="", help="Show only this node.")
def show(client: "ControlClient", *, name: str, node: str) -> None:
    """Show the devices, prepared claims and last calls of a driver."""
    driver = client.get(_path(name), node=node or None)
    for on_node in driver["nodes"]:
        click.echo(f"{on_node['name']}: {'running' if on_node['running'] else 'stopped'}")
        for device in on_node["devices"]:
            click.echo(f"  {printable_line(_device_text(device))}")
    for call in driver["calls"][-20:]:
        outcome = call["error"] or "ok"
        click.echo(
            printable_line(f"{call['call']} on {call['node']}: {', '.join(call['claims'])}: {outcome}")
        )


def _device_text(device: dict[str, Any]) -> str:
    taints = [f"{taint['key']}:{taint['effect']}" for taint in device["published"].get("taints") or ()]
    parts = [
        device["name"],
        device["health"],
        "removed" if device["removed"] else "",
        *taints,
        *(f"prepared for {claim}" for claim in device["claims"]),
    ]
    return " ".join(part for part in parts if part)


@drivers.command()
@control_client
@click.argument("driver")
@click.option("--node", "nodes", multiple=True, help="Run the driver on this node; repeat for more.")
def add(client: "ControlClient", *, driver: str, nodes: tuple[str, ...]) -> None:
    """Add a driver: NAME=COUNT, PRESET, PRESET=COUNT, or a YAML file.

    NAME without a COUNT has one device on each node.
    """
    from fakeapi.devices.model import DeviceError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.devices.reading import descriptions_of  # noqa: PLC0415 - keeps --help fast

    try:
        descriptions = descriptions_of(driver)
    except DeviceError as error:
        raise click.ClickException(printable_line(error)) from error
    for description in descriptions:
        chosen = {**description, **({"nodes": list(nodes)} if nodes else {})}
        for added in client.post("/drivers", chosen)["drivers"]:
            _print(added)


@drivers.command()
@control_client
@click.argument("name")
def remove(client: "ControlClient", *, name: str) -> None:
    """Stop a driver on all nodes, and remove it."""
    client.delete(_path(name))


def _behaviour(call: str, text: str) -> None:
    @drivers.command(call)
    @control_client
    @click.argument("name")
    @click.option("--delay", type=Number(0), default=0.0, help="Answer after this many seconds.")
    @click.option("--error", default="", help="Answer with this error.")
    @click.option("--hangs", is_flag=True, help="Never answer; the kubelet gives up after 45 seconds.")
    @click.option("--wrong-claim", is_flag=True, help="Answer for another claim.")
    @click.option("--times", type=WholeNumber(1), help="Behave like this for this many calls only.")
    @click.option("--node", default="", help="Behave like this only on this node.")
    def behave(client: "ControlClient", *, name: str, wrong_claim: bool, **members: Any) -> None:
        behaviour = {key: value for key, value in {**members, "wrongClaim": wrong_claim}.items() if value}
        _print(client.post(f"{_path(name)}/{call}", behaviour))

    behave.help = f"Set how a driver {text}; without options, it works again."
    behave.short_help = f"Set how a driver {text}."


for _call, _does in {
    "prepare": "answers calls to prepare claims",
    "unprepare": "answers calls to unprepare claims",
    "bind": "reports binding conditions",
}.items():
    _behaviour(_call, _does)


@drivers.command()
@control_client
@click.argument("name")
@click.argument("device_name", metavar="DEVICE")
@click.option("--node", default="", help="The node of the device, if several nodes have one of this name.")
@click.option("--unhealthy", is_flag=True, help="Report the device as Unhealthy.")
@click.option("--healthy", is_flag=True, help="Report the device as Healthy.")
@click.option("--message", default="", help="The message to report with the health.")
@click.option("--taint", metavar="KEY[=VALUE]:EFFECT", help="Add a taint.")
@click.option("--untaint", metavar="KEY", default="", help="Remove the taints with this key; * for all.")
@click.option(
    "--remove/--restore", "removed", default=None, help="Remove the device from its slice, or add it."
)
def device(
    client: "ControlClient",
    *,
    name: str,
    device_name: str,
    node: str,
    unhealthy: bool,
    healthy: bool,
    message: str,
    taint: str | None,
    untaint: str,
    removed: bool | None,
) -> None:
    """Change the health or the taints of a device, or remove it."""
    change: dict[str, Any] = {"node": node, "message": message, "untaint": untaint}
    if unhealthy or healthy:
        change["health"] = "Unhealthy" if unhealthy else "Healthy"
    if taint is not None:
        key, separator, effect = taint.rpartition(":")
        if not separator:
            raise click.UsageError("--taint: KEY[=VALUE]:EFFECT is expected, such as broken:NoSchedule.")
        key, _, value = key.partition("=")
        change["taint"] = {"key": key, "value": value, "effect": effect}
    if removed is not None:
        change["removed"] = removed
    answer = client.post(f"{_path(name)}/devices/{quote(device_name, safe='')}", change)
    for on_node in answer["nodes"]:
        for listed in on_node["devices"]:
            if listed["name"] == device_name:
                click.echo(printable_line(_device_text(listed)))


def _action(name: str, text: str) -> None:
    @drivers.command(name, help=text)
    @control_client
    @click.argument("driver")
    @click.option("--node", default="", help="Only on this node.")
    def act(client: "ControlClient", *, driver: str, node: str) -> None:
        _print(client.post(f"{_path(driver)}/{name}", {"node": node}))


for _name, _text in {
    "stop": "Stop a driver on a node, or on all nodes.",
    "start": "Start a stopped driver.",
    "restart": "Restart a driver; its running calls fail.",
}.items():
    _action(_name, _text)


def _path(name: str) -> str:
    return f"/drivers/{quote(name, safe='')}"


def _print(driver: dict[str, Any]) -> None:
    nodes = f"{driver['runningNodes']} of {counted(driver['nodes'], 'node')}"
    claims = counted(driver["preparedClaims"], "prepared claim")
    text = f"{driver['name']}: {nodes}, {counted(driver['devices'], 'device')}, {claims}"
    for call in ("prepare", "unprepare", "bind"):
        if driver[call]:
            members = ", ".join(f"{name} {value}" for name, value in driver[call].items())
            text += f"; {call}: {members}"
    click.echo(printable_line(text))
