"""The defaults of the built-in kinds, as each release sets them.

The rules are data, `fakeapi/releases/data/<release>/defaults.json`; what a rule may say is written in
tools/defaults.py. `rules.py` compiles them, `functions.py` holds what no rule can say, and `walk.py` applies
both wherever a type stands inside an object.
"""

from fakeapi.kinds.common.defaults.walk import apply_defaults

__all__ = ["apply_defaults"]
