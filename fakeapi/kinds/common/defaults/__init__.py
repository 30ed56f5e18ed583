"""The defaults of the built-in kinds, as each release sets them.

The rules are data, `fakeapi/releases/data/<release>/defaults.json`; tools/defaults.py describes their syntax.
`rules.py` compiles the rules. `functions.py` has the defaults that rules cannot express. `walk.py` applies
both to every value inside an object, by its type.
"""

from fakeapi.kinds.common.defaults.walk import apply_defaults

__all__ = ["apply_defaults"]
