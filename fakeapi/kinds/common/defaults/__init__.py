"""The defaults of the built-in kinds, as each release sets them.

`fakeapi/releases/data/<release>/defaults.json` contains the rules; tools/defaults.py describes their syntax.
`rules.py` compiles the rules. `functions.py` has the defaults that rules cannot express. `walk.py` applies
both to every value inside an object, by the value's type.
"""

from fakeapi.kinds.common.defaults.walk import apply_defaults

__all__ = ["apply_defaults"]
