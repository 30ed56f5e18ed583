"""The command `fakeapi top`: shows the load and contents of a running server in a terminal.

Exit status: 0 when the user quits, 1 if the server does not answer.
"""

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from fakeapi.cli.control_options import control_client
from fakeapi.cli.numbers import Number

if TYPE_CHECKING:
    from fakeapi.clients.control import ControlClient


@click.command(context_settings={"show_default": True})
@click.option("--once", is_flag=True, help="Print the figures of one interval and exit.")
@click.option("--interval", type=Number(0.1, 3600), default=1.0, help="Seconds between updates.")
@control_client
def top(*, client: "ControlClient", once: bool, interval: float) -> None:
    """Show live figures of a server: requests, latency, watches, objects, faults, memory.

    Press q or Ctrl-C to quit. Without a terminal on standard output, it prints one frame, as with --once. It
    does not count its own requests.
    """
    if once or not sys.stdout.isatty():
        before = client.get("/figures")
        began = time.monotonic()
        time.sleep(interval)
        figures = client.get("/figures", after=before["last"])
        click.echo(as_text(figures, time.monotonic() - began), nl=False)
    else:
        _show(client, interval)


def as_text(figures: dict[str, Any], seconds: float) -> str:
    """Renders one frame of `fakeapi top` as plain text.

    - `figures`: the response of the control API to `/figures`.
    - `seconds`: the length of the interval in which the requests in `figures` were counted; 0 for the first
      frame, without rates.
    """
    from rich.console import Console  # noqa: PLC0415 - takes 60 ms, loaded only when used

    from fakeapi.cli.top_frame import frame_of  # noqa: PLC0415 - takes 60 ms, loaded only when used

    console = Console(width=100, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(frame_of(figures, seconds))
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _show(client: "ControlClient", interval: float) -> None:
    """Draws a frame on the terminal every `interval` seconds, until the user presses q or Ctrl-C.

    Restores the terminal at the end.
    """
    from rich.console import Console  # noqa: PLC0415 - takes 60 ms, loaded only when used
    from rich.live import Live  # noqa: PLC0415 - takes 60 ms, loaded only when used

    from fakeapi.cli.keyboard import listening  # noqa: PLC0415 - takes 60 ms, loaded only when used
    from fakeapi.cli.top_frame import frame_of  # noqa: PLC0415 - takes 60 ms, loaded only when used

    over = threading.Event()

    def on_key(pressed: bytes) -> None:
        if pressed in {b"q", b"Q", b"\x03", b"\x04"}:
            over.set()

    figures, seen = client.get("/figures"), time.monotonic()
    with listening(on_key), Live(console=Console(), screen=True, auto_refresh=False) as live:
        live.update(frame_of({**figures, "requests": []}, 0.0), refresh=True)
        try:
            while not over.wait(interval):
                figures = client.get("/figures", after=figures["last"])
                now = time.monotonic()
                live.update(frame_of(figures, now - seen), refresh=True)
                seen = now
        except KeyboardInterrupt:
            pass
