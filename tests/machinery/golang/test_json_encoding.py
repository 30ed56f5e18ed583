"""JSON is encoded as in Go's json.Marshal."""

from fakeapi.machinery.golang.json_encoding import go_encode


def test_go_writes_html_characters_and_line_separators_as_escapes() -> None:
    text = '{"\\u003ca\\u003e":"\\u0026\\u2028\\u2029é"}'
    assert go_encode({"<a>": "&\u2028\u2029é"}) == text.encode()
