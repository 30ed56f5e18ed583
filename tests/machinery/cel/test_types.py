import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.cel.types import DYN, INT, STRING, Substitution, Type, list_of, map_of, parameter, read

A, B = parameter("A"), parameter("B")

simple = st.sampled_from([read(name) for name in ("int", "string", "bool", "dyn", "any", "null", "duration")])
types = st.recursive(
    simple | st.sampled_from([A, B]),
    lambda inner: st.builds(list_of, inner) | st.builds(map_of, inner, inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    "text", ["int", "list(string)", "map(string, list(int))", "optional(A)", "kubernetes.Quantity", "net.IP"]
)
def test_a_type_is_written_as_it_is_read(text: str) -> None:
    assert str(read(text)) == text.replace("optional(", "optional_type(")


def test_some_types_are_declared_by_other_names_than_the_checker_gives_them() -> None:
    of = read("map(any, list(null))")
    assert (str(of), of.declared()) == ("map(any, list(null))", "map(google.protobuf.Any, list(null_type))")


@given(types)
def test_every_type_is_assignable_to_itself_and_to_dyn(of: Type) -> None:
    assert Substitution().assignable(of, of)
    assert Substitution().assignable(of, DYN)
    assert Substitution().assignable(DYN, of)


@given(types, types)
def test_a_question_answered_with_no_leaves_nothing_behind(one: Type, other: Type) -> None:
    known = Substitution()
    known.assignable(A, INT)
    before = dict(known.bound)
    if not known.assignable(one, other):
        assert known.bound == before


@given(types, types)
def test_what_agrees_once_agrees_again(one: Type, other: Type) -> None:
    known = Substitution()
    if known.assignable(one, other):
        assert known.assignable(one, other)


@given(types)
def test_a_final_type_has_no_parameters(of: Type) -> None:
    def parameters(of: Type) -> list[Type]:
        return [of] if of.kind == "param" else [name for each in of.parameters for name in parameters(each)]

    assert parameters(Substitution().resolve(of, final=True)) == []


def test_a_parameter_stands_for_one_type_throughout() -> None:
    known = Substitution()
    assert not known.all_assignable((list_of(A), A), (list_of(INT), STRING))
    assert known.all_assignable((list_of(A), A), (list_of(INT), INT))
    assert known.resolve(map_of(A, B)) == map_of(INT, B)


def test_a_parameter_never_stands_for_what_holds_it() -> None:
    assert not Substitution().assignable(A, list_of(A))
