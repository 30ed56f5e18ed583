"""Place: the module and class of a controller, and the resources that start it."""

from typing import NamedTuple


class Place(NamedTuple):
    """Describes where a controller is implemented.

    - `module` and `member`: the module and the class.
    - `needs`: the resources that the controller reconciles, as (group, plural). The controller starts when
      the first object of such a resource is stored. () starts the controller with the server.
    - `initial`: the number of objects of these resources in every cluster. These objects do not start the
      controller.
    """

    module: str
    member: str
    needs: tuple[tuple[str, str], ...] = ()
    initial: int = 0
