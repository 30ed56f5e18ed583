"""Prepares the documents for the site: mkdocs calls these functions while it builds.

The documents are written for a reader of the repository. On the site, a link to a file outside `docs/` leads
into the repository whose address is in pyproject.toml; if the address is empty, the link becomes plain text.
A link to a file outside `docs/` that does not exist causes a warning, or an error with `--strict`.
"""

import logging
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\[([^\]]*)\]\(\.\./([^)#]+)(#[^)]*)?\)")
LOG = logging.getLogger("mkdocs.hooks.fakeapi")


def repository() -> str:
    """Returns the address of the repository; "" if there is none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"])


def on_config(config: Any, **_: Any) -> None:
    """Shows the link to the repository, if any, and puts pages that the nav lacks into "More"."""
    config.repo_url = repository() or None
    more = sorted({page.name for page in (ROOT / "docs").glob("*.md")} - {*pages(config.nav)})
    if more:
        config.nav.append({"More": more})


def pages(nav: Any) -> Iterator[str]:
    """Yields the pages of a nav and of its sections."""
    if isinstance(nav, str):
        yield nav
    for entry in nav if isinstance(nav, list) else []:
        yield from pages(entry)
    for entry in nav.values() if isinstance(nav, dict) else []:
        yield from pages(entry)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Returns the text of a page with links that work on the site."""

    def replaced(link: re.Match[str]) -> str:
        name, target, anchor = link.groups()
        if not (ROOT / target).exists():
            LOG.warning("%s links to %s, which does not exist", page.file.src_path, target)
        address = repository()
        return f"[{name}]({address}/blob/main/{target}{anchor or ''})" if address else name

    return LINK.sub(replaced, markdown)
