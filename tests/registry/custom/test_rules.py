"""The server validates CEL rules in CustomResourceDefinitions, and applies them to custom objects."""

import copy
import threading
from typing import Any

import pytest

from fakeapi.clients.errors import StatusError
from fakeapi.machinery.cel.rules.validator import Outcome, RuleValidator
from fakeapi.testing.server import FakeAPI
from tests.http.asking import ask
from tests.registry.custom.world import DEFINITIONS, SCHEMA, WIDGETS, definition, version, widget

pytest.importorskip("cel_expr_python", reason="rules are evaluated with the extra cel alone")


def ruled(*rules: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """Returns a CustomResourceDefinition whose schema has these CEL rules for `spec`.

    `spec`: additional parts of the schema of `spec`.
    """
    schema = copy.deepcopy(SCHEMA)
    schema["properties"]["spec"] |= {"x-kubernetes-validations": list(rules), **spec}
    return definition(versions=[version(schema={"openAPIV3Schema": schema})])


def refused(server: FakeAPI, method: str, path: str, body: Any) -> list[tuple[str, str]]:
    """Sends a request that the server must refuse; returns the field and message of each cause."""
    with pytest.raises(StatusError) as refusal:
        server.request(method, path, body)
    causes = refusal.value.status["details"]["causes"]
    return [(cause["field"], cause["message"]) for cause in causes]


def test_an_object_that_breaks_a_rule_is_refused_with_the_rules_message(server: FakeAPI) -> None:
    server.request(
        "POST",
        DEFINITIONS,
        ruled(
            {"rule": "self.size < 10", "messageExpression": "self.size > 11 ? 'far too large' : 'too large'"},
            {"rule": "self.colour != 'red'", "fieldPath": ".colour", "reason": "FieldValueForbidden"},
        ),
    )
    assert refused(server, "POST", WIDGETS, widget(spec={"size": 12, "colour": "red"})) == [
        ("spec", 'Invalid value: "object": far too large'),
        ("spec.colour", "Forbidden: failed rule: self.colour != 'red'"),
    ]
    server.request("POST", WIDGETS, widget(spec={"size": 9, "colour": "blue"}))


def test_a_transition_rule_holds_for_updates_alone(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, ruled({"rule": "self.size >= oldSelf.size"}))
    stored = server.request("POST", WIDGETS, widget(spec={"size": 5}))
    stored["spec"]["size"] = 4
    assert refused(server, "PUT", f"{WIDGETS}/w", stored) == [
        ("spec", 'Invalid value: "object": failed rule: self.size >= oldSelf.size')
    ]


def test_an_update_may_keep_what_a_rule_forbids_and_is_warned_of_it(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, definition())
    created = server.request("POST", WIDGETS, widget(spec={"size": 50}))
    stored = server.request("GET", f"{DEFINITIONS}/widgets.example.com")
    stored["spec"]["versions"] = ruled({"rule": "self.size < 10"})["spec"]["versions"]
    server.request("PUT", f"{DEFINITIONS}/widgets.example.com", stored)
    created["metadata"]["labels"] = {"a": "b"}
    answer = ask(server, f"{WIDGETS}/w", "PUT", created)
    assert answer.code == 200
    assert answer.headers["warning"] == (
        '299 - "spec: Invalid value: \\"object\\": failed rule: self.size < 10"'
    )


def test_a_definition_with_a_rule_that_does_not_compile_is_refused(server: FakeAPI) -> None:
    errors = refused(server, "POST", DEFINITIONS, ruled({"rule": "self.nope > 1"}))
    (field, message), *rest = errors
    assert rest == []
    assert field == "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule"
    assert "compilation failed: ERROR: <input>:1:5: undefined field 'nope'" in message


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("self.true > 0", "1:6: Syntax error: mismatched input 'true' expecting IDENTIFIER"),
        ("has(self.null)", "1:10: Syntax error: mismatched input 'null' expecting IDENTIFIER"),
        ("self.in > 0", "1:6: Syntax error: no viable alternative at input '.in'"),
        ("self . false", "1:8: Syntax error: no viable alternative at input '. false'"),
    ],
)
def test_a_reserved_word_that_is_selected_is_told_as_cel_go_tells_it(
    server: FakeAPI, rule: str, fault: str
) -> None:
    ((_, message), *_) = refused(server, "POST", DEFINITIONS, ruled({"rule": rule}))
    assert fault in message


def test_a_definition_with_a_rule_that_may_cost_too_much_is_refused(server: FakeAPI) -> None:
    texts = {"type": "array", "items": {"type": "string"}}
    costly = {"rule": "self.all(one, self.all(other, one == other))"}
    schema = {"type": "object", "properties": {"texts": texts | {"x-kubernetes-validations": [costly]}}}
    body = definition(versions=[version(schema={"openAPIV3Schema": schema})])
    messages = [message for _, message in refused(server, "POST", DEFINITIONS, body)]
    assert messages[0].startswith("Forbidden: estimated rule cost exceeds budget by factor of more than 100x")
    assert len(messages) == 3


COSTLY = {"rule": "self.all(one, self.all(other, one + other > 0))"}
SPENT = "validation failed due to running out of cost budget, no further validation rules will be run"
PATIENCE_SECONDS = 60


def costly(lists: int) -> dict[str, Any]:
    """Returns a CustomResourceDefinition with `lists` list fields; each has a CEL rule of high cost."""
    numbers = {"type": "array", "maxItems": 400, "items": {"type": "integer"}}
    properties = {f"list{each}": numbers | {"x-kubernetes-validations": [COSTLY]} for each in range(lists)}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    return definition(versions=[version(schema={"openAPIV3Schema": schema})])


def test_an_object_whose_rules_cost_more_than_they_may_is_refused(
    server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RuleValidator.validate, "__defaults__", (None, "", 100_000))
    server.request("POST", DEFINITIONS, costly(2))
    one = list(range(1, 91))
    server.request("POST", WIDGETS, widget(spec={"list0": one}))
    assert refused(server, "POST", WIDGETS, widget("v", spec={"list0": one, "list1": one})) == [
        ("spec.list1", f'Invalid value: "array": {SPENT}')
    ]


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_others_are_served_while_costly_rules_are_evaluated(
    server: FakeAPI, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    validate = RuleValidator.validate

    def held(self: RuleValidator, *arguments: Any) -> Outcome:
        outcome = validate(self, *arguments)  # on the event loop, this stops before its end
        begun.set()
        assert may_end.wait(PATIENCE_SECONDS)
        return outcome

    server.request("POST", DEFINITIONS, costly(1))
    body = widget(spec={})
    if method == "PUT":
        body = server.request("POST", WIDGETS, body)
    body["spec"]["list0"] = list(range(1, 201))
    path = f"{WIDGETS}/w" if method == "PUT" else WIDGETS
    monkeypatch.setattr(RuleValidator, "validate", held)
    writing = threading.Thread(target=server.request, args=(method, path, body), daemon=True)
    writing.start()
    assert begun.wait(PATIENCE_SECONDS)
    server.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "meanwhile"}})
    may_end.set()
    writing.join(PATIENCE_SECONDS)
    assert len(server.request("GET", f"{WIDGETS}/w")["spec"]["list0"]) == 200


def test_rules_are_not_evaluated_where_the_schema_is_not_kept(server: FakeAPI) -> None:
    server.request("POST", DEFINITIONS, ruled({"rule": "self.size < 10"}, required=["colour"]))
    unchecked = "some validation rules were not checked because the object was invalid"
    assert refused(server, "POST", WIDGETS, widget(spec={"size": 12})) == [
        ("spec.colour", "Required value"),
        ("<nil>", f'Invalid value: "null": {unchecked}; correct the existing errors to complete validation'),
    ]


def test_without_the_extra_rules_are_accepted_unread_with_a_warning(
    server: FakeAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fakeapi.machinery.cel.library.is_installed", lambda: False)
    answer = ask(server, DEFINITIONS, "POST", ruled({"rule": "self.nope > 1"}))
    assert answer.code == 201
    assert "fakeapi does not check x-kubernetes-validations" in answer.headers["warning"]
    server.request("POST", WIDGETS, widget(spec={"size": 12}))
