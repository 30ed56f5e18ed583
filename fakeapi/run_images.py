"""RunImages: the images whose containers run as local processes, and the files of these images."""

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

IMAGES_MAX = 1_000
"""Maximum number of images whose containers run as local processes."""


class RunImageError(ValueError):
    """Raised for an invalid name of an image, for an unusable path, and for more than IMAGES_MAX images."""


class RunImage(msgspec.Struct, frozen=True):
    """An image whose containers run as local processes.

    - `pattern`: the name of the image; `*` stands for any characters. A name without a tag matches all tags.
    - `path`: the directory with the files of the image, or its only program.
    """

    pattern: str
    path: Path

    @classmethod
    def of(cls, pattern: str, path: str | Path) -> "RunImage":
        """Checks a pattern and a path; returns the image.

        Raises RunImageError if the pattern is empty or contains spaces. Also raises RunImageError if the path
        is not a directory or an executable file.
        """
        place = Path(path).absolute()
        name = pattern.strip()
        if not name or any(character.isspace() for character in name):
            raise RunImageError(f"run: {pattern!r} is not the name of an image")
        try:
            is_usable, is_there = place.is_dir() or place.is_file(), place.exists()
        except (OSError, ValueError) as error:
            raise RunImageError(f"run: {name}: {error}") from None
        if not is_usable:
            problem = "is not a directory or a file" if is_there else "does not exist"
            raise RunImageError(f"run: {name}: {place} {problem}")
        if place.is_file() and not os.access(place, os.X_OK):
            raise RunImageError(f"run: {name}: {place} is not executable")
        return cls(name, place)

    @classmethod
    def parse(cls, text: str) -> "RunImage":
        """Parses a text of the form IMAGE=DIR.

        Raises RunImageError for any other text, for an invalid name of an image, and for an unusable path.
        """
        name, equals, path = text.partition("=")
        if not (name.strip() and equals and path.strip()):
            raise RunImageError(f"run: {text!r} is not of the form IMAGE=DIR")
        return cls.of(name, path.strip())

    def matches(self, image: str) -> bool:
        """Whether the pattern matches the name of an image.

        A pattern without a tag and digest is compared to the name without its tag and digest.
        """
        repository = _repository(image)
        if _repository(self.pattern) == self.pattern:
            return fnmatchcase(repository, self.pattern)
        return fnmatchcase(image, self.pattern)


class RunImages:
    """The images of one server, by pattern. The image that was added last takes precedence."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Parses texts of the form IMAGE=DIR. Raises RunImageError for an unusable text or path."""
        self._images: dict[str, RunImage] = {}
        for text in texts:
            self.add(RunImage.parse(text))

    def __iter__(self) -> Iterator[RunImage]:
        return iter(list(self._images.values()))

    def __bool__(self) -> bool:
        return bool(self._images)

    def add(self, image: RunImage) -> None:
        """Adds an image, or replaces the image with the same pattern.

        Raises RunImageError if there are already IMAGES_MAX other images.
        """
        self._images.pop(image.pattern, None)
        if len(self._images) >= IMAGES_MAX:
            raise RunImageError(f"run: more than {IMAGES_MAX} images")
        self._images[image.pattern] = image

    def remove(self, pattern: str) -> bool:
        """Removes an image; returns whether an image had this pattern. Running containers continue."""
        return self._images.pop(pattern, None) is not None

    def replace(self, images: Iterable[RunImage]) -> None:
        """Replaces all images. Running containers continue."""
        self._images = {image.pattern: image for image in images}

    def find(self, image: str) -> Path | None:
        """Returns the path of the files of an image; None if its containers do not run as processes."""
        matching = [each for each in self._images.values() if each.matches(image)]
        return matching[-1].path if matching else None


def _repository(image: str) -> str:
    """Returns the name of an image without its tag and digest."""
    name = image.partition("@")[0]
    head, colon, tag = name.rpartition(":")
    return head if colon and "/" not in tag else name
