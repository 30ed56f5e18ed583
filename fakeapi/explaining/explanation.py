"""Explanation: the reasons why an object waits or has its node, as text and as JSON."""

import msgspec

from fakeapi.explaining.model import ExplanationFields
from fakeapi.explaining.text import text_of


class Explanation(ExplanationFields, rename="camel"):
    """The reasons why an object waits, or why it has its node or state."""

    @property
    def text(self) -> str:
        """The short form of the explanation, as `fakeapi explain` prints it."""
        return text_of(self)

    @property
    def json(self) -> str:
        """The explanation as JSON, in the form that docs/explain.md documents."""
        return msgspec.json.encode(self).decode()

    def __str__(self) -> str:
        return self.text
