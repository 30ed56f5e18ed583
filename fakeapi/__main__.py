"""Runs the command `fakeapi` for `python -m fakeapi`."""

from fakeapi.cli.main import main

if __name__ == "__main__":
    main(prog_name="fakeapi")
