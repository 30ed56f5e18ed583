"""Request options are validated as in k8s.io/apimachinery `pkg/apis/meta/v1/validation`."""

from typing import Any

import pytest

from fakeapi.machinery.field_errors import FieldError
from fakeapi.machinery.meta import options as meta_options
from fakeapi.machinery.meta.wording import Wording

DRY_RUN = 'dryRun: Unsupported value: []string{{{}}}: supported values: "All"'
POLICIES = '"Foreground", "Background", "Orphan", "nil"'
POLICY = f'propagationPolicy: Unsupported value: "{{}}": supported values: {POLICIES}'
BOTH = (
    'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set'
)
UNSAFE = "ignoreStoreReadErrorWithClusterBreakingPotential"


def printed(errors: list[FieldError]) -> list[str]:
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("options", "errors"),
    [
        ({}, []),
        ({"propagationPolicy": "Background", "dryRun": ["All", "All"], "gracePeriodSeconds": -1}, []),
        ({"orphanDependents": False}, []),
        ({"propagationPolicy": "Sideways"}, [POLICY.format("Sideways")]),
        ({"propagationPolicy": ""}, [POLICY.format("")]),
        ({"propagationPolicy": "Orphan", "orphanDependents": False}, [BOTH]),
        ({"dryRun": ["All", "Some"]}, [DRY_RUN.format('"All", "Some"')]),
        ({"dryRun": [""]}, [DRY_RUN.format('""')]),
        ({UNSAFE: True}, []),
        ({UNSAFE: False, "dryRun": ["All"]}, []),
        (
            {UNSAFE: True, "dryRun": ["All"], "preconditions": {}, "gracePeriodSeconds": 0},
            [
                f"{UNSAFE}: Invalid value: true: cannot be set together with .dryRun",
                f"{UNSAFE}: Invalid value: true: cannot be set together with .gracePeriodSeconds",
                f"{UNSAFE}: Invalid value: true: cannot be set together with .preconditions",
            ],
        ),
    ],
)
def test_delete_options_name_a_known_policy_once(options: dict[str, Any], errors: list[str]) -> None:
    assert printed(meta_options.validate_delete_options(options)) == errors


@pytest.mark.parametrize(
    ("options", "errors"),
    [
        ({"fieldManager": "m" * 128, "dryRun": ["All"], "fieldValidation": "Strict"}, []),
        ({"fieldManager": "kubectl edit é"}, []),
        ({"fieldManager": "é" * 65}, ["fieldManager: Too long: may not be more than 128 bytes"]),
        (
            {"fieldManager": "bé\tn\u200b"},
            [
                'fieldManager: Invalid value: "bé\\tn\\u200b": invalid character U+0009 (at position 3)',
                'fieldManager: Invalid value: "bé\\tn\\u200b": invalid character U+200B (at position 5)',
            ],
        ),
        (
            {"fieldValidation": "Sometimes", "dryRun": ["Some"]},
            [
                DRY_RUN.format('"Some"'),
                (
                    'fieldValidation: Unsupported value: "Sometimes": '
                    'supported values: "", "Ignore", "Strict", "Warn"'
                ),
            ],
        ),
    ],
)
def test_write_options_name_a_printable_manager(options: dict[str, Any], errors: list[str]) -> None:
    assert printed(meta_options.validate_write_options(options)) == errors


def test_the_wording_of_a_long_manager_is_the_release_s() -> None:
    older = Wording(too_long="must have at most {} bytes")
    errors = meta_options.validate_field_manager("m" * 129, "fieldManager", older)
    assert printed(errors) == ["fieldManager: Too long: must have at most 128 bytes"]


def test_of_a_huge_manager_one_unprintable_character_is_reported() -> None:
    errors = meta_options.validate_field_manager("\x01" * 100_000, "fieldManager")
    assert [error.reason for error in errors] == ["FieldValueTooLong", "FieldValueInvalid"]


def test_an_apply_needs_a_manager_and_alone_may_be_forced() -> None:
    force = {"force": False, "fieldManager": "m"}
    assert printed(meta_options.validate_patch_options(force, apply=True)) == []
    assert printed(meta_options.validate_patch_options(force, apply=False)) == [
        "force: Forbidden: may not be specified for non-apply patch"
    ]
    assert printed(meta_options.validate_patch_options({"dryRun": ["x"]}, apply=True)) == [
        "fieldManager: Required value: is required for apply patch",
        DRY_RUN.format('"x"'),
    ]
