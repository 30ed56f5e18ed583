"""The server selects admission plugins with the same options as kube-apiserver."""

from collections.abc import Callable

import pytest
from click.testing import CliRunner

from fakeapi.admission.plugins import DEFAULT_PLUGINS
from fakeapi.admission.plugins.optional import OPTIONAL_PLUGINS
from fakeapi.admission.selection import MISSING, NAMES, AdmissionPluginError, selected
from fakeapi.cli.main import main
from fakeapi.testing.server import FakeAPI
from tests.admission.bodies import body


@pytest.mark.parametrize(
    ("enable", "disable", "message"),
    [
        ("Nope", "", 'enable-admission-plugins plugin "Nope" is unknown'),
        ("", "priority", 'disable-admission-plugins plugin "priority" is unknown'),
        (
            "Priority,PodSecurity",
            "PodSecurity",
            "[PodSecurity] in enable-admission-plugins and disable-admission-plugins overlapped",
        ),
        ("EventRateLimit", "", "fakeapi has no admission plugin EventRateLimit"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(enable: str, disable: str, message: str) -> None:
    with pytest.raises(AdmissionPluginError) as caught:
        selected(enable, disable)
    assert str(caught.value) == message


def test_plugins_are_asked_in_kubernetes_order_however_they_are_named() -> None:
    entries = selected(" AlwaysPullImages ,ServiceAccount,", "PodSecurity").entries
    names = [each.name for each in entries if each.name in NAMES]
    assert names == sorted(names, key=NAMES.index)
    assert {"AlwaysPullImages", "ServiceAccount"} < set(names)
    assert "PodSecurity" not in names


def test_what_is_always_on_is_on_again_and_what_is_not_there_is_said() -> None:
    assert selected("Priority", "").entries == DEFAULT_PLUGINS
    assert not MISSING & {each.name for each in (*DEFAULT_PLUGINS, *OPTIONAL_PLUGINS)}


def test_a_plugin_that_is_off_stays_off_when_something_asks_for_it(
    fakeapi_factory: Callable[..., FakeAPI],
) -> None:
    api = fakeapi_factory(disable_admission_plugins="ResourceQuota,NamespaceLifecycle")
    created = api.create(body("ResourceQuota", "q", spec={"hard": {"configmaps": "0"}}))
    api.update_status({**created, "status": {"hard": {"configmaps": "0"}, "used": {"configmaps": "0"}}})
    api.create(body("ConfigMap", "a"))
    api.create(body("ConfigMap", "a"), namespace="nowhere")


def test_the_command_says_what_is_wrong_with_its_options() -> None:
    outcome = CliRunner().invoke(main, ["serve", "--enable-admission-plugins", "Nope"])
    assert outcome.exit_code
    assert 'enable-admission-plugins plugin "Nope" is unknown' in outcome.output
