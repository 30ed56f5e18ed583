"""Series: counts the requests with equal labels, in buckets of durations and sizes."""

from typing import NamedTuple

SECONDS = (
    *(0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5),
    *(2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0),
)
"""Upper bounds of the buckets of request durations, in seconds."""
BYTES = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
"""Upper bounds of the buckets of response sizes, in bytes."""


class Labels(NamedTuple):
    """The labels of requests that one series counts, without `code`."""

    component: str
    dry_run: str
    group: str
    resource: str
    scope: str
    subresource: str
    verb: str
    version: str


class Series:
    """The counts of all requests with the same labels and the same status code.

    - `durations` and `sizes`: the number of requests in each bucket; the last bucket has no upper bound.
    - `seconds` and `total_size`: the sums of all durations and sizes.
    """

    __slots__ = ("code", "durations", "labels", "seconds", "sizes", "total_size")

    def __init__(self, labels: Labels, code: int) -> None:
        self.labels = labels
        self.code = code
        self.durations = [0] * (len(SECONDS) + 1)
        self.seconds = 0.0
        self.sizes = [0] * (len(BYTES) + 1)
        self.total_size = 0
