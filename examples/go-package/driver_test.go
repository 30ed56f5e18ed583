package devicestatus

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"example.com/devicestatus/fakeapitest"
)

const namespace = "default"

func TestDriver(t *testing.T) {
	server := fakeapitest.Start(t)
	tests := []struct {
		name      string
		conflicts int
		codes     []int
	}{
		{"writes the status once", 0, []int{200}},
		{"retries after a conflict", 1, []int{409, 200}},
		{"retries after each conflict", 3, []int{409, 409, 409, 200}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Cleanup(server.Reset)
			if test.conflicts > 0 {
				server.Fault("conflict", "update resourceclaims/status", map[string]any{"times": test.conflicts})
			}
			client := startDriver(t, server)
			createAllocatedClaim(t, client, "gpu")
			waitUntilReady(t, client, "gpu")
			// The driver handles one event after the other. When the later claim is ready, the driver has seen its
			// own write to the first claim.
			createAllocatedClaim(t, client, "later")
			waitUntilReady(t, client, "later")

			updates := server.Requests("update resourceclaims/status default/gpu")
			if codes := fakeapitest.Codes(updates); !slices.Equal(codes, test.codes) {
				t.Errorf("the updates were answered with %v, want %v: %v", codes, test.codes, updates)
			}
		})
	}
}

// startDriver runs the driver until the end of the test.
func startDriver(t *testing.T, server *fakeapitest.Server) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(server.Config)
	check(t, err)
	stopped := make(chan error, 1)
	go func() { stopped <- Run(t.Context(), client) }() // the context ends before the cleanup
	t.Cleanup(func() {
		if err := <-stopped; err != nil {
			t.Error("the driver failed:", err)
		}
	})
	return client
}

// createAllocatedClaim creates a claim, and allocates a device of the driver to it, as the scheduler does.
func createAllocatedClaim(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	claims := client.ResourceV1().ResourceClaims(namespace)
	_, err := claims.Create(t.Context(), &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name:    "gpu",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: DriverName},
		}}}},
	}, metav1.CreateOptions{})
	check(t, err)
	status := resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "gpu", Driver: DriverName, Pool: "node", Device: "gpu-0"},
		}},
	}}
	patch, err := json.Marshal(map[string]any{"status": status})
	check(t, err)
	_, err = claims.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	check(t, err)
}

// waitUntilReady watches a claim until a device has the condition Ready.
func waitUntilReady(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	listWatch := cache.NewListWatchFromClient(
		client.ResourceV1().RESTClient(), "resourceclaims", namespace, fields.OneTermEqualSelector("metadata.name", name))
	_, err := watchtools.UntilWithSync(ctx, listWatch, &resourcev1.ResourceClaim{}, nil, func(event watch.Event) (bool, error) {
		for _, device := range event.Object.(*resourcev1.ResourceClaim).Status.Devices {
			if meta.IsStatusConditionTrue(device.Conditions, Ready) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Fatalf("claim %s is not ready: %v", name, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
