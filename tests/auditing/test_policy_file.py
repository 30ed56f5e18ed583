"""An audit policy file is read like kube-apiserver's, with its error messages."""

import logging
import re
from pathlib import Path

import pytest

from fakeapi.auditing.policy import LEVEL_NAMES
from fakeapi.auditing.policy_file import POLICY_BYTES_MAX, PolicyError, read_policy
from tests.installation import ROOT

HEAD = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
NOT_A_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
UNKNOWN_VERSION = "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy"
GO_TYPE = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)

INVALID = [
    ("", UNKNOWN_VERSION),
    ("kind: Policy\nrules: [{level: None}]", UNKNOWN_VERSION),
    (
        HEAD,
        "loaded illegal policy with 0 rules",
    ),
    (
        "apiVersion: audit.k8s.io/v1beta1\nkind: Policy",
        (
            'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in '
            'scheme "pkg/runtime/scheme.go:111"'
        ),
    ),
    (
        "apiVersion: audit.k8s.io/v1\nkind: PolicyList",
        "failed decoding: converting (v1.PolicyList) to (audit.Policy): unknown conversion",
    ),
    (
        "a: [b",
        "failed decoding: yaml: line 1: did not find expected ',' or ']'",
    ),
    (
        "hello",
        (
            "failed decoding: couldn't get version/kind; json parse error: json: cannot unmarshal "
            f"string into Go value of type {GO_TYPE}"
        ),
    ),
    (
        HEAD + "rules: 5",
        (
            "failed decoding: json: cannot unmarshal number into Go struct field Policy.rules of "
            "type []v1.PolicyRule"
        ),
    ),
    (
        HEAD + "rules: [{level: 5}]",
        (
            "failed decoding: json: cannot unmarshal number into Go struct field "
            "PolicyRule.rules.level of type v1.Level"
        ),
    ),
    (
        HEAD + "rules: [{level: None, omitManagedFields: 3}]",
        (
            "failed decoding: json: cannot unmarshal number into Go struct field "
            "PolicyRule.rules.omitManagedFields of type bool"
        ),
    ),
    (
        HEAD + "rules: [{level: Foo}, {}]",
        (
            '[rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", '
            '"Request", "RequestResponse", rules[1].level: Required value]'
        ),
    ),
    (
        HEAD + "omitStages: [X]\nrules: [{level: None}]",
        (
            'omitStages[0]: Invalid value: "X": allowed stages are '
            "RequestReceived,ResponseStarted,ResponseComplete,Panic"
        ),
    ),
    (
        HEAD + 'rules: [{level: None, nonResourceURLs: [a, /b*c, "*"]}]',
        (
            '[rules[0].nonResourceURLs[0]: Invalid value: "a": non-resource URL rules must begin '
            "with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: \"/b*c\": non-resource "
            "URL wildcards '*' must be the final character of the rule]"
        ),
    ),
    (
        HEAD + "rules: [{level: None, nonResourceURLs: [/a], namespaces: [x]}]",
        (
            'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular '
            "resources and non-resource URLs"
        ),
    ),
    (
        HEAD + "rules: [{level: None, resources: [{group: a/b}, {resourceNames: [q]}]}]",
        (
            f'[rules[0].resources.group: Invalid value: "a/b": {NOT_A_SUBDOMAIN}'
            ", "
            'rules[0].resources.resourceNames: Invalid value: ["q"]: using resourceNames requires at '
            "least one resource]"
        ),
    ),
]
"""Invalid policies with the messages of k8s.io/apiserver 0.37.1 for the same files."""


def written(directory: Path, text: str) -> Path:
    path = directory / "policy.yaml"
    path.write_text(text)
    return path


def test_a_file_with_all_members_is_a_policy(tmp_path: Path) -> None:
    rules = """
metadata: {name: p}
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: RequestResponse
  users: [jane]
  userGroups: [dev]
  verbs: [create]
  resources: [{group: apps, resources: [deployments], resourceNames: [d]}]
  namespaces: [ns]
  omitStages: [Panic]
  omitManagedFields: false
- level: Metadata
  nonResourceURLs: [/healthz*]
"""
    policy = read_policy(written(tmp_path, HEAD + rules))
    assert [LEVEL_NAMES[rule.decision.level] for rule in policy.rules] == ["RequestResponse", "Metadata"]
    first, second = policy.rules
    assert (first.users, first.groups, first.verbs, first.namespaces) == (
        ("jane",), ("dev",), ("create",), ("ns",),
    )  # fmt: skip
    entry = first.resources[0]
    assert (entry.group, entry.resources, entry.names) == ("apps", ("deployments",), ("d",))
    assert second.paths == ("/healthz*",)


def test_the_policy_in_the_documentation_is_valid(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "audit.md").read_text(), re.DOTALL)
    assert len(read_policy(written(tmp_path, text)).rules) == 4


def test_a_policy_in_json_and_without_a_kind_is_read(tmp_path: Path) -> None:
    text = '{"apiVersion": "audit.k8s.io/v1", "rules": [{"level": "Request"}]}'
    assert len(read_policy(written(tmp_path, text)).rules) == 1


@pytest.mark.parametrize(("text", "message"), INVALID)
def test_an_invalid_policy_has_the_message_of_kube_apiserver(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(PolicyError) as refused:
        read_policy(path)
    assert str(refused.value) == f"loading audit policy file: {message}: from file {path}"


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none"
    with pytest.raises(PolicyError) as refused:
        read_policy(path)
    reason = f'failed to read file path "{path}": open {path}: no such file or directory'
    assert str(refused.value) == f"loading audit policy file: {reason}"


def test_a_policy_of_more_than_a_mebibyte_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "#" * POLICY_BYTES_MAX)
    with pytest.raises(PolicyError, match="longer than 1048576 bytes"):
        read_policy(path)


def test_unknown_fields_are_ignored_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "fakeapi"):
        read_policy(written(tmp_path, f"{HEAD}rules: [{{level: None, user: [a]}}]"))
    assert 'unknown field "rules[0].user"' in caplog.text
