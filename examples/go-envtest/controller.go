// Package devicestatus is a controller that reports allocated devices as ready, in the status of their ResourceClaim.
package devicestatus

import (
	"context"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// DriverName is the driver whose devices the controller reports.
	DriverName = "gpu.example.com"
	// Ready is the type of the condition that the controller writes.
	Ready = "Ready"
)

// Reconciler writes the condition Ready for each allocated device of the driver.
type Reconciler struct {
	client.Client
	// APIReader reads from the API server. After a conflict, the cache may still contain the old claim.
	APIReader client.Reader
}

// SetupWithManager adds the controller to a manager.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&resourcev1.ResourceClaim{}).Complete(r)
}

// Reconcile updates the status of a claim, and tries again after a conflict.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		var claim resourcev1.ResourceClaim
		if err := r.APIReader.Get(ctx, request.NamespacedName, &claim); err != nil {
			return err
		}
		if !setReady(&claim) {
			return nil
		}
		return r.Status().Update(ctx, &claim)
	})
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

// setReady sets the condition Ready for each allocated device of the driver. It reports whether the claim changed.
func setReady(claim *resourcev1.ResourceClaim) bool {
	if claim.Status.Allocation == nil {
		return false
	}
	changed := false
	for _, allocated := range claim.Status.Allocation.Devices.Results {
		if allocated.Driver != DriverName {
			continue
		}
		condition := metav1.Condition{Type: Ready, Status: metav1.ConditionTrue, Reason: "Prepared"}
		if meta.SetStatusCondition(&deviceStatus(claim, allocated).Conditions, condition) {
			changed = true
		}
	}
	return changed
}

// deviceStatus returns the status of an allocated device. It adds an empty one to the claim if there is none.
func deviceStatus(claim *resourcev1.ResourceClaim, allocated resourcev1.DeviceRequestAllocationResult) *resourcev1.AllocatedDeviceStatus {
	devices := &claim.Status.Devices
	for i := range *devices {
		device := &(*devices)[i]
		if device.Driver == allocated.Driver && device.Pool == allocated.Pool && device.Device == allocated.Device {
			return device
		}
	}
	*devices = append(*devices, resourcev1.AllocatedDeviceStatus{
		Driver: allocated.Driver,
		Pool:   allocated.Pool,
		Device: allocated.Device,
	})
	return &(*devices)[len(*devices)-1]
}
