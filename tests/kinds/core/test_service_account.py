"""ServiceAccount of core/v1: the server keeps only the names in references to secrets."""

from tests.kinds.judging import created, resource_of


def test_of_references_to_secrets_only_names_are_kept() -> None:
    accounts = resource_of("1.33", "", "v1", "serviceaccounts")
    secrets = [{"name": "a", "namespace": "b", "uid": "u"}, {"fieldPath": "x"}, {"name": "c"}]
    assert created(accounts, {"secrets": secrets})["secrets"] == [{"name": "a"}, {}, {"name": "c"}]
