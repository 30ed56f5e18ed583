"""String formats (`format`) are validated as in k8s.io/kube-openapi `pkg/validation/strfmt`."""

import pytest
from msgspec.structs import replace

from fakeapi.machinery.structural.formats import format_check
from fakeapi.machinery.structural.rules import NEWEST


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", ["2020-02-29", "0000-01-01"], ["2019-02-29", "2020-1-1", "", "2020-01-01 "]),
        (
            "date-time",
            ["2020-01-02T03:04:05Z", "2020-01-02t23:59:59.5+01:00"],
            ["2020-01-02", "2020-01-02T24:00:00Z"],
        ),
        ("duration", ["1h", "22 ns", "5 minutes", "3 weeks x"], ["", "h", "5", "5 years"]),
        ("ipv4", ["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"], ["1.2.3", "::1"]),
        ("ipv6", ["::1", "1::2.3.4.5"], ["1.2.3.4", "::g", "fe80::1%eth0"]),
        ("cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0", "10.0.0.0/33"]),
        (
            "mac",
            ["aa:bb:cc:dd:ee:ff", "aa-bb-cc-dd-ee-ff", "aabb.ccdd.eeff", "aabbccddeeff"],
            ["aa:bb", "aabbcc"],
        ),
        ("uuid", ["123E4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"], ["123"]),
        ("uuid4", ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"]),
        (
            "uri",
            ["http://x.y/z", "/a?b", "mailto:a@b", "*", "http://[::1]:80/"],
            ["x", "", ":a", "/%zz", "http://a b/"],
        ),
        ("email", ["a@b.c", "A B <a@b.c>", '"x y"@b'], ["a", "a@", "@b", "a@b@c", "a b@c"]),
        ("hostname", ["foo.example.com", "a-b", "\u00e9"], ["a-b-c", "-a", "foo.1", "a..b", ""]),
        ("byte", ["YWJj", "YQ=="], ["YWJ", "", "Y==="]),
        ("password", ["", "anything"], []),
        ("isbn", ["0321751043", "978-0321751041"], ["0321751044", "1"]),
        ("creditcard", ["4111 1111 1111 1111"], ["4111111111111112"]),
        ("ssn", ["123-45-6789"], ["123456789", "123-45-678"]),
        ("hexcolor", ["#fff", "FFFFFF"], ["#ff", "#ggg"]),
        ("rgbcolor", ["rgb(1, 2,255)"], ["rgb(1,2,256)", "rgb(1,2)"]),
        ("bsonobjectid", ["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901"]),
        ("k8s-short-name", ["a-b", "1"], ["A", "a.b", "a" * 64]),
        ("k8s-long-name", ["a.b-c"], ["a..b", "A"]),
    ],
)
def test_texts_have_formats_as_in_kubernetes(name: str, good: list[str], bad: list[str]) -> None:
    check = format_check(name, NEWEST)
    assert check is not None
    assert [text for text in good if not check(text)] == []
    assert [text for text in bad if check(text)] == []


def test_formats_that_nobody_knows_are_not_checked() -> None:
    assert format_check("quantity", NEWEST) is None
    assert format_check("k8s-short-name", replace(NEWEST, knows_name_formats=False)) is None
