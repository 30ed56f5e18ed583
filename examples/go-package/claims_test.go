package devicestatus

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/devicestatus/fakeapitest"
)

func TestAClaimIsStored(t *testing.T) {
	server := fakeapitest.Start(t)
	client := kubernetes.NewForConfigOrDie(server.Config)
	request := resourcev1.DeviceRequest{
		Name:    "gpu",
		Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.example.com"},
	}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{request}
	claim, err := client.ResourceV1().ResourceClaims("default").Create(t.Context(), claim, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if mode := claim.Spec.Devices.Requests[0].Exactly.AllocationMode; mode != resourcev1.DeviceAllocationModeExactCount {
		t.Errorf("the allocation mode is %q", mode)
	}
}
