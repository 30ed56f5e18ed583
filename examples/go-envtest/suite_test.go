package devicestatus

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// restConfig is the configuration of an administrator of the API server that envtest has started.
var restConfig *rest.Config

func TestMain(m *testing.M) {
	ctrl.SetLogger(klog.Background())
	environment := &envtest.Environment{}
	var err error
	if restConfig, err = environment.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "starting envtest:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := environment.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping envtest:", err)
		code = 1
	}
	os.Exit(code)
}

// startController runs the controller until the end of the test, and returns a client without a cache.
func startController(t *testing.T) client.Client {
	t.Helper()
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		Metrics: metrics.Options{BindAddress: "0"},
		// Each test starts a controller with the same name.
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	check(t, err)
	reconciler := &Reconciler{Client: manager.GetClient(), APIReader: manager.GetAPIReader()}
	check(t, reconciler.SetupWithManager(manager))
	stopped := make(chan error, 1)
	go func() { stopped <- manager.Start(t.Context()) }() // the context ends before the cleanup
	t.Cleanup(func() {
		if err := <-stopped; err != nil {
			t.Error("the manager failed:", err)
		}
	})
	api, err := client.New(restConfig, client.Options{})
	check(t, err)
	return api
}

// newNamespace creates a namespace, so that tests do not share claims.
func newNamespace(t *testing.T, api client.Client) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	check(t, api.Create(t.Context(), namespace))
	return namespace.Name
}

// createAllocatedClaim creates a claim, and allocates a device of the driver to it, as the scheduler does.
func createAllocatedClaim(t *testing.T, api client.Client, namespace, name, driver string) *resourcev1.ResourceClaim {
	t.Helper()
	claim := &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name:    "gpu",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: driver},
		}}}},
	}
	check(t, api.Create(t.Context(), claim))
	base := claim.DeepCopy()
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "gpu", Driver: driver, Pool: "node", Device: "gpu-0"},
		},
	}}
	check(t, api.Status().Patch(t.Context(), claim, client.MergeFrom(base)))
	return claim
}

// waitUntilReady waits until each allocated device of the claim has the condition Ready.
func waitUntilReady(t *testing.T, api client.Client, claim *resourcev1.ResourceClaim) {
	t.Helper()
	const interval, timeout = 10 * time.Millisecond, 20 * time.Second
	err := wait.PollUntilContextTimeout(t.Context(), interval, timeout, true, func(ctx context.Context) (bool, error) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(claim), claim); err != nil {
			return false, err
		}
		for _, device := range claim.Status.Devices {
			if !meta.IsStatusConditionTrue(device.Conditions, Ready) {
				return false, nil
			}
		}
		return len(claim.Status.Devices) > 0, nil
	})
	if err != nil {
		t.Fatalf("claim %s is not ready: %v", claim.Name, err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
