// A controller of ResourceClaims, made with controller-runtime; the server is the one of $KUBECONFIG.
//
// It is a leader, reads from its cache, keeps a finalizer and tells of each claim by an event. It is its own user,
// prints each chapter when it is through, and ends.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	applyresource "k8s.io/client-go/applyconfigurations/resource/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	finalizer = "example.com/story"
	namespace = "default"
	patience  = 40 * time.Second
)

var key = client.ObjectKey{Namespace: namespace, Name: "told"}

type reconciler struct {
	client.Client
	recorder events.EventRecorder
}

// Reconcile puts a finalizer and a label on a claim, and takes the finalizer away from one that is deleted.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var claim resource.ResourceClaim
	if err := r.Get(ctx, request.NamespacedName, &claim); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	base := claim.DeepCopy()
	if !claim.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&claim, finalizer) {
			return ctrl.Result{}, r.Patch(ctx, &claim, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
		}
		return ctrl.Result{}, nil
	}
	if !controllerutil.AddFinalizer(&claim, finalizer) {
		return ctrl.Result{}, nil
	}
	metav1.SetMetaDataLabel(&claim.ObjectMeta, "patched", "yes")
	if err := r.Patch(ctx, &claim, client.MergeFrom(base)); err != nil {
		return ctrl.Result{}, err
	}
	r.recorder.Eventf(&claim, nil, corev1.EventTypeNormal, "Told", "Telling", "the claim %s is told", claim.Name)
	return ctrl.Result{}, nil
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme.Scheme,
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "story",
		LeaderElectionNamespace: namespace,
	})
	check(err)
	check(ctrl.NewControllerManagedBy(manager).For(&resource.ResourceClaim{}).
		Complete(&reconciler{manager.GetClient(), manager.GetEventRecorder("story")}))
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	ended := make(chan error)
	go func() { ended <- manager.Start(ctx) }()
	select {
	case <-manager.Elected():
	case err := <-ended:
		check(fmt.Errorf("the manager has ended: %w", err))
	}
	fmt.Println("lead")
	tell(ctx, manager.GetClient(), manager.GetAPIReader())
	cancel()
	check(<-ended)
}

// tell uses the cached client for what the controller sees, and the other for what the server has.
func tell(ctx context.Context, cached client.Client, direct client.Reader) {
	mapping, err := cached.RESTMapper().RESTMapping(resource.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind())
	check(err)
	verify(mapping.Resource.Resource == "resourceclaims", "no claims are served")
	fmt.Println("discover")

	request := resource.DeviceRequest{Name: "gpu", Exactly: &resource.ExactDeviceRequest{DeviceClassName: "gpu.example.com"}}
	claim := &resource.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec:       resource.ResourceClaimSpec{Devices: resource.DeviceClaim{Requests: []resource.DeviceRequest{request}}},
	}
	check(cached.Create(ctx, claim))
	fmt.Println("create")
	await(ctx, "the controller patches the claim", func() bool {
		var seen resource.ResourceClaim
		return cached.Get(ctx, key, &seen) == nil && seen.Labels["patched"] == "yes" && controllerutil.ContainsFinalizer(&seen, finalizer)
	})
	fmt.Println("watch")

	stale := claim.DeepCopy()
	metav1.SetMetaDataLabel(&stale.ObjectMeta, "stale", "yes")
	verify(apierrors.IsConflict(cached.Update(ctx, stale)), "no conflict")
	check(direct.Get(ctx, key, claim))
	metav1.SetMetaDataLabel(&claim.ObjectMeta, "won", "yes")
	check(cached.Update(ctx, claim))
	fmt.Println("conflict")

	base := claim.DeepCopy()
	delete(claim.Labels, "won")
	check(cached.Patch(ctx, claim, client.MergeFrom(base)))
	verify(claim.Labels["won"] == "", "not patched")
	check(cached.Status().Patch(ctx, claim, client.RawPatch("application/merge-patch+json", []byte(`{"status":{"reservedFor":null}}`))))
	fmt.Println("patch")

	wanted := applyresource.ResourceClaim(key.Name, key.Namespace).WithLabels(map[string]string{"applied": "yes"})
	check(cached.Apply(ctx, wanted, client.FieldOwner("story"), client.ForceOwnership))
	await(ctx, "the cache sees what was applied", func() bool {
		var seen resource.ResourceClaim
		check(cached.Get(ctx, key, &seen))
		return seen.Labels["applied"] == "yes" && seen.Labels["patched"] == "yes"
	})
	fmt.Println("apply")

	check(cached.Delete(ctx, claim, client.Preconditions{UID: &claim.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	await(ctx, "the claim goes", func() bool { return apierrors.IsNotFound(direct.Get(ctx, key, claim)) })
	await(ctx, "the cache follows", func() bool { return apierrors.IsNotFound(cached.Get(ctx, key, claim)) })
	fmt.Println("delete")
	await(ctx, "the event is written", func() bool {
		var told corev1.EventList
		check(direct.List(ctx, &told, client.InNamespace(namespace), client.MatchingFields{"reason": "Told"}))
		return len(told.Items) == 1 && told.Items[0].InvolvedObject.Name == key.Name
	})
	fmt.Println("event")
}

func await(ctx context.Context, what string, holds func() bool) {
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return holds(), nil
	})
	if err != nil {
		check(fmt.Errorf("it does not come about that %s: %w", what, err))
	}
}

func verify(holds bool, otherwise string) {
	if !holds {
		check(fmt.Errorf("%s", otherwise))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
