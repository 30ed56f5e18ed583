"""Finds the shortest story with the same difference."""

from collections.abc import Callable

from tests.differential.exchanges.stories import Story

ATTEMPTS_MAX = 40
"""Maximum number of shorter stories to try for one difference.

At the limit, `shrunk` returns its shortest story.
"""


def shrunk(story: Story, differs: Callable[[Story], bool]) -> Story:
    """Removes requests from a story, one at a time, as long as the difference remains.

    Returns the shorter story. `differs`: sends a story to both servers without the objects of earlier
    attempts; returns whether they differ.
    """
    attempts, index = 0, len(story) - 1
    while index >= 0 and attempts < ATTEMPTS_MAX:
        shorter = story[:index] + story[index + 1 :]
        attempts += 1
        if shorter and differs(shorter):
            story = shorter
        index -= 1
    return story
