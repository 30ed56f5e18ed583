"""The version of fakeapi; equal to the version in pyproject.toml."""

__version__ = "0.1.0"
