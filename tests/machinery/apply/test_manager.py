"""The field manager computes the new object and its managedFields for updates and server-side applies."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery import codec
from fakeapi.machinery.apply.fieldset import from_fields_v1, paths_of
from fakeapi.machinery.apply.manager import ANNOTATIONS_MAX, LAST_APPLIED, FieldManager, with_old_times
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema.decoding import decode
from fakeapi.releases.release import load_release

VERSION = "resource.k8s.io/v1alpha3"
SCHEMA = load_release("1.33").kind("resource.k8s.io", "v1alpha3", "resourceclaims").schema
MAIN = FieldManager(SCHEMA, VERSION, "ResourceClaim", reset_fields=(("status",),))
STATUS = FieldManager(SCHEMA, VERSION, "ResourceClaim", "status", reset_fields=(("spec",),))
NOW = "2026-01-01T00:00:00Z"
LATER = "2026-01-01T00:00:05Z"
REQUEST = {"name": "gpu", "deviceClassName": "gpu.example.com"}
law = settings(max_examples=60, derandomize=True, deadline=None)


def claim(**metadata: Any) -> Object:
    return canonical({**config(**metadata), "spec": {"devices": {"requests": [REQUEST]}}})


def config(**metadata: Any) -> Object:
    return {"apiVersion": VERSION, "kind": "ResourceClaim", "metadata": {"name": "claim-a", **metadata}}


def canonical(obj: Object) -> Object:
    return decode(copy.deepcopy(obj), SCHEMA)[0]


def created(manager: str = "creator", **metadata: Any) -> Object:
    made = MAIN.update(None, claim(**metadata), manager, NOW)
    made["metadata"]["uid"] = "u"
    return made


def updated(live: Object, manager: str, change: Object, now: str = LATER) -> Object:
    """Updates the metadata of the object `live` with `change`, as the field manager `manager`.

    Returns the new object.
    """
    new = copy.deepcopy(live)
    new["metadata"].update(change)
    return MAIN.update(live, canonical(new), manager, now)


def applied(
    live: Object | None, body: Object, manager: str, now: str = LATER, *, force: bool = False
) -> Object:
    made = canonical(MAIN.apply(live, body, manager, now, force=force))
    made["metadata"]["uid"] = "u"
    return made


def owners(obj: Object) -> dict[str, Any]:
    """Returns the fields that each field manager owns.

    The key is the manager's name, followed by `/Apply` for an applier and `/SUBRESOURCE` for a subresource.
    """
    return {
        "/".join(
            part
            for part in (
                entry["manager"],
                "Apply" if entry["operation"] == "Apply" else "",
                entry.get("subresource", ""),
            )
            if part
        ): entry["fieldsV1"]
        for entry in obj["metadata"].get("managedFields", [])
    }


SPEC: Object = {"f:spec": {"f:devices": {"f:requests": {}}}}


def labels(*names: str, whole: bool = False) -> Object:
    fields: Object = {".": {}} if whole else {}
    return {"f:metadata": {"f:labels": fields | {f"f:{name}": {} for name in names}}}


# Updates


def test_a_creator_owns_what_it_sets_but_not_what_every_object_has() -> None:
    obj = created(labels={"a": "1"}, namespace="default", generateName="claim-")
    assert obj["metadata"]["managedFields"] == [
        {
            "manager": "creator",
            "operation": "Update",
            "apiVersion": VERSION,
            "time": NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:generateName": {}, **labels("a", whole=True)["f:metadata"]},
                **SPEC,
            },
        }
    ]


def test_who_changes_a_field_takes_it_over() -> None:
    live = created(labels={"a": "1", "b": "1"})
    new = updated(live, "second", {"labels": {"a": "2", "b": "1"}})
    assert owners(new) == {"creator": labels("b", whole=True) | SPEC, "second": labels("a")}
    assert [entry["time"] for entry in new["metadata"]["managedFields"]] == [NOW, LATER]


def test_nobody_owns_what_is_gone() -> None:
    live = created(labels={"a": "1"}, finalizers=["example.com/a", "example.com/b"])
    new = updated(live, "second", {"labels": None, "finalizers": ["example.com/b"]})
    assert owners(new) == {
        "creator": {"f:metadata": {"f:finalizers": {".": {}, 'v:"example.com/b"': {}}}} | SPEC,
    }


def test_a_manager_that_owns_nothing_is_forgotten() -> None:
    live = updated(created(), "second", {"labels": {"a": "1"}})
    assert owners(updated(live, "third", {"labels": None})) == {"creator": SPEC}


def test_an_update_that_changes_nothing_leaves_the_entries_as_they_are() -> None:
    live = created(labels={"a": "1"})
    assert updated(live, "second", {})["metadata"]["managedFields"] == live["metadata"]["managedFields"]


def test_an_order_of_owned_items_is_nobodys() -> None:
    live = created(finalizers=["example.com/a", "example.com/b"])
    new = updated(live, "second", {"finalizers": ["example.com/b", "example.com/a"]})
    assert owners(new) == owners(live)


def test_what_the_strategy_resets_is_not_owned() -> None:
    body = claim()
    body["status"] = {"reservedFor": [{"resource": "pods", "name": "p", "uid": "1"}]}
    assert owners(MAIN.update(None, body, "m", NOW)) == {"m": SPEC}
    live = created()
    new = copy.deepcopy(live)
    new["spec"]["devices"]["requests"] = []
    new["status"] = body["status"]
    key = 'k:{"uid":"1"}'
    fields: Object = {".": {}, "f:name": {}, "f:resource": {}, "f:uid": {}}
    assert owners(STATUS.update(live, new, "kubelet", LATER)) == {
        "creator": SPEC,
        "kubelet/status": {"f:status": {"f:reservedFor": {".": {}, key: fields}}},
    }


def test_managed_fields_sent_with_a_subresource_count_for_nothing() -> None:
    live = created()
    new = copy.deepcopy(live)
    new["metadata"]["managedFields"] = [{}]
    assert owners(STATUS.update(live, new, "kubelet", LATER)) == owners(live)


def sent(**change: Any) -> Object:
    return {
        "manager": "sent",
        "operation": "Update",
        "apiVersion": VERSION,
        "fieldsType": "FieldsV1",
        "fieldsV1": labels("a"),
        **change,
    }


def test_managed_fields_that_a_client_sends_replace_those_stored() -> None:
    live = created(labels={"a": "1"})
    new = updated(live, "second", {"managedFields": [sent()], "labels": {"a": "1", "b": "1"}})
    assert owners(new) == {"sent": labels("a"), "second": labels("b")}


@pytest.mark.parametrize(
    "entries", [[sent(operation="Nonsense")], [sent(fieldsV1={"a": {}})], [sent(fieldsType="")], [{}, {}]]
)
def test_managed_fields_that_cannot_be_read_leave_those_stored(entries: list[Object]) -> None:
    live = created(labels={"a": "1"})
    new = copy.deepcopy(live)
    new["metadata"]["managedFields"] = entries
    assert owners(MAIN.update(live, new, "second", LATER)) == owners(live)


def test_an_entry_of_an_unknown_version_is_dropped() -> None:
    live = created(labels={"a": "1"})
    new = updated(live, "second", {"managedFields": [sent(apiVersion="v1"), sent(manager="known")]})
    assert owners(new) == {"known": labels("a")}


@pytest.mark.parametrize("reset", [[], [{}]])
def test_an_object_whose_managers_are_forgotten_has_none_until_it_is_applied_to(reset: list[Object]) -> None:
    live = created(labels={"a": "1"})
    new = copy.deepcopy(live)
    new["metadata"] |= {"managedFields": reset, "labels": {"a": "2"}}
    forgotten = MAIN.update(live, new, "second", LATER)
    assert "managedFields" not in forgotten["metadata"]
    changed = updated(forgotten, "third", {"labels": {"a": "3"}})
    assert "managedFields" not in changed["metadata"]
    assert owners(applied(changed, config(labels={"b": "1"}), "applier")) == {
        "applier/Apply": labels("b"),
        "before-first-apply": labels("a", whole=True) | SPEC,
    }


def test_managed_fields_sent_with_a_new_object_count_unless_they_are_empty() -> None:
    body = claim(labels={"a": "1"})
    body["metadata"]["managedFields"] = [sent(fieldsV1=labels("other"))]
    assert owners(MAIN.update(None, body, "creator", NOW)) == {
        "sent": labels("other"),
        "creator": labels("a", whole=True) | SPEC,
    }
    body["metadata"]["managedFields"] = [{}]
    assert owners(MAIN.update(None, body, "creator", NOW)) == {"creator": labels("a", whole=True) | SPEC}


def test_equal_items_cost_an_object_its_managed_fields_until_1_28() -> None:
    strict = FieldManager(SCHEMA, VERSION, "ResourceClaim", allows_duplicates=False)
    twice = claim(finalizers=["example.com/a", "example.com/a"])
    assert "managedFields" not in strict.update(None, copy.deepcopy(twice), "m", NOW)["metadata"]
    assert owners(MAIN.update(None, copy.deepcopy(twice), "m", NOW)) == {
        "m": {"f:metadata": {"f:finalizers": {".": {}, 'v:"example.com/a"': {}}}} | SPEC
    }


def test_an_eleventh_updater_makes_the_oldest_ancient() -> None:
    live = created()
    for index in range(11):
        live = updated(
            live, f"m{index:02}", {"labels": {str(number): "x" for number in range(index + 1)}}, NOW
        )
    assert len(owners(live)) == 10
    assert "ancient-changes" in owners(live)


# Times


def test_times_alone_are_no_change() -> None:
    live = created(labels={"a": "1"})
    new = copy.deepcopy(live)
    new["metadata"]["managedFields"][0]["time"] = LATER
    assert with_old_times(new, live)["metadata"]["managedFields"][0]["time"] == NOW


def test_times_stay_where_anything_else_changes() -> None:
    live = created(labels={"a": "1"})
    for change in ({"labels": {"a": "2"}}, {"managedFields": [sent(time=LATER)]}):
        new = copy.deepcopy(live)
        new["metadata"]["managedFields"][0]["time"] = LATER
        new["metadata"].update(change)
        assert with_old_times(new, live)["metadata"]["managedFields"][0]["time"] == LATER


# Applies


def test_an_applier_owns_what_it_says() -> None:
    made = applied(None, config(labels={"a": "1"}), "one")
    assert made["metadata"]["labels"] == {"a": "1"}
    assert owners(made) == {"one/Apply": labels("a")}


def test_what_an_applier_no_longer_says_goes() -> None:
    live = applied(None, config(labels={"a": "1", "b": "1"}), "one")
    assert applied(live, config(labels={"a": "1"}), "one")["metadata"]["labels"] == {"a": "1"}


def test_a_shared_field_stays_until_its_last_owner_lets_go() -> None:
    live = applied(None, config(labels={"a": "1"}), "one")
    live = applied(live, config(labels={"a": "1"}), "two")
    live = applied(live, config(), "one")
    assert (live["metadata"]["labels"], owners(live)) == ({"a": "1"}, {"two/Apply": labels("a")})
    live = applied(live, config(), "two")
    assert "labels" not in live["metadata"]
    assert owners(live) == {}


def test_who_shares_without_changing_anything_has_no_time() -> None:
    live = applied(None, config(labels={"a": "1"}), "one", NOW)
    live = applied(live, config(labels={"a": "1"}), "two")
    assert [(entry["manager"], entry.get("time")) for entry in live["metadata"]["managedFields"]] == [
        ("two", None),
        ("one", NOW),
    ]


def test_force_takes_a_field_from_its_owner() -> None:
    live = created(labels={"a": ""})
    assert owners(applied(live, config(labels={"a": "1"}), "two", force=True)) == {
        "two/Apply": labels("a"),
        "creator": {"f:metadata": {"f:labels": {}}} | SPEC,
    }


def test_one_conflict_is_told_in_one_line() -> None:
    live = created("creator", labels={"a": "1"})
    with pytest.raises(ApiError) as refused:
        applied(live, config(labels={"a": "2"}), "applier")
    error = refused.value
    owner = f'conflict with "creator" using {VERSION}'
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message == f"Apply failed with 1 conflict: {owner}: .metadata.labels.a"
    assert error.details is not None
    assert [(cause.reason, cause.message, cause.field) for cause in error.details.causes] == [
        ("FieldManagerConflict", owner, ".metadata.labels.a")
    ]


def test_conflicts_are_told_by_manager_and_path() -> None:
    live = applied(None, config(labels={"b": "1", "c": "1"}), "one")
    live = updated(live, "two", {"labels": {"a": "1", "b": "1", "c": "1"}})
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1"}
    status = copy.deepcopy(live)
    status["metadata"]["ownerReferences"] = [owner]
    live = STATUS.update(live, status, "kubelet", LATER)
    body = config(labels={"a": "2", "b": "2", "c": "2"}, ownerReferences=[{**owner, "name": "q"}])
    with pytest.raises(ApiError) as refused:
        applied(live, body, "three")
    assert refused.value.message == (
        "Apply failed with 4 conflicts: "
        f'conflicts with "kubelet" with subresource "status" using {VERSION}:\n'
        '- .metadata.ownerReferences[uid="1"]\n'
        'conflicts with "one":\n'
        "- .metadata.labels.b\n"
        "- .metadata.labels.c\n"
        f'conflicts with "two" using {VERSION}:\n'
        "- .metadata.labels.a"
    )
    assert refused.value.details is not None
    assert [cause.field for cause in refused.value.details.causes] == [
        '.metadata.ownerReferences[uid="1"]',
        ".metadata.labels.b",
        ".metadata.labels.c",
        ".metadata.labels.a",
    ]


NAME = f"claim-a; {VERSION}, Kind=ResourceClaim"


NOT_TYPED = "failed to create typed patch object"


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"apiVersion": "g/v9"}, 400, "invalid object type: g/v9, Kind=ResourceClaim"),
        ({"apiVersion": "v1", "kind": "Pod"}, 400, "invalid object type: /v1, Kind=Pod"),
        ({"apiVersion": None, "kind": 7}, 400, "invalid object type: /, Kind="),
        ({"metadata": {"managedFields": []}}, 400, "metadata.managedFields must be nil"),
        ({"surprise": 1}, 500, f"{NOT_TYPED} (/{NAME}): .surprise: field not declared in schema"),
        (
            {"metadata": {"name": "claim-a", "namespace": "n", "deletionGracePeriodSeconds": "1"}},
            500,
            (
                f"{NOT_TYPED} (n/{NAME}): .metadata.deletionGracePeriodSeconds: "
                "expected numeric (int or float), got string"
            ),
        ),
        (
            {"metadata": {"name": "claim-a", "finalizers": ["a", "a"]}},
            500,
            f'{NOT_TYPED} (/{NAME}): .metadata.finalizers: duplicate entries for key [="a"]',
        ),
    ],
)
def test_a_body_that_cannot_be_applied_is_refused(change: Object, code: int, message: str) -> None:
    with pytest.raises(ApiError) as refused:
        MAIN.apply(None, {**config(), **change}, "m", NOW)
    assert (refused.value.code, refused.value.message) == (code, message)


WRONG_VERSION = (
    "Incorrect version specified in apply patch. Specified patch version: g/v9, expected: " + VERSION
)
WRONG_KIND = f"(/claim-a; {VERSION}, Kind=Pod): no corresponding type for {VERSION}, Kind=Pod"


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ({"apiVersion": "g/v9"}, 400, WRONG_VERSION),
        ({"apiVersion": "a/b/c"}, 400, WRONG_VERSION.replace("g/v9", "")),
        ({"apiVersion": "/"}, 400, WRONG_VERSION.replace("g/v9", "")),
        ({"apiVersion": "g/"}, 400, WRONG_VERSION.replace("g/v9", "g/")),
        ({"kind": "Pod"}, 500, f"{NOT_TYPED} {WRONG_KIND}"),
    ],
)
def test_another_type_is_refused_in_other_words_by_1_27(change: Object, code: int, message: str) -> None:
    late = FieldManager(SCHEMA, VERSION, "ResourceClaim", checks_type_first=False)
    with pytest.raises(ApiError) as refused:
        late.apply(None, {**config(), **change}, "m", NOW)
    assert (refused.value.code, refused.value.message) == (code, message)


@pytest.mark.parametrize(("version", "shown"), [("a/b/c", "/, Kind="), ("/", "/, Kind=ResourceClaim")])
def test_a_version_that_cannot_be_read_leaves_the_kind_unknown_too(version: str, shown: str) -> None:
    with pytest.raises(ApiError) as refused:
        MAIN.apply(None, {**config(), "apiVersion": version}, "m", NOW)
    assert refused.value.message == f"invalid object type: {shown}"


# kubectl, from client-side apply to server-side apply


def client_side(**metadata: Any) -> tuple[Object, Object]:
    """Returns an object that kubectl's client-side apply created, and the configuration that it applied."""
    body = {**config(**metadata), "spec": {"devices": {"requests": [REQUEST]}}}
    annotated = copy.deepcopy(body)
    annotated["metadata"]["annotations"] = {LAST_APPLIED: codec.encode(body).decode()}
    return MAIN.update(None, canonical(annotated), "kubectl-client-side-apply", NOW), body


def test_kubectl_takes_over_what_it_applied_client_side() -> None:
    live, body = client_side(labels={"a": "1"})
    body["metadata"]["labels"] = {"a": "2"}
    new = applied(live, body, "kubectl")
    assert new["metadata"]["labels"] == {"a": "2"}
    assert owners(new)["kubectl/Apply"] == labels("a") | SPEC


def test_others_do_not_take_over_from_kubectl() -> None:
    live, body = client_side(labels={"a": "1"})
    body["metadata"]["labels"] = {"a": "2"}
    with pytest.raises(ApiError, match=r"labels\.a"):
        applied(live, body, "someone")


def test_kubectl_does_not_take_over_what_changed_since() -> None:
    live, body = client_side(labels={"a": "1", "b": "1"})
    live = updated(live, "editor", {"labels": {"a": "changed", "b": "1"}})
    body["metadata"]["labels"] = {"a": "2", "b": "2"}
    with pytest.raises(ApiError) as refused:
        applied(live, body, "kubectl")
    assert refused.value.message == (
        f'Apply failed with 1 conflict: conflict with "editor" using {VERSION}: .metadata.labels.a'
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"apiVersion":"v1"}', f'{{"apiVersion":"{VERSION}","odd":1}}']
)
def test_an_annotation_that_cannot_be_read_allows_nothing(text: str) -> None:
    live = created("kubectl-client-side-apply", labels={"a": "1"}, annotations={LAST_APPLIED: text})
    with pytest.raises(ApiError, match=r"labels\.a"):
        applied(live, config(labels={"a": "2"}), "kubectl")


def test_kubectl_renews_the_annotation_of_client_side_apply() -> None:
    live, body = client_side(labels={"a": "1"})
    body["metadata"]["labels"] = {"a": "<2>"}
    new = applied(live, body, "kubectl")
    text = new["metadata"]["annotations"][LAST_APPLIED]
    assert codec.decode(text) == body
    assert text.startswith('{"apiVersion":')
    assert text.endswith("}\n")
    assert "\\u003c2\\u003e" in text


def test_an_annotation_that_would_grow_too_large_is_dropped() -> None:
    live, body = client_side(labels={"a": "1"})
    body["metadata"]["annotations"] = {"large": "x" * (ANNOTATIONS_MAX // 2)}
    new = applied(live, body, "kubectl")
    assert list(new["metadata"]["annotations"]) == ["large"]


# Laws

TEXTS = st.sampled_from(["1", "2"])
SOME_LABELS = st.dictionaries(st.sampled_from(["a", "b", "c"]), TEXTS, max_size=3)
FINALIZERS = st.lists(st.sampled_from(["e.com/a", "e.com/b", "e.com/c"]), unique=True, max_size=3)
OWNERS = st.lists(st.sampled_from(["1", "2", "3"]), unique=True, max_size=2)
BODIES = st.builds(
    lambda chosen, finalizers, uids: config(
        labels=chosen,
        finalizers=finalizers,
        ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid} for uid in uids],
    ),
    SOME_LABELS,
    FINALIZERS,
    OWNERS,
)
STEPS = st.lists(st.tuples(st.sampled_from(["one", "two", "editor"]), BODIES), min_size=1, max_size=5)


def history(steps: list[tuple[str, Object]]) -> Object:
    """Writes an object several times; returns the object after the last write.

    `steps`: the writes as pairs (field manager, body). The manager `editor` updates the metadata; other
    managers apply the body with force.
    """
    live = created()
    for manager, body in steps:
        if manager == "editor":
            live = updated(live, manager, body["metadata"])
        else:
            live = applied(live, body, manager, force=True)
    return live


@law
@given(STEPS, BODIES)
def test_applying_twice_is_applying_once(steps: list[tuple[str, Object]], body: Object) -> None:
    once = applied(history(steps), body, "one", force=True)
    assert applied(once, body, "one") == once


@law
@given(STEPS, BODIES)
def test_an_apply_that_is_not_forced_takes_nothing_from_others(
    steps: list[tuple[str, Object]], body: Object
) -> None:
    live = history(steps)
    try:
        new = applied(live, body, "one")
    except ApiError:
        return
    mine = "one/Apply"
    assert {name: fields for name, fields in owners(new).items() if name != mine} == {
        name: fields for name, fields in owners(live).items() if name != mine
    }
    for name, fields in owners(live).items():
        if name != mine:
            for label in fields.get("f:metadata", {}).get("f:labels", {}):
                if label != ".":
                    assert new["metadata"]["labels"][label[2:]] == live["metadata"]["labels"][label[2:]]


@law
@given(STEPS, BODIES)
def test_what_an_apply_says_is_so_and_is_owned(steps: list[tuple[str, Object]], body: Object) -> None:
    new = applied(history(steps), body, "one", force=True)
    assert body["metadata"]["labels"].items() <= new["metadata"].get("labels", {}).items()
    assert set(body["metadata"]["finalizers"]) <= set(new["metadata"].get("finalizers", []))
    owned = set(paths_of(owners(new).get("one/Apply", {})))
    assert {("f:metadata", "f:labels", "f:" + name) for name in body["metadata"]["labels"]} <= owned


@law
@given(STEPS, BODIES)
def test_updates_find_the_same_owners_whatever_is_remembered(
    steps: list[tuple[str, Object]], body: Object
) -> None:
    live = history(steps)
    new = canonical({**live, "metadata": {**live["metadata"], **body["metadata"]}})
    forgetful = FieldManager(SCHEMA, VERSION, "ResourceClaim", reset_fields=(("status",),))
    once = forgetful.update(live, copy.deepcopy(new), "three", LATER)
    assert codec.encode(MAIN.update(live, copy.deepcopy(new), "three", LATER)) == codec.encode(once)
    assert codec.encode(forgetful.update(live, copy.deepcopy(new), "three", LATER)) == codec.encode(once)


@law
@given(STEPS)
def test_managed_fields_are_canonical_and_name_only_what_is_there(steps: list[tuple[str, Object]]) -> None:
    live = history(steps)
    for fields in owners(live).values():
        assert codec.encode(from_fields_v1(fields)) == codec.encode(fields)
        for path in paths_of(fields):
            if path[:2] == ("f:metadata", "f:labels") and len(path) == 3:
                assert path[2][2:] in live["metadata"]["labels"]


@law
@given(STEPS, BODIES)
def test_neither_the_live_object_nor_the_configuration_is_changed(
    steps: list[tuple[str, Object]], body: Object
) -> None:
    live = history(steps)
    before = codec.encode([live, body])
    applied(live, body, "one", force=True)
    assert codec.encode([live, body]) == before


def test_an_update_that_spells_parameters_otherwise_takes_them_over() -> None:
    body = config()
    opaque = {"driver": "a", "parameters": {"a": 1, "b": 2}}
    body["spec"] = {"devices": {"config": [{"opaque": opaque}]}}
    live = applied(None, body, "applier")
    assert list(owners(updated(live, "updater", {}))) == ["applier/Apply"]
    live["spec"]["devices"]["config"][0]["opaque"]["parameters"] = {"b": 2, "a": 1}
    new = copy.deepcopy(live)
    new["spec"]["devices"]["config"][0]["opaque"]["parameters"] = {"a": 1, "b": 2}
    assert list(owners(MAIN.update(live, canonical(new), "updater", LATER))) == ["updater"]
