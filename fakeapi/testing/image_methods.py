"""ImageMethods: the methods of FakeAPI for containers that run as local processes."""

from pathlib import Path

from fakeapi.run_images import RunImage
from fakeapi.testing.server_methods import ServerMethods


class ImageMethods(ServerMethods):
    """Runs the containers of images as local processes."""

    def run_image(self, image: str, directory: str | Path) -> None:
        """Runs the containers of an image as local processes, like the option `run`.

            api.run_image("*/my-driver", "build/image")

        Affects pods that are created later. Starts all controllers if the server runs none.

        - `image`: the name of the image; `*` stands for any characters. A name without a tag stands for all
          tags.
        - `directory`: the files of the image, or its only program.

        Raises ValueError for an invalid name of an image, and for a path that is not a directory or an
        executable file. Raises RuntimeError if the server does not run, or if it runs controllers without the
        kubelet.
        """
        server, files = self._running(), RunImage.of(image, directory)
        server.call(lambda: server.simulation.run_image(files))
