"""Adds the README and the addresses to the metadata of the distribution, when hatchling builds it.

PyPI shows the README without the files around it. So relative links become links into the repository whose
address is in pyproject.toml (`[tool.hatch.metadata.hooks.custom]`). If the address is empty, links become
plain text, pictures are left out, and the metadata has no addresses.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")
BRANCH = "main"


class MetadataHook(MetadataHookInterface):
    """Sets the fields `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds the fields to the metadata."""
        repository = self.config.get("repository", "")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute_links(text, repository)}
        metadata["urls"] = urls(repository)


def absolute_links(text: str, repository: str) -> str:
    """Returns a Markdown text whose relative links point into a repository.

    If `repository` is empty, replaces these links by their texts, and removes relative images.
    """

    def replaced(link: re.Match[str]) -> str:
        picture, name, target = link.groups()
        if not repository:
            return "" if picture else name
        folder = "raw" if picture else "blob"
        return f"{picture}[{name}]({repository}/{folder}/{BRANCH}/{target})"

    return LINK.sub(replaced, text)


def urls(repository: str) -> dict[str, str]:
    """Returns the addresses of a project in a repository; none if the address of the repository is empty."""
    if not repository:
        return {}
    return {
        "Documentation": f"{repository}/blob/{BRANCH}/docs/README.md",
        "Changes": f"{repository}/blob/{BRANCH}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
        "Source": repository,
    }
