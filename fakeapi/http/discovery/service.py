"""Discovery over HTTP: maps each path outside of API resources to its document.

Each path supports the same methods and media types as in k8s.io/apiserver.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fakeapi.aggregation.discovered import DiscoveredApis
from fakeapi.http.discovery.aggregated import AggregatedDiscovery
from fakeapi.http.discovery.answers import check_route, indented
from fakeapi.http.discovery.groups import GroupDocuments
from fakeapi.http.discovery.health import health, health_paths, is_health
from fakeapi.http.discovery.openapi.service import OpenAPI
from fakeapi.http.discovery.openid import openid_document
from fakeapi.http.discovery.version import version
from fakeapi.http.metrics.page import METRICS, MetricsPage
from fakeapi.http.negotiation import OFFERED
from fakeapi.http.request import Request
from fakeapi.http.response import Response
from fakeapi.machinery.meta.request_info import RequestInfo
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.offloading.heavy_steps import HeavySteps

if TYPE_CHECKING:
    from fakeapi.registry.identity.token_signer import TokenSigner


class Discovery:
    """The documents about the server itself: API groups, health, metrics, version and OpenAPI.

    Most documents are generated at the first request after the API resources in the catalogue change.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        signer: Callable[[], "TokenSigner"],
        heavy: HeavySteps,
        metrics: MetricsPage,
        delegated: DiscoveredApis,
    ) -> None:
        self._catalogue = catalogue
        self._signer = signer
        self._groups = GroupDocuments(catalogue, delegated)
        self._aggregated = AggregatedDiscovery(catalogue, delegated)
        self._metrics = metrics
        self._openapi = OpenAPI(catalogue, heavy)

    def is_open(self, request: Request) -> bool:
        """Whether the server accepts this request without a token. True only for health checks."""
        return is_health(request, self._catalogue.primary)

    async def document(self, request: Request) -> Response | None:
        """Returns the document of a path outside of API groups, such as /version; None for an unknown path.

        Raises ApiError 405 if the path does not support the method, and 406 if the client accepts no
        available media type.
        """
        path = request.path
        if (response := health(request, self._catalogue.primary)) is not None:
            return response
        match path:
            case "/" | "/index.html":
                return indented({"paths": self._paths()})
            case "/metrics":
                return self._metrics.document(request)
            case "/version" | "/version/":
                return version(request, self._catalogue.primary)
            case "/api" | "/api/":
                check_route(request, OFFERED)
                return self._aggregated.document(request, core=True) or self._groups.core_versions(request)
            case "/apis":
                return self._aggregated.document(request, core=False) or self._groups.group_list(request)
            case "/apis/":
                return self._groups.group_list(request)
        return openid_document(request, self._signer) or await self._openapi.document(request)

    def of_group(self, request: Request, info: RequestInfo) -> Response:
        """Returns the APIGroup of the group in the path, or the APIResourceList if the path has a version.

        Raises ApiError:

        - 404 for a version that is not served,
        - 405 for methods except GET, if the path has a version,
        - 406 if the client accepts no available representation.
        """
        return self._groups.of_group(request, info)

    def of_delegated_group(self, request: Request, group: str) -> Response | None:
        """Returns the APIGroup of a group that only APIServices with a Service have; None for other groups.

        Raises ApiError 406 if the client accepts no available representation.
        """
        return self._groups.of_delegated_group(request, group)

    def _paths(self) -> list[str]:
        paths = ["/api", "/api/v1", "/apis", "/apis/"]
        for group in self._groups.names():
            paths.append(f"/apis/{group}")
            paths += (f"/apis/{group}/{version_name}" for version_name in self._catalogue.versions(group))
        paths += health_paths(self._catalogue.primary)
        return sorted([*paths, METRICS, "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"])
