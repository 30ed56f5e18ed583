"""The name of a client in a trace consists of the program, the component and the user."""

import pytest

from fakeapi.traces.actors import actor


@pytest.mark.parametrize(
    ("agent", "user", "name"),
    [
        (
            "kube-scheduler/v1.31.0 (linux/amd64) kubernetes/9edc/scheduler",
            "u",
            "kube-scheduler/scheduler (u)",
        ),
        ("kubectl/v1.31.0 (linux/amd64) kubernetes/9edc", "", "kubectl"),
        ("Python-urllib/3.11", "system:anonymous", "Python-urllib"),
        ("", "", "unknown"),
    ],
)
def test_an_actor_is_a_program_its_component_and_its_user(agent: str, user: str, name: str) -> None:
    assert actor(agent, user) == name
