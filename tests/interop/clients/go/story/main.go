// The story of a ResourceClaim, told with client-go; the server is the one of $KUBECONFIG.
//
//	story MEDIA-TYPE
//
// Prints each chapter when it is through. What depends on the API version is in the file beside this one.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
)

const (
	name      = "told"
	namespace = "default"
	patience  = 30 * time.Second
)

type event struct {
	verb  string
	claim *Claim
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	config.ContentType = os.Args[1]
	config.AcceptContentTypes = os.Args[1] + ",application/json"
	client, err := kubernetes.NewForConfig(config)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	claims := claimsOf(client)

	discover(client)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	seen := follow(ctx, factory)
	create(ctx, claims)
	expect(seen, "added", func(claim *Claim) bool { return claim.Name == name })
	fmt.Println("watch")
	conflict(ctx, claims)
	expect(seen, "updated", func(claim *Claim) bool { return claim.Labels["second"] == "won" })
	fmt.Println("conflict")
	patch(ctx, claims)
	apply(ctx, claims)
	expect(seen, "updated", func(claim *Claim) bool { return claim.Labels["applied"] == "yes" })
	fmt.Println("apply")
	remove(ctx, claims)
	expect(seen, "deleted", func(claim *Claim) bool { return claim.Name == name })
	fmt.Println("delete")
	cancel()
	factory.Shutdown()
}

func discover(client kubernetes.Interface) {
	found, err := discovery.ServerPreferredResources(client.Discovery())
	check(err)
	for _, group := range found {
		for _, resource := range group.APIResources {
			if group.GroupVersion == version.String() && resource.Name == "resourceclaims" {
				fmt.Println("discover")
				return
			}
		}
	}
	check(fmt.Errorf("no claims are served in %s", version))
}

// follow starts an informer, which is in step with the server when it returns.
func follow(ctx context.Context, factory informers.SharedInformerFactory) <-chan event {
	seen := make(chan event, 100)
	informer := informerOf(factory)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen <- event{"added", object.(*Claim)} },
		UpdateFunc: func(_, object any) { seen <- event{"updated", object.(*Claim)} },
		DeleteFunc: func(object any) {
			if gone, missed := object.(cache.DeletedFinalStateUnknown); missed {
				object = gone.Obj
			}
			seen <- event{"deleted", object.(*Claim)}
		},
	})
	check(err)
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		check(fmt.Errorf("the informer does not get in step"))
	}
	return seen
}

func create(ctx context.Context, claims Claims) {
	claim := &Claim{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{"example.com/story"}}, Spec: spec()}
	created, err := claims.Create(ctx, claim, metav1.CreateOptions{FieldManager: "go", FieldValidation: "Strict"})
	check(err)
	verify(created.UID != "" && !created.CreationTimestamp.IsZero(), "a claim without uid or time")
	_, err = claims.Create(ctx, claim, metav1.CreateOptions{})
	verify(apierrors.IsAlreadyExists(err), "it was created twice")
	fmt.Println("create")
}

// conflict lets two writers change what both have read: the second is told, reads again and wins.
func conflict(ctx context.Context, claims Claims) {
	label := func(claim *Claim, key string) error {
		claim = claim.DeepCopy()
		metav1.SetMetaDataLabel(&claim.ObjectMeta, key, "won")
		_, err := claims.Update(ctx, claim, metav1.UpdateOptions{})
		return err
	}
	read, err := claims.Get(ctx, name, metav1.GetOptions{})
	check(err)
	check(label(read, "first"))
	verify(apierrors.IsConflict(label(read, "second")), "no conflict")
	check(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		read, err := claims.Get(ctx, name, metav1.GetOptions{})
		check(err)
		return label(read, "second")
	}))
}

func patch(ctx context.Context, claims Claims) {
	for _, each := range []struct {
		kind types.PatchType
		body string
	}{
		{types.StrategicMergePatchType, `{"metadata":{"labels":{"patched":"yes"}}}`},
		{types.MergePatchType, `{"metadata":{"labels":{"first":null}}}`},
		{types.JSONPatchType, `[{"op":"test","path":"/metadata/labels/patched","value":"yes"}]`},
	} {
		_, err := claims.Patch(ctx, name, each.kind, []byte(each.body), metav1.PatchOptions{})
		check(err)
	}
	read, err := claims.Get(ctx, name, metav1.GetOptions{})
	check(err)
	verify(len(read.Labels) == 2 && read.Labels["patched"] == "yes", fmt.Sprint("not patched: ", read.Labels))
	fmt.Println("patch")
}

func apply(ctx context.Context, claims Claims) {
	applied, err := claims.Apply(ctx, applied(), metav1.ApplyOptions{FieldManager: "go-apply", Force: true})
	check(err)
	for _, entry := range applied.ManagedFields {
		if entry.Manager == "go-apply" && entry.Operation == metav1.ManagedFieldsOperationApply {
			return
		}
	}
	check(fmt.Errorf("nothing is managed by who applied it: %v", applied.ManagedFields))
}

func remove(ctx context.Context, claims Claims) {
	background := metav1.DeletePropagationBackground
	check(claims.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background}))
	claim, err := claims.Get(ctx, name, metav1.GetOptions{})
	check(err)
	verify(claim.DeletionTimestamp != nil, "it is not being deleted")
	claim.Finalizers = nil
	_, err = claims.Update(ctx, claim, metav1.UpdateOptions{})
	check(err)
	_, err = claims.Get(ctx, name, metav1.GetOptions{})
	verify(apierrors.IsNotFound(err), "it is still there")
	check(claims.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
}

func expect(seen <-chan event, verb string, fits func(*Claim) bool) {
	late := time.After(patience)
	for {
		select {
		case found := <-seen:
			if found.verb == verb && fits(found.claim) {
				return
			}
		case <-late:
			check(fmt.Errorf("the informer does not see that the claim was %s", verb))
		}
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
