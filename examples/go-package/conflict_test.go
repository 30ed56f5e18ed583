package devicestatus

import (
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"example.com/devicestatus/fakeapitest"
)

func TestTheUpdateIsSentAgainAfterAConflict(t *testing.T) {
	server := fakeapitest.Start(t) // stops at the end of the test
	claims := kubernetes.NewForConfigOrDie(server.Config).ResourceV1().ResourceClaims("default")
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{
		Name:    "gpu",
		Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.example.com"},
	}}
	if _, err := claims.Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	// The next update of a claim gets 409 Conflict.
	server.Fault("conflict", "update resourceclaims", map[string]any{"times": 1})
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error { // the code under test
		claim, err := claims.Get(t.Context(), "gpu", metav1.GetOptions{})
		if err != nil {
			return err
		}
		claim.Labels = map[string]string{"team": "a"}
		_, err = claims.Update(t.Context(), claim, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	updates := server.Requests("update resourceclaims default/gpu")
	if codes := fakeapitest.Codes(updates); !slices.Equal(codes, []int{409, 200}) {
		t.Errorf("the updates were answered with %v", codes)
	}
}
