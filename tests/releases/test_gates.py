"""Feature gates are parsed and refused as with kube-apiserver's option `--feature-gates`."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fakeapi
from fakeapi.releases.gates import (
    EFFECTIVE,
    TURNED_ON,
    GateError,
    Gates,
    Stage,
    UnknownGateError,
    check,
    chosen,
    ineffective,
    parse,
    requirements,
    resolve,
    specs,
)

MINORS = range(27, 38)


def test_settings_are_read_with_spaces_empty_parts_and_every_spelling_of_a_boolean() -> None:
    assert parse("") == parse(",,") == {}
    assert parse(" A = true ,B=F,C=1,,D=T") == {"A": True, "B": False, "C": True, "D": True}
    assert parse("A=true,A=false") == {"A": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A", "missing bool value for A"),
        ("A=true,B", "missing bool value for B"),
        ("A=", 'invalid value of A=, err: strconv.ParseBool: parsing "": invalid syntax'),
        ("A=yes", 'invalid value of A=yes, err: strconv.ParseBool: parsing "yes": invalid syntax'),
        ("A=a=b", 'invalid value of A=a=b, err: strconv.ParseBool: parsing "a=b": invalid syntax'),
        ("A=tRUE", 'invalid value of A=tRUE, err: strconv.ParseBool: parsing "tRUE": invalid syntax'),
    ],
)
def test_a_setting_that_is_no_boolean_is_refused_in_the_words_of_component_base(
    text: str, message: str
) -> None:
    with pytest.raises(GateError) as refused:
        parse(text)
    assert str(refused.value) == message


@given(st.dictionaries(st.text("ABCdef", min_size=1), st.booleans()))
@settings(max_examples=30, derandomize=True)
def test_settings_written_out_are_read_back(chosen: dict[str, bool]) -> None:
    assert parse(",".join(f"{name}={str(value).lower()}" for name, value in chosen.items())) == chosen


@pytest.mark.parametrize(
    ("written", "expected"),
    [(None, {}), ("", {}), ("A=true,B=0", {"A": True, "B": False}), ({"A": False}, {"A": False})],
)
def test_a_program_gives_gates_as_a_mapping_or_as_text(written: Any, expected: dict[str, bool]) -> None:
    assert chosen(written) == expected


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("A=maybe", "invalid value of A=maybe"),
        ({"A": "false"}, "invalid value of A: 'false' is not of type bool"),
        (["A"], r"neither a mapping of names to bool nor text such as A=true,B=false: \['A'\]"),
    ],
)
def test_gates_that_say_neither_yes_nor_no_are_refused(written: Any, complaint: str) -> None:
    with pytest.raises(GateError, match=complaint):
        chosen(written)


def test_an_unknown_gate_is_refused_with_the_gates_of_the_release_that_have_an_effect() -> None:
    with pytest.raises(UnknownGateError) as refused:
        check({"WatchList": True, "Nonsense": True}, [31])
    assert refused.value.name == "Nonsense"
    message = str(refused.value)
    assert "\n  DRAControlPlaneController=true|false (ALPHA - default=false)\n" in message
    assert "\n  RetryGenerateName=true|false (BETA - default=true)\n" in message
    assert "DRAAdminAccess" not in message
    assert message.startswith("unrecognized feature gate: Nonsense; gates with an effect here:\n  ")


def test_a_misspelt_gate_is_refused_with_similar_gates_in_one_line() -> None:
    with pytest.raises(UnknownGateError) as refused:
        check({"WatchLists": True}, [31])
    message = str(refused.value)
    assert message.startswith("unrecognized feature gate: WatchLists; did you mean WatchList")
    assert message.endswith("?")
    assert "\n" not in message


OF_OTHER_COMPONENTS = [
    ("GangScheduling", 36),
    ("SchedulerQueueingHints", 36),
    ("CPUManagerPolicyOptions", 36),
    ("NodeSwap", 31),
    ("DRASchedulerFilterTimeout", 37),
    ("OpportunisticBatching", 37),
    ("WatchListClient", 37),
    ("ContextualLogging", 28),
    ("ComponentSLIs", 31),
]


@pytest.mark.parametrize(("name", "minor"), OF_OTHER_COMPONENTS)
def test_a_gate_of_another_component_is_accepted_and_has_no_effect(name: str, minor: int) -> None:
    assert resolve({name: True, "GenericWorkload": True}, minor)[name]
    check({name: True}, [minor])
    chosen = {name: True, "DynamicResourceAllocation": True, "AllAlpha": False}
    assert ineffective(chosen, [minor]) == [name]


def test_a_locked_gate_of_another_component_cannot_be_changed() -> None:
    with pytest.raises(GateError) as refused:
        resolve({"SchedulerQueueingHints": False}, 36)
    assert str(refused.value) == (
        "cannot set feature gate SchedulerQueueingHints to false, feature is locked to true"
    )


def test_a_gate_that_the_release_does_not_have_is_not_ineffective() -> None:
    assert ineffective(["OpportunisticBatching"], [31]) == []


def test_every_effective_gate_is_one_of_kubernetes() -> None:
    known = {name for minor in MINORS for name in specs(minor)}
    assert known >= EFFECTIVE


def test_a_gate_is_known_if_one_of_several_releases_has_it() -> None:
    check({"DRAPrioritizedList": True, "RetryGenerateName": False}, [30, 33])
    with pytest.raises(UnknownGateError):
        check({"DRAControlPlaneController": True}, [30, 33])


@pytest.mark.parametrize("minor", MINORS)
def test_serving_claims_is_on_unless_it_is_turned_off(minor: int) -> None:
    assert resolve({}, minor).enabled("DynamicResourceAllocation")
    assert resolve({"AllAlpha": False, "AllBeta": False}, minor).enabled("DynamicResourceAllocation")
    if specs(minor)["DynamicResourceAllocation"].locked:
        with pytest.raises(GateError, match="locked to true"):
            resolve({"DynamicResourceAllocation": False}, minor)
    else:
        assert not resolve({"DynamicResourceAllocation": False}, minor).enabled("DynamicResourceAllocation")


@pytest.mark.parametrize("minor", MINORS)
def test_every_other_gate_starts_as_its_release_has_it(minor: int) -> None:
    gates = resolve({}, minor)
    for name, spec in specs(minor).items():
        if name not in (*TURNED_ON, "AllAlpha", "AllBeta"):
            assert gates[name] == spec.default, name


def on_in(name: str) -> list[int]:
    return [minor for minor in MINORS if resolve({}, minor).enabled(name)]


def test_gates_change_their_default_with_the_release() -> None:
    assert on_in("WatchList") == [32, 34, 35, 36, 37]
    assert on_in("RetryGenerateName") == [31, 32, 33, 34, 35, 36, 37]
    assert on_in("DRAResourceClaimDeviceStatus") == [33, 34, 35, 36, 37]
    assert on_in("DRAAdminAccess") == on_in("DRAPrioritizedList") == [34, 35, 36, 37]
    assert on_in("DRADeviceTaints") == on_in("DRAConsumableCapacity") == [36, 37]
    assert on_in("DRADeviceTaintRules") == [37]
    assert on_in("DRAControlPlaneController") == []
    assert [minor for minor in MINORS if "DRAControlPlaneController" in specs(minor)] == [31]
    assert [minor for minor in MINORS if "DRAAdminAccess" in specs(minor)] == [32, 33, 34, 35, 36, 37]


def test_a_gate_that_graduated_and_was_removed_stays_on_without_being_listed() -> None:
    gates = resolve({}, 37)
    assert gates.enabled("RetryGenerateName")
    assert "RetryGenerateName" not in gates
    assert not resolve({}, 30).enabled("RetryGenerateName")
    assert not resolve({}, 32).enabled("DRAControlPlaneController")


def test_a_gate_is_not_switched_on_without_those_that_it_requires() -> None:
    assert resolve({"GenericWorkload": True, "DRAWorkloadResourceClaims": True}, 36)
    with pytest.raises(GateError) as refused:
        resolve({"DRAWorkloadResourceClaims": True}, 36)
    assert str(refused.value) == (
        "DRAWorkloadResourceClaims is enabled, but depends on features that are disabled: [GenericWorkload]"
    )
    assert requirements(33) == requirements(34) == {}
    assert requirements(36)["DRADeviceTaintRules"] == ("DRADeviceTaints",)


@pytest.mark.parametrize("minor", MINORS)
@pytest.mark.parametrize(("group", "stage"), [("AllAlpha", Stage.ALPHA), ("AllBeta", Stage.BETA)])
def test_a_group_sets_the_gates_of_its_stage_and_no_others(minor: int, group: str, stage: Stage) -> None:
    known = specs(minor)
    needed = {  # for gates of the stage that would prevent the start without them
        other: True
        for name, others in requirements(minor).items()
        for other in others
        if known[name].stage is stage is not known[other].stage
    }
    all_on, all_off, untouched = (
        resolve(each, minor) for each in ({group: True, **needed}, {group: False}, {})
    )
    for name, spec in known.items():
        if name in ("AllAlpha", "AllBeta", *TURNED_ON, *needed):
            continue
        expected = (True, False) if spec.stage is stage else (untouched[name], untouched[name])
        assert (all_on[name], all_off[name]) == expected, name


def test_a_gate_set_by_name_is_not_touched_by_its_group() -> None:
    gates = resolve({"DRAAdminAccess": False, "AllAlpha": True}, 33)
    assert not gates["DRAAdminAccess"]
    assert gates["DRAPrioritizedList"]


def test_a_locked_gate_can_be_set_to_what_it_is_and_to_nothing_else() -> None:
    assert resolve({"RetryGenerateName": True}, 33)["RetryGenerateName"]
    assert not resolve({"RetryGenerateName": False}, 31)["RetryGenerateName"]
    with pytest.raises(GateError) as refused:
        resolve({"RetryGenerateName": False}, 32)
    assert str(refused.value) == (
        "cannot set feature gate RetryGenerateName to false, feature is locked to true"
    )


def test_a_gate_that_a_release_does_not_have_is_off_and_not_listed() -> None:
    gates = resolve({"DRAAdminAccess": True}, 31)
    assert not gates.enabled("DRAAdminAccess")
    assert "DRAAdminAccess" not in gates
    assert "DRAAdminAccess" not in gates.known
    with pytest.raises(KeyError):
        gates["DRAAdminAccess"]


def test_gates_of_the_same_settings_are_equal() -> None:
    assert Gates({"A": True, "B": False}) == Gates({"B": False, "A": True})
    assert hash(Gates({"A": True, "B": False})) == hash(Gates({"B": False, "A": True}))
    assert Gates({"A": True}) != Gates({"A": False})


def test_every_gate_that_the_rules_name_is_one_that_can_be_set() -> None:
    """Each feature gate that the rules name must be in EFFECTIVE. Gates that are not in it are always off."""
    folder = Path(fakeapi.__file__).parent
    admission = folder / "registry" / "admission"  # some gates have the names of plugins
    plugins = (admission / "plugins" / "__init__.py", admission / "selection.py")
    table = msgspec.json.decode((folder / "releases" / "data" / "gates.json").read_bytes())["specs"]
    named = {
        name
        for source in (folder / "registry").rglob("*.py")
        if source not in plugins
        for name in re.findall(r'"([A-Z][A-Za-z0-9]+)"', source.read_text(encoding="utf-8"))
    }
    assert sorted(named & table.keys() - EFFECTIVE) == []
