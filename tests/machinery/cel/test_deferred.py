from fakeapi.machinery.cel.deferred import Deferral, current
from fakeapi.machinery.cel.limits import EVENT_LOOP_CHARACTERS_MAX


def length(text: str) -> int:
    return len(text)


HALF = "a" * (EVENT_LOOP_CHARACTERS_MAX // 2)


def test_outside_of_a_step_nothing_is_put_off() -> None:
    assert current() is None
    assert Deferral().run(current) is not None
    assert current() is None


def test_a_step_compiles_some_expressions_itself_and_puts_off_the_rest() -> None:
    deferral = Deferral()
    assert [deferral.verdict(length, text) for text in (HALF, HALF, "b", "c")] == [
        len(HALF),
        len(HALF),
        None,
        None,
    ]
    assert deferral.is_pending
    deferral.compile_next()
    deferral.compile_next()
    assert not deferral.is_pending
    assert deferral.run(lambda: [deferral.verdict(length, text) for text in ("b", "c")]) == [1, 1]
    assert not deferral.is_pending


def test_one_expression_that_is_too_long_to_be_compiled_at_once_is_put_off() -> None:
    deferral = Deferral()
    assert deferral.verdict(length, HALF * 3) is None
    deferral.compile_next()
    assert deferral.verdict(length, HALF * 3) == 3 * len(HALF)
