"""Converts IntOrString values, such as `25%`, to numbers of pods.

Follows `GetScaledValueFromIntOrPercent` of k8s.io/apimachinery `pkg/util/intstr`.
"""

from math import ceil

from fakeapi.kinds.common.int_or_percent import number_of, percent_of


def scaled(value: int | str | None, total: int, *, up: bool) -> int:
    """Returns the number for an IntOrString; 0 for None.

    - `total`: the number for 100%.
    - `up`: whether fractions are rounded up.
    """
    if value is None:
        return 0
    percent = percent_of(value)
    if percent is None:
        return number_of(value)
    return ceil(percent * total / 100) if up else percent * total // 100
