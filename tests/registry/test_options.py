from fakeapi.registry.requests.options import WARNINGS_MAX, Warnings


def test_a_warning_is_given_once() -> None:
    warnings = Warnings()
    for text in ("a", "b", "a"):
        warnings.add(text)
    assert warnings.texts == ["a", "b"]


def test_no_more_warnings_are_kept_than_headers_can_show() -> None:
    warnings = Warnings()
    for index in range(2 * WARNINGS_MAX):
        warnings.add(str(index))
    assert len(warnings.texts) == WARNINGS_MAX
