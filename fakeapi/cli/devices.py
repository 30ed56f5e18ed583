"""The command `fakeapi devices`: prints presets of simulated drivers, and makes drivers from
ResourceSlices.
"""

import sys
from pathlib import Path

import click

from fakeapi.cli.file_type import FILE
from fakeapi.machinery.printable import printable_line


@click.group()
def devices() -> None:
    """Print presets of simulated drivers, and make one from a cluster's ResourceSlices."""


@devices.command("list")
def list_presets() -> None:
    """List the presets, each with a short description."""
    from fakeapi.devices import presets  # noqa: PLC0415 - keeps --help fast

    width = max(map(len, presets.names()))
    for name in presets.names():
        click.echo(f"{name:{width}}  {presets.summary_of(name)}")


@devices.command()
@click.argument("preset")
def show(preset: str) -> None:
    """Print a preset as a YAML file, which you can change and give to `fakeapi serve --driver`."""
    from fakeapi.devices import presets  # noqa: PLC0415 - keeps --help fast
    from fakeapi.devices.model import DeviceError  # noqa: PLC0415 - keeps --help fast

    try:
        click.echo(presets.text_of(preset), nl=False)
    except DeviceError as error:
        raise click.ClickException(printable_line(error)) from error


@devices.command("from-slices")
@click.argument("file", type=FILE)
def from_slices(file: Path) -> None:
    """Print the drivers of the ResourceSlices in FILE as YAML for `fakeapi serve --driver`.

    FILE is the output of `kubectl get resourceslices -o yaml`, or of `fakeapi export`.
    """
    import yaml  # noqa: PLC0415 - keeps --help fast

    from fakeapi.devices.from_slices import descriptions_of_slices  # noqa: PLC0415 - keeps --help fast
    from fakeapi.devices.model import DeviceError  # noqa: PLC0415 - keeps --help fast
    from fakeapi.devices.reading import documents_of_file  # noqa: PLC0415 - keeps --help fast

    try:
        descriptions = descriptions_of_slices(documents_of_file(file))
    except DeviceError as error:
        raise click.ClickException(printable_line(error)) from error
    yaml.safe_dump({"drivers": descriptions}, sys.stdout, sort_keys=False)
