"""Renders a frame of `fakeapi top`: tables with the load and the contents of a server."""

from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fakeapi.cli.top_waiting import attention_text, waiting_table
from fakeapi.releases.serving import default_description

KINDS_SHOWN = 15
"""Maximum number of resources in the table of objects. The resources with the most objects are shown.

The last row has the sum of all further resources.
"""

AGENTS_SHOWN = DRIVERS_SHOWN = WAITING_SHOWN = 8
"""Maximum number of rows in the tables of user agents, drivers, and groups of waiting objects."""

FAULTS_SHOWN = 10
"""Maximum number of faults in the table of faults."""


def frame_of(figures: dict[str, Any], seconds: float) -> RenderableType:
    """Renders a frame of `fakeapi top` for the library rich.

    - `figures`: the response of the control API to `/figures`.
    - `seconds`: the length of the interval in which the requests in `figures` were counted; 0 for the first
      frame, without rates.
    """
    load = [_requests(figures, seconds), _agents(figures, seconds)]
    contents = []
    if figures.get("claims"):
        load.append(_claims(figures["claims"]))
    if figures.get("drivers"):
        contents.append(_drivers(figures["drivers"]))
    contents.append(_kinds(figures["kinds"]))
    if figures["faults"]:
        contents.append(_faults(figures["faults"]))
    parts: list[RenderableType] = [_head(figures), _line(figures, seconds)]
    for tables in (load, contents):
        parts += [Text(), Columns(tables, padding=(0, 4))]
    if figures.get("waiting"):
        parts += [
            Text(),
            Text(attention_text(figures["attention"]), style="yellow"),
            waiting_table(figures, WAITING_SHOWN),
        ]
    return Group(*parts)


def _head(figures: dict[str, Any]) -> Text:
    release = f"Kubernetes {figures['release'] or default_description()}"
    now = datetime.fromtimestamp(figures["now"], UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    memory = f"  memory {figures['memoryBytes'] / 1e6:.0f} MB" if figures["memoryBytes"] else ""
    version = f"resourceVersion {figures['resourceVersion']}"
    return Text(f"fakeapi {figures['version']}  {now}  {version}{memory}\n{release}", style="bold")


def _line(figures: dict[str, Any], seconds: float) -> Text:
    counted = sum(count["requests"] for count in figures["requests"])
    rate = (counted + figures["uncounted"]) / seconds if seconds else 0.0
    latency = figures["latency"]
    parts = [f"{rate:.1f} requests/s"]
    if latency["requests"]:
        parts.append(f"p50 {latency['p50'] * 1000:.1f} ms  p99 {latency['p99'] * 1000:.1f} ms")
    behind = f", the slowest {figures['behind']} behind" if figures["behind"] else ""
    parts.append(f"{figures['watches']} open watches{behind}")
    if figures["uncounted"] and seconds:
        parts.append(f"(the table shows the last {counted})")
    return Text("  ".join(parts))


def _requests(figures: dict[str, Any], seconds: float) -> Table:
    """Renders a table of requests per second, with a row for each verb and a column for each code."""
    table = Table("VERB", box=None, pad_edge=False)
    codes = sorted({count["code"] for count in figures["requests"]})
    for code in codes:
        style = "red" if code >= 500 or not code else "yellow" if code >= 400 else ""
        table.add_column(str(code) if code else "no answer", justify="right", style=style)
    rows: dict[str, dict[int, int]] = defaultdict(dict)
    for count in figures["requests"]:
        rows[count["verb"]][count["code"]] = count["requests"]
    for verb, counts in rows.items():
        table.add_row(verb, *(_rate(counts.get(code, 0), seconds) for code in codes))
    if not rows:
        table.add_row("no requests")
    return table


def _rate(count: int, seconds: float) -> str:
    return f"{count / seconds:.1f}/s" if count and seconds else ""


def _kinds(kinds: list[dict[str, Any]]) -> Table:
    table = Table("OBJECTS", box=None, pad_edge=False)
    table.add_column("", justify="right")
    most = sorted(kinds, key=lambda each: (-each["objects"], each["resource"]))
    for kind in most[:KINDS_SHOWN]:
        name = f"{kind['resource']}.{kind['group']}" if kind["group"] else kind["resource"]
        table.add_row(Text(name), str(kind["objects"]))
    if others := most[KINDS_SHOWN:]:
        table.add_row(f"{len(others)} other kinds", str(sum(kind["objects"] for kind in others)))
    return table


def _agents(figures: dict[str, Any], seconds: float) -> Table:
    """Renders a table of the requests per second of each client, with the rate of failed requests."""
    table = Table("USER AGENT", box=None, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("FAILED", justify="right", style="yellow")
    for each in figures.get("agents", [])[:AGENTS_SHOWN]:
        table.add_row(Text(each["agent"]), _rate(each["requests"], seconds), _rate(each["failed"], seconds))
    return table


def _claims(states: dict[str, int]) -> Table:
    table = Table("CLAIMS", box=None, pad_edge=False)
    table.add_column("", justify="right")
    for state in ("pending", "allocated", "reserved", "prepared", "deleting"):
        if count := states.get(state):
            text = "being deleted" if state == "deleting" else state
            table.add_row(Text(text, style="yellow" if state == "pending" else ""), str(count))
    return table


def _drivers(drivers: list[dict[str, Any]]) -> Table:
    """Renders a table of the drivers, with the numbers of used, free, tainted and unhealthy devices.

    A second column of free devices counts those on nodes that take no pods, if there are any.
    """
    table = Table("DRIVER", box=None, pad_edge=False)
    columns = [("USED", ""), ("FREE", ""), ("TAINTED", "yellow"), ("UNHEALTHY", "red")]
    has_unschedulable = any(each["freeUnschedulable"] for each in drivers)
    if has_unschedulable:
        columns.insert(2, ("NODE TAKES NO PODS", "yellow"))
    for name, style in columns:
        table.add_column(name, justify="right", style=style)
    for each in drivers[:DRIVERS_SHOWN]:
        names = ("freeUnschedulable", "tainted", "unhealthy")[not has_unschedulable :]
        marked = (str(each[name] or "") for name in names)
        table.add_row(Text(each["driver"]), str(each["inUse"]), str(each["free"]), *marked)
    if len(drivers) > DRIVERS_SHOWN:
        table.add_row(f"and {len(drivers) - DRIVERS_SHOWN} more")
    return table


def _faults(faults: list[dict[str, Any]]) -> Table:
    table = Table("FAULTS", box=None, pad_edge=False)
    table.add_column("FIRED", justify="right")
    for fault in faults[:FAULTS_SHOWN]:
        table.add_row(Text(fault["name"]), str(fault["fired"]))
    if len(faults) > FAULTS_SHOWN:
        table.add_row(f"and {len(faults) - FAULTS_SHOWN} more", "")
    return table
