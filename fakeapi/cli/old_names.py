"""Old names of options, which commands still accept but do not show in their help."""

from collections.abc import Callable, Mapping


def with_new_names(new_names: Mapping[str, str]) -> Callable[[str], str]:
    """Returns a `token_normalize_func` of click that replaces old names of options by their new names.

    `new_names`: the new name for each old name, both without dashes: {"url": "server"} accepts `--url`.
    """
    return lambda name: new_names.get(name, name)
