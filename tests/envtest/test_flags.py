"""Command lines are read like github.com/spf13/pflag reads them."""

import pytest

from fakeapi.envtest.flags import Flag, FlagError, read

FLAGS = (
    Flag("bind-address", "ip"),
    Flag("profiling", "bool", alone="true"),
    Flag("secure-port", "int"),
    Flag("event-ttl", "duration"),
    Flag("authorization-mode", "strings"),
    Flag("v", "Level", shorthand="v"),
    Flag("help", "bool", shorthand="h", alone="true"),
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--bind-address=::1", "--secure-port", "7", "--profiling"],
        ["--bind_address", "::1", "--profiling=true", "--secure-port=7"],
        ["--profiling=false", "--bind-address=1", "--bind-address=::1", "--secure-port=7", "--profiling"],
    ],
)
def test_a_value_follows_an_equals_sign_or_is_the_next_word(arguments: list[str]) -> None:
    values = read(arguments, FLAGS)
    assert values.text("bind-address") == "::1"
    assert values.text("secure-port") == "7"
    assert values.flag("profiling", default=False)


@pytest.mark.parametrize(
    ("arguments", "level"),
    [(["-v=4"], "4"), (["-v", "4"], "4"), (["-v4"], "4"), (["--v=4"], "4"), (["-hv4"], "4"), ([], "0")],
)
def test_a_letter_stands_for_its_flag(arguments: list[str], level: str) -> None:
    assert read(arguments, FLAGS).text("v", "0") == level


def test_lists_with_commas_are_joined_over_repetitions() -> None:
    values = read(
        ["--authorization-mode=Node,RBAC", '--authorization-mode="a,b"', "--authorization-mode="], FLAGS
    )
    assert values.items("authorization-mode") == ["Node", "RBAC", "a,b"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unknown=1"], "unknown flag: --unknown"),
        (["-x"], "unknown shorthand flag: 'x' in -x"),
        (["--=1"], "bad flag syntax: --"),
        (["---a"], "bad flag syntax: ---a"),
        (["--bind-address"], "flag needs an argument: --bind-address"),
        (["-v"], "flag needs an argument: 'v' in -v"),
        (
            ["--secure-port=x"],
            'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
        ),
        (
            ["--profiling=no"],
            'invalid argument "no" for "--profiling" flag: strconv.ParseBool: parsing "no": invalid syntax',
        ),
        (["--event-ttl=1"], 'invalid argument "1" for "--event-ttl" flag: time: invalid duration "1"'),
        (["serve"], "\"kube-apiserver\" does not take any arguments, got ['serve']"),
        (["--", "--profiling"], "\"kube-apiserver\" does not take any arguments, got ['--profiling']"),
    ],
)
def test_other_command_lines_are_refused_in_the_words_of_pflag(arguments: list[str], message: str) -> None:
    with pytest.raises(FlagError) as refused:
        read(arguments, FLAGS)
    assert str(refused.value) == message
