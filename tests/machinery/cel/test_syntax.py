from fakeapi.machinery.cel.syntax import Call, Ident, Literal, Select, children, qualified_name, walk

A_B = Select(2, Ident(1, "a"), "b", test_only=False)
SUM = Call(3, "_+_", None, [A_B, Literal(4, "int", 1)])


def test_a_walk_meets_each_node_before_its_children() -> None:
    assert [node.id for node in walk(SUM)] == [3, 2, 1, 4]
    assert [node.id for node in children(SUM)] == [2, 4]


def test_a_chain_of_plain_selections_has_a_qualified_name() -> None:
    assert qualified_name(A_B) == "a.b"
    assert qualified_name(Select(5, A_B, "c", test_only=True)) == ""
    assert qualified_name(SUM) == ""
