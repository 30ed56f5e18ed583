package main

import (
	resource "k8s.io/api/resource/v1alpha3"
	"k8s.io/client-go/applyconfigurations/resource/v1alpha3"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	client "k8s.io/client-go/kubernetes/typed/resource/v1alpha3"
	"k8s.io/client-go/tools/cache"
)

type (
	Claim  = resource.ResourceClaim
	Claims = client.ResourceClaimInterface
)

var version = resource.SchemeGroupVersion

func claimsOf(client kubernetes.Interface) Claims {
	return client.ResourceV1alpha3().ResourceClaims(namespace)
}

func informerOf(factory informers.SharedInformerFactory) cache.SharedIndexInformer {
	return factory.Resource().V1alpha3().ResourceClaims().Informer()
}

func applied() *v1alpha3.ResourceClaimApplyConfiguration {
	return v1alpha3.ResourceClaim(name, namespace).WithLabels(map[string]string{"applied": "yes"})
}

func spec() resource.ResourceClaimSpec {
	return resource.ResourceClaimSpec{Devices: resource.DeviceClaim{
		Requests: []resource.DeviceRequest{{Name: "gpu", DeviceClassName: "gpu.example.com"}},
	}}
}
