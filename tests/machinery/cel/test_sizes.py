from fakeapi.machinery.cel.sizes import MOST, UNKNOWN, Size, fixed, scaled


def test_sums_and_products_end_at_the_largest_number() -> None:
    assert UNKNOWN + fixed(1) == Size(1, MOST)
    assert UNKNOWN * fixed(2) == UNKNOWN
    assert scaled(MOST, 2) == MOST


def test_a_size_that_is_either_spans_both() -> None:
    assert fixed(3) | Size(5, 7) == Size(3, 7)


def test_a_tenth_of_a_character_costs_one() -> None:
    assert [fixed(size).cost() for size in (0, 1, 10, 11)] == [0, 1, 1, 2]
