// Package devicestatus reports allocated devices as ready, in the status of their ResourceClaim.
package devicestatus

import (
	"context"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
)

const (
	// DriverName is the driver whose devices are reported.
	DriverName = "gpu.example.com"
	// Ready is the type of the condition that is written.
	Ready = "Ready"
)

// Run watches ResourceClaims, and writes their status, until the context ends.
func Run(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	report := func(object any) {
		err := ReportReady(ctx, client, object.(*resourcev1.ResourceClaim))
		if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			utilruntime.HandleErrorWithContext(ctx, err, "Reporting devices failed")
		}
	}
	_, err := factory.Resource().V1().ResourceClaims().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    report,
		UpdateFunc: func(_, claim any) { report(claim) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

// ReportReady writes the condition Ready for each allocated device of the driver, and tries again after a conflict.
func ReportReady(ctx context.Context, client kubernetes.Interface, claim *resourcev1.ResourceClaim) error {
	claims := client.ResourceV1().ResourceClaims(claim.Namespace)
	claim = claim.DeepCopy()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !setReady(claim) {
			return nil
		}
		_, err := claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return err
		}
		newest, readError := claims.Get(ctx, claim.Name, metav1.GetOptions{})
		if readError != nil {
			return readError
		}
		claim = newest
		return err
	})
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
