// A claim of 1.30 and the status of one that is allocated and in use.
local k = { resource: { v1alpha2: import 'v1alpha2.libsonnet' } };
local resource = k.resource.v1alpha2;
local claim = resource.resourceClaim;
local status = resource.resourceClaimStatus;
local consumer = resource.resourceClaimConsumerReference;

{
  claim:
    claim.new('gpu')
    + claim.metadata.withNamespace('default')
    + claim.metadata.withLabelsMixin({ 'app.kubernetes.io/name': 'training' })
    + claim.spec.withResourceClassName('gpu.example.com')
    + claim.spec.withAllocationMode('WaitForFirstConsumer')
    + claim.spec.parametersRef.withApiGroup('gpu.example.com')
    + claim.spec.parametersRef.withKind('GpuClaimParameters')
    + claim.spec.parametersRef.withName('two-gpus'),
  status:
    status.withDriverName('gpu.example.com')
    + status.allocation.withResourceHandles(
      resource.resourceHandle.withDriverName('gpu.example.com') + resource.resourceHandle.withData('gpu-0,gpu-1')
    )
    + status.allocation.withShareable(true)
    + status.allocation.availableOnNodes.withNodeSelectorTerms({
      matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1'] }],
    })
    + status.withReservedFor(consumer.withResource('pods') + consumer.withName('trainer') + consumer.withUid('1')),
}
