"""Names are validated as in k8s.io/apimachinery, with the same messages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery.meta import names

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
    "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
DNS1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
    "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
C_IDENTIFIER = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
    "characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is "
    "'[A-Za-z_][A-Za-z0-9_]*')"
)
TOO_MANY_SLASHES = (
    f"a qualified name {QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
)
CONFIG_MAP_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
    "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
TOO_FEW_DOTS = "should be a domain with at least three segments separated by dots"
AT_MOST_63 = "must be no more than 63 characters"
AT_MOST_253 = "must be no more than 253 characters"


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("a", []),
        ("a.b-c.0", []),
        ("a" * 253, []),
        ("", [SUBDOMAIN]),
        ("Upper", [SUBDOMAIN]),
        ("a..b", [SUBDOMAIN]),
        ("a.-b", [SUBDOMAIN]),
        ("under_score", [SUBDOMAIN]),
        ("line\n", [SUBDOMAIN]),
        ("a" * 254, [AT_MOST_253]),
        ("-" * 254, [AT_MOST_253, SUBDOMAIN]),
        ("é" * 127, [AT_MOST_253, SUBDOMAIN]),
    ],
)
def test_a_subdomain_is_lower_case_labels_joined_by_dots(value: str, messages: list[str]) -> None:
    assert names.is_dns1123_subdomain(value) == messages


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("0-a", []),
        ("a" * 63, []),
        ("a.b", ["must not contain dots"]),
        ("a_b", [LABEL]),
        ("", [LABEL]),
        ("a" * 64, [AT_MOST_63]),
        ("a." * 32 + "b", [AT_MOST_63, "must not contain dots"]),
    ],
)
def test_a_label_has_no_dots(value: str, messages: list[str]) -> None:
    assert names.is_dns1123_label(value) == messages


@pytest.mark.parametrize(
    ("value", "messages"), [("a-0", []), ("0-a", [DNS1035]), ("A" * 64, [AT_MOST_63, DNS1035])]
)
def test_a_dns1035_label_starts_with_a_letter(value: str, messages: list[str]) -> None:
    assert names.is_dns1035_label(value) == messages


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("Simple", []),
        ("1.2_3-4", []),
        ("example.com/Name", []),
        ("e" * 253 + "/" + "n" * 63, []),
        ("", ["name part must be non-empty", f"name part {QUALIFIED}"]),
        ("example.com/", ["name part must be non-empty", f"name part {QUALIFIED}"]),
        ("/name", ["prefix part must be non-empty"]),
        ("Upper/name", [f"prefix part {SUBDOMAIN}"]),
        ("Upper/-", [f"prefix part {SUBDOMAIN}", f"name part {QUALIFIED}"]),
        ("n" * 64, [f"name part {AT_MOST_63}"]),
        ("-" * 64, [f"name part {AT_MOST_63}", f"name part {QUALIFIED}"]),
        (
            "a/b/c",
            [
                TOO_MANY_SLASHES,
            ],
        ),
    ],
)
def test_a_qualified_name_is_a_name_after_an_optional_domain(value: str, messages: list[str]) -> None:
    assert names.is_qualified_name(value) == messages


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("", []),
        ("v_1.2-3", []),
        ("v" * 63, []),
        ("v" * 64, [AT_MOST_63]),
        ("a b", [LABEL_VALUE]),
        ("-", [LABEL_VALUE]),
        (" " * 64, [AT_MOST_63, LABEL_VALUE]),
    ],
)
def test_a_label_value_may_be_empty(value: str, messages: list[str]) -> None:
    assert names.is_valid_label_value(value) == messages


@pytest.mark.parametrize(("value", "messages"), [("_a1", []), ("1a", [C_IDENTIFIER]), ("", [C_IDENTIFIER])])
def test_a_c_identifier_starts_with_no_digit(value: str, messages: list[str]) -> None:
    assert names.is_c_identifier(value) == messages


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("key.name", []),
        (".", ["must not be '.'"]),
        ("..", ["must not be '..'"]),
        ("..key", ["must not start with '..'"]),
        (
            "a/b",
            [CONFIG_MAP_KEY],
        ),
    ],
)
def test_a_config_map_key_is_no_path(value: str, messages: list[str]) -> None:
    assert names.is_config_map_key(value) == messages


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        ("gpu.example.com", []),
        ("", ["f: Required value"]),
        (
            "example.com",
            [f'f: Invalid value: "example.com": {TOO_FEW_DOTS}'],
        ),
        ("-" * 254, [f'f: Invalid value: "{"-" * 254}": {AT_MOST_253},{SUBDOMAIN}']),
    ],
)
def test_a_fully_qualified_name_has_three_segments(name: str, errors: list[str]) -> None:
    assert [str(error) for error in names.validate_fully_qualified_name(name, "f")] == errors


@pytest.mark.parametrize(
    ("name", "as_name", "as_prefix"),
    [
        ("fine", [], []),
        (".", ["may not be '.'"], []),
        ("..", ["may not be '..'"], []),
        (
            "a%/b",
            ["may not contain '/'", "may not contain '%'"],
            ["may not contain '/'", "may not contain '%'"],
        ),
    ],
)
def test_a_path_segment_is_one_segment(name: str, as_name: list[str], as_prefix: list[str]) -> None:
    assert names.name_is_path_segment(name, False) == as_name
    assert names.name_is_path_segment(name, True) == as_prefix


@pytest.mark.parametrize(
    ("prefix", "fine"),
    [
        ("claim-", True),
        ("claim", True),
        ("a.", False),
        ("-", False),
        ("x_-", True),
        ("é-", False),
        ("Éa-", False),
    ],
)
def test_a_prefix_may_end_in_a_dash_which_hides_the_byte_before_it(prefix: str, fine: bool) -> None:  # noqa: FBT001 - a column
    assert (names.name_is_dns_subdomain(prefix, True) == []) is fine
    assert (names.name_is_dns_label(prefix, True) == []) is (fine and "." not in prefix)


def test_a_dash_at_the_end_of_a_name_is_never_hidden() -> None:
    assert names.name_is_dns_subdomain("claim-", False) == [SUBDOMAIN]
    assert names.name_is_dns_label("claim-", False) == [LABEL]
    assert names.name_is_dns1035_label("claim-", False) == [DNS1035]
    assert names.name_is_dns1035_label("claim-", True) == []


@given(st.text(alphabet="aZ0-_./é\n", max_size=8))
@settings(max_examples=200, derandomize=True, database=None)
def test_every_label_is_a_subdomain_and_every_subdomain_a_label_value(text: str) -> None:
    if not names.is_dns1123_label(text):
        assert not names.is_dns1123_subdomain(text)
    if not names.is_dns1123_subdomain(text):
        assert not names.is_valid_label_value(text)
        assert not names.is_qualified_name(text)
