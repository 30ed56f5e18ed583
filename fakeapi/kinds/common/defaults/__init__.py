"""Sets the defaults of the built-in kinds, by the rules of each release.

`fakeapi/releases/data/<release>/defaults.json` contains the rules; tools/defaults.py describes their syntax.
`rules.py` compiles the rules. `functions.py` has the defaults that rules cannot express. `walk.py` applies
rules and functions to an object and to every value inside it.
"""

from fakeapi.kinds.common.defaults.walk import apply_defaults

__all__ = ["apply_defaults"]
