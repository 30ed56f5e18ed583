"""FILE: the click type of options and arguments that name a file. The command receives a Path."""

from pathlib import Path

import click

FILE = click.Path(dir_okay=False, path_type=Path)
