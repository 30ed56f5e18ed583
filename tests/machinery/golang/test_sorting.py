import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.golang.sorting import slice_stable

UNKNOWN = -1


def is_less(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether `one` sorts before `other` by the second elements; True if either element is UNKNOWN.

    Kubernetes compares like this when it sorts a list by the order of another list.
    """
    return True if UNKNOWN in (one[1], other[1]) else one[1] < other[1]


SORTED_BY_GO: list[tuple[list[int], list[int]]] = [
    (
        [
            15,
            4,
            11,
            16,
            -1,
            15,
            29,
            7,
            10,
            21,
            -1,
            5,
            3,
            15,
            -1,
            17,
            15,
            15,
            29,
            -1,
            8,
            23,
            0,
            1,
            9,
            15,
            0,
            15,
            30,
            11,
        ],
        [
            22,
            26,
            23,
            20,
            19,
            14,
            12,
            10,
            4,
            1,
            11,
            7,
            24,
            8,
            2,
            29,
            0,
            5,
            13,
            16,
            17,
            25,
            27,
            3,
            15,
            9,
            21,
            6,
            18,
            28,
        ],
    ),
    (
        [4, 19, 7, 12, 7, -1, -1, 24, 0, 11, 2, 8, 10, -1, 7, 11, 16, -1, -1, 6, -1, -1, -1, 7],
        [23, 22, 21, 20, 18, 17, 13, 8, 10, 6, 5, 0, 19, 2, 4, 14, 11, 12, 9, 15, 3, 16, 1, 7],
    ),
    (
        [-1, 15, -1, 20, -1, 11, 8, -1, -1, -1, 2, 3, 22, 4, 8, 24, -1, 11, -1, 10, 0, 18, 17, 7, 19, -1],
        [25, 20, 18, 16, 10, 11, 13, 23, 9, 8, 7, 6, 14, 19, 5, 17, 22, 21, 24, 4, 2, 1, 3, 12, 15, 0],
    ),
    (
        [
            38,
            22,
            35,
            15,
            42,
            24,
            27,
            24,
            31,
            20,
            -1,
            7,
            3,
            21,
            28,
            -1,
            14,
            -1,
            -1,
            42,
            -1,
            -1,
            9,
            19,
            4,
            28,
            -1,
            21,
            1,
            40,
            30,
            30,
            -1,
            30,
            37,
            -1,
            42,
            26,
            17,
            26,
            -1,
            4,
            -1,
            28,
        ],
        [
            42,
            41,
            35,
            32,
            28,
            26,
            24,
            18,
            17,
            15,
            12,
            11,
            22,
            16,
            10,
            3,
            38,
            23,
            9,
            13,
            27,
            1,
            5,
            7,
            37,
            39,
            6,
            43,
            40,
            14,
            25,
            30,
            31,
            33,
            8,
            2,
            34,
            0,
            29,
            4,
            19,
            36,
            21,
            20,
        ],
    ),
]
"""Pairs: a list of values, and the order of their indexes after Go's sort.SliceStable."""


@pytest.mark.parametrize(("values", "places"), SORTED_BY_GO)
def test_an_order_that_is_none_comes_out_as_from_go(values: list[int], places: list[int]) -> None:
    assert [place for place, _ in slice_stable(list(enumerate(values)), is_less)] == places


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=200))
def test_a_proper_order_comes_out_as_pythons_own_sort_has_it(values: list[int]) -> None:
    items = list(enumerate(values))
    assert slice_stable(items, is_less) == sorted(items, key=lambda item: item[1])
