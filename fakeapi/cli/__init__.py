"""The command line."""

import os

STARTED_BY = os.getppid()
"""Process id of the process that started the command.

`--end-with-parent` needs it as early as possible: if the parent ends first, the system assigns another
parent.
"""
