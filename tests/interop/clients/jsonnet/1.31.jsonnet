// A claim of 1.31 and the status of one that is allocated and in use.
local k = { resource: { v1alpha3: import 'v1alpha3.libsonnet' } };
local resource = k.resource.v1alpha3;
local claim = resource.resourceClaim;
local request = resource.deviceRequest;
local result = resource.deviceRequestAllocationResult;
local status = resource.resourceClaimStatus;
local consumer = resource.resourceClaimConsumerReference;

{
  claim:
    claim.new('gpu')
    + claim.metadata.withNamespace('default')
    + claim.metadata.withLabelsMixin({ 'app.kubernetes.io/name': 'training' })
    + claim.spec.devices.withRequests(
      request.withName('gpu')
      + request.withDeviceClassName('gpu.example.com')
      + request.withAllocationMode('ExactCount')
      + request.withCount(2)
      + request.withSelectors(resource.deviceSelector.cel.withExpression('device.driver == "gpu.example.com"'))
    )
    + claim.spec.devices.withConstraints(
      resource.deviceConstraint.withRequests('gpu')
      + resource.deviceConstraint.withMatchAttribute('gpu.example.com/numa')
    ),
  status:
    status.allocation.devices.withResults([
      result.withRequest('gpu') + result.withDriver('gpu.example.com') + result.withPool('node-1') + result.withDevice('gpu-%d' % index)
      for index in [0, 1]
    ])
    + status.allocation.nodeSelector.withNodeSelectorTerms({
      matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
    })
    + status.withReservedFor(consumer.withResource('pods') + consumer.withName('trainer') + consumer.withUid('1')),
}
