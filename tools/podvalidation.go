// Validates pods with Kubernetes' own validation. Reads a request per line, and writes an answer per line.
// pod_samples.py compiles this program with the modules of a release.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/capabilities"
	api "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

type request struct {
	Op  string          `json:"op"`
	New json.RawMessage `json:"new"`
	Old json.RawMessage `json:"old"`
}
type answer struct {
	Errors   [][]string `json:"errors"`
	Warnings []string   `json:"warnings"`
	Fail     string     `json:"fail,omitempty"`
}

// decode reads a pod like the server: with defaults, into the internal type.
func decode(raw json.RawMessage) (*api.Pod, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var p v1.Pod
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(&p)
	var out api.Pod
	if err := legacyscheme.Scheme.Convert(&p, &out, nil); err != nil {
		return nil, err
	}
	return &out, nil
}

func run(r request) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a.Fail = fmt.Sprint(p)
		}
	}()
	n, err := decode(r.New)
	if err != nil {
		a.Fail = err.Error()
		return
	}
	o, err := decode(r.Old)
	if err != nil {
		a.Fail = err.Error()
		return
	}
	var os *api.PodSpec
	if o != nil {
		os = &o.Spec
	}
	var errs field.ErrorList
	opts := pod.GetValidationOptionsFromPodSpecAndMeta(&n.Spec, os, &n.ObjectMeta, nil)
	if o != nil {
		opts = pod.GetValidationOptionsFromPodSpecAndMeta(&n.Spec, os, &n.ObjectMeta, &o.ObjectMeta)
	}
	opts.ResourceIsPod = true
	switch r.Op {
	case "create":
		errs = validation.ValidatePodCreate(n, opts)
		a.Warnings = pod.GetWarningsForPod(context.TODO(), n, nil)
	case "update":
		n.ResourceVersion, o.ResourceVersion = "1", "1"
		errs = validation.ValidatePodUpdate(n, o, opts)
	case "status":
		n.ResourceVersion, o.ResourceVersion = "1", "1"
		errs = validation.ValidatePodStatusUpdate(n, o, opts)
	case "ephemeralcontainers":
		n.ResourceVersion, o.ResourceVersion = "1", "1"
		errs = validation.ValidatePodEphemeralContainersUpdate(n, o, opts)
	case "template":
		t := api.PodTemplateSpec{ObjectMeta: n.ObjectMeta, Spec: n.Spec}
		opts.ResourceIsPod = false
		errs = validation.ValidatePodTemplateSpec(&t, field.NewPath("spec", "template"), opts)
		a.Warnings = pod.GetWarningsForPodTemplate(context.TODO(), field.NewPath("spec", "template"), &t, nil)
	case "resize":
		n.ResourceVersion, o.ResourceVersion = "1", "1"
		errs = resize(n, o, opts)
	}
	for _, e := range errs {
		a.Errors = append(a.Errors, []string{string(e.Type), e.Field, e.ErrorBody()})
	}
	return
}

func main() {
	capabilities.Setup(true, 0)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			out.Encode(answer{Fail: err.Error()})
			continue
		}
		out.Encode(run(r))
	}
}

func resize(new, old *api.Pod, options validation.PodValidationOptions) field.ErrorList {
	return validation.ValidatePodResize(new, old, options)
}
