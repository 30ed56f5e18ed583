"""The version of the fakeapi package. pyproject.toml reads the version from this module."""

__version__ = "0.2.0.dev0"
