// resource.k8s.io/v1alpha2 of Kubernetes 1.30, in the shape of k8s-libsonnet.
{
  resourceClaim: {
    new(name): { apiVersion: 'resource.k8s.io/v1alpha2', kind: 'ResourceClaim' } + self.metadata.withName(name),
    metadata: {
      withName(name): { metadata+: { name: name } },
      withNamespace(namespace): { metadata+: { namespace: namespace } },
      withLabelsMixin(labels): { metadata+: { labels+: labels } },
      withFinalizers(finalizers): { metadata+: { finalizers: if std.isArray(finalizers) then finalizers else [finalizers] } },
    },
    spec: {
      parametersRef: {
        withApiGroup(group): { spec+: { parametersRef+: { apiGroup: group } } },
        withKind(kind): { spec+: { parametersRef+: { kind: kind } } },
        withName(name): { spec+: { parametersRef+: { name: name } } },
      },
      withAllocationMode(mode): { spec+: { allocationMode: mode } },
      withResourceClassName(name): { spec+: { resourceClassName: name } },
    },
  },
  resourceHandle: {
    withData(data): { data: data },
    withDriverName(name): { driverName: name },
  },
  resourceClaimConsumerReference: {
    withName(name): { name: name },
    withResource(resource): { resource: resource },
    withUid(uid): { uid: uid },
  },
  resourceClaimStatus: {
    allocation: {
      withResourceHandles(handles): { allocation+: { resourceHandles: if std.isArray(handles) then handles else [handles] } },
      withShareable(shareable): { allocation+: { shareable: shareable } },
      availableOnNodes: {
        withNodeSelectorTerms(terms): { allocation+: { availableOnNodes+: { nodeSelectorTerms: if std.isArray(terms) then terms else [terms] } } },
      },
    },
    withDriverName(name): { driverName: name },
    withReservedFor(references): { reservedFor: if std.isArray(references) then references else [references] },
  },
}
