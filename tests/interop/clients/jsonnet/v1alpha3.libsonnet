// resource.k8s.io/v1alpha3 of Kubernetes 1.31, in the shape of k8s-libsonnet.
{
  resourceClaim: {
    new(name): { apiVersion: 'resource.k8s.io/v1alpha3', kind: 'ResourceClaim' } + self.metadata.withName(name),
    metadata: {
      withName(name): { metadata+: { name: name } },
      withNamespace(namespace): { metadata+: { namespace: namespace } },
      withLabelsMixin(labels): { metadata+: { labels+: labels } },
      withFinalizers(finalizers): { metadata+: { finalizers: if std.isArray(finalizers) then finalizers else [finalizers] } },
    },
    spec: {
      devices: {
        withConfig(config): { spec+: { devices+: { config: if std.isArray(config) then config else [config] } } },
        withConstraints(constraints): { spec+: { devices+: { constraints: if std.isArray(constraints) then constraints else [constraints] } } },
        withRequests(requests): { spec+: { devices+: { requests: if std.isArray(requests) then requests else [requests] } } },
      },
    },
  },
  deviceRequest: {
    withAllocationMode(mode): { allocationMode: mode },
    withCount(count): { count: count },
    withDeviceClassName(name): { deviceClassName: name },
    withName(name): { name: name },
    withSelectors(selectors): { selectors: if std.isArray(selectors) then selectors else [selectors] },
  },
  deviceSelector: {
    cel: {
      withExpression(expression): { cel+: { expression: expression } },
    },
  },
  deviceConstraint: {
    withMatchAttribute(attribute): { matchAttribute: attribute },
    withRequests(requests): { requests: if std.isArray(requests) then requests else [requests] },
  },
  deviceRequestAllocationResult: {
    withDevice(device): { device: device },
    withDriver(driver): { driver: driver },
    withPool(pool): { pool: pool },
    withRequest(request): { request: request },
  },
  resourceClaimConsumerReference: {
    withName(name): { name: name },
    withResource(resource): { resource: resource },
    withUid(uid): { uid: uid },
  },
  resourceClaimStatus: {
    allocation: {
      devices: {
        withResults(results): { allocation+: { devices+: { results: if std.isArray(results) then results else [results] } } },
      },
      nodeSelector: {
        withNodeSelectorTerms(terms): { allocation+: { nodeSelector+: { nodeSelectorTerms: if std.isArray(terms) then terms else [terms] } } },
      },
    },
    withReservedFor(references): { reservedFor: if std.isArray(references) then references else [references] },
  },
}
