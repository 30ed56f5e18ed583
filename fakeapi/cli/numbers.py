"""WholeNumber and Number: the click types of numbers within a range, with plain error messages."""

import click


class WholeNumber(click.IntRange):
    """An integer within a range. The message for other text says "not a valid integer"."""

    name = "integer"


class Number(click.FloatRange):
    """A number within a range. The message for other text says "not a valid number"."""

    name = "number"
