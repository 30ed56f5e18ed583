"""OptionsKeeper: restores the images and webhook services of a server to its options at each reset."""

from fakeapi.cluster import Attachment, Cluster
from fakeapi.run_images import RunImage


class OptionsKeeper(Attachment):
    """Restores the images and the webhook services of the options when a server is reset."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._images: list[RunImage] = list(cluster.run_images)
        self._services = cluster.service_urls.entries()

    async def after_replacement(self, *, empty: bool) -> None:
        if empty:
            self._cluster.run_images.replace(self._images)
            self._cluster.service_urls.replace(self._services)
