package devicestatus

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAnAllocatedDeviceBecomesReady(t *testing.T) {
	api := startController(t)
	claim := createAllocatedClaim(t, api, newNamespace(t, api), "gpu", DriverName)
	waitUntilReady(t, api, claim)
	if device := claim.Status.Devices[0].Device; device != "gpu-0" {
		t.Errorf("device %q is ready, want gpu-0", device)
	}
}

func TestADeviceOfAnotherDriverIsNotReported(t *testing.T) {
	api := startController(t)
	namespace := newNamespace(t, api)
	other := createAllocatedClaim(t, api, namespace, "other", "nic.example.com")
	// The controller handles one claim after the other. When the later claim is ready, it has seen both.
	waitUntilReady(t, api, createAllocatedClaim(t, api, namespace, "later", DriverName))
	check(t, api.Get(t.Context(), client.ObjectKeyFromObject(other), other))
	if len(other.Status.Devices) != 0 {
		t.Errorf("the controller wrote %v", other.Status.Devices)
	}
}
