package devicestatus

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestTheControllerRetriesAfterAConflict(t *testing.T) {
	fakeapi := controlAPI(t)
	fakeapi.arm(t, `{"conflict": {"target": "update resourceclaims/status", "times": 1}}`)

	api := startController(t)
	namespace := newNamespace(t, api)
	waitUntilReady(t, api, createAllocatedClaim(t, api, namespace, "gpu", DriverName))
	// When the later claim is ready, the controller has seen its own write to the first claim.
	waitUntilReady(t, api, createAllocatedClaim(t, api, namespace, "later", DriverName))

	if codes := fakeapi.statusUpdates(t, namespace, "gpu"); !slices.Equal(codes, []int{409, 200}) {
		t.Errorf("the updates of the status were answered with %v, want [409 200]", codes)
	}
}

// control is a client of fakeapi's control API, below /_fakeapi.
type control struct {
	rest rest.Interface
}

// controlAPI resets the server, now and after the test. It skips the test if the server is a real kube-apiserver.
func controlAPI(t *testing.T) control {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(restConfig)
	check(t, err)
	fakeapi := control{clientset.Discovery().RESTClient()}
	if err := fakeapi.rest.Get().AbsPath("/_fakeapi/state").Do(t.Context()).Error(); apierrors.IsNotFound(err) {
		t.Skip("the server is a real kube-apiserver")
	}
	fakeapi.reset(t)
	t.Cleanup(func() { fakeapi.reset(t) })
	return fakeapi
}

// reset deletes all objects, faults and recorded requests.
func (c control) reset(t *testing.T) {
	t.Helper()
	check(t, c.rest.Post().AbsPath("/_fakeapi/reset").Do(context.Background()).Error())
}

// arm injects a fault, which is described at /_fakeapi/openapi.json.
func (c control) arm(t *testing.T, rule string) {
	t.Helper()
	request := c.rest.Post().AbsPath("/_fakeapi/faults").SetHeader("Content-Type", "application/json")
	check(t, request.Body([]byte(rule)).Do(t.Context()).Error())
}

// statusUpdates returns the status codes of the answers to updates of a claim's status, oldest first.
func (c control) statusUpdates(t *testing.T, namespace, name string) []int {
	t.Helper()
	body, err := c.rest.Get().AbsPath("/_fakeapi/requests").
		Param("verb", "update").Param("resource", "resourceclaims/status").
		Param("namespace", namespace).Param("name", name).
		DoRaw(t.Context())
	check(t, err)
	var journal struct{ Requests []struct{ Code int } }
	check(t, json.Unmarshal(body, &journal))
	var codes []int
	for _, request := range journal.Requests {
		codes = append(codes, request.Code)
	}
	return codes
}
