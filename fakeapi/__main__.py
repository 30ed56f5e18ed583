"""Lets `python -m fakeapi` run the command `fakeapi`."""

from fakeapi.cli.main import main

if __name__ == "__main__":
    main(prog_name="fakeapi")
