"""Writes kubeconfig files for the tests of clients."""

from pathlib import Path
from typing import Any

import yaml


def kubeconfig(directory: Path, **parts: Any) -> Path:
    """Writes a kubeconfig with the context `c` into the directory; returns the file's path.

    `parts`: the contents of the entries `cluster` and `user`.
    """
    config = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": parts.get("cluster", {"server": "http://127.0.0.1:1"})}],
        "users": [{"name": "u", "user": parts.get("user", {})}],
    }
    path = directory / "config"
    path.write_text(yaml.safe_dump(config))
    return path
