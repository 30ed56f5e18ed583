import pytest

from tests.machinery.cel.rules import table

pytest.importorskip("cel_expr_python", reason="rules are compiled with the extra cel alone")

DIFFERENT = {
    # In these releases, an object with a null field did not equal itself.
    "r299.1.0": ("1.30", "1.31", "1.32", "1.33"),
}
"""Cases with a known difference: the releases for which fakeapi's result is not the recorded result."""


@pytest.mark.parametrize("release", table.RELEASES)
def test_rules_are_judged_as_kubernetes_judges_them(release: str) -> None:
    settings = table.settings_of(release)
    differing = {}
    for case in table.cases():
        if release in case["of"] and release not in DIFFERENT.get(case["id"], ()):
            fact = case["facts"][case["of"][release]]
            said = table.found(case, settings)
            if said != fact:
                differing[case["id"]] = (said, fact)
    assert differing == {}
