"""Writes the small files with which Linux describes hardware."""

from pathlib import Path


def write(path: Path, text: str) -> None:
    """Writes a line into a file, and creates the directories above the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="ascii")
