// Runs the registry strategies of Kubernetes' API server. Reads a request per line, and writes an answer per
// line. strategy_programs.py compiles this program with the modules of a release, and generates `strategyOf`.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/warning"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/capabilities"
)

type request struct {
	Resource    string          `json:"resource"`
	Subresource string          `json:"subresource"`
	New         json.RawMessage `json:"new"`
	Old         json.RawMessage `json:"old"`
}

type answer struct {
	Errors   [][]string `json:"errors"`
	Warnings []string   `json:"warnings,omitempty"`
	Object   any        `json:"object,omitempty"`
	Fail     string     `json:"fail,omitempty"`
}

// namespaces contains every namespace. The namespace "admin" allows admin access.
type namespaces struct{ corev1.NamespaceInterface }

func (namespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.Namespace, error) {
	labels := map[string]string{}
	if name == "admin" {
		labels["resource.k8s.io/admin-access"] = "true"
		labels["resource.kubernetes.io/admin-access"] = "true"
	}
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, nil
}

type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

func decode(raw json.RawMessage) (runtime.Object, schema.GroupVersion, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, schema.GroupVersion{}, nil
	}
	obj, kind, err := legacyscheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
	if err != nil {
		return nil, schema.GroupVersion{}, err
	}
	return obj, kind.GroupVersion(), nil
}

func run(r request) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{Fail: fmt.Sprint(p)}
		}
	}()
	obj, version, err := decode(r.New)
	if err != nil {
		return answer{Fail: err.Error()}
	}
	old, _, err := decode(r.Old)
	if err != nil {
		return answer{Fail: err.Error()}
	}
	meta := obj.(metav1.ObjectMetaAccessor).GetObjectMeta()
	recorded := &recorder{}
	ctx := warning.WithWarningRecorder(context.Background(), recorded)
	ctx = genericapirequest.WithNamespace(ctx, meta.GetNamespace())
	ctx = genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "admin", Groups: []string{"system:masters"}})
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, APIGroup: version.Group, APIVersion: version.Version, Resource: r.Resource,
		Subresource: r.Subresource, Namespace: meta.GetNamespace(), Name: meta.GetName(), Verb: "update",
	})
	strategy := strategyOf(version.Group + "/" + r.Resource + "/" + r.Subresource)
	if old == nil {
		meta.SetUID("u")
		meta.SetCreationTimestamp(metav1.Unix(1, 0))
		err = rest.BeforeCreate(strategy.(rest.RESTCreateStrategy), ctx, obj)
	} else {
		err = rest.BeforeUpdate(strategy.(rest.RESTUpdateStrategy), ctx, obj, old)
	}
	a.Errors, a.Warnings = [][]string{}, recorded.texts
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		for _, cause := range status.Status().Details.Causes {
			a.Errors = append(a.Errors, []string{string(cause.Type), cause.Field, cause.Message})
		}
		return a
	}
	if err != nil {
		return answer{Fail: err.Error()}
	}
	shown, err := legacyscheme.Scheme.ConvertToVersion(obj, version)
	if err != nil {
		return answer{Fail: err.Error()}
	}
	a.Object = shown
	return a
}

func main() {
	gates := map[string]bool{}
	for _, each := range os.Args[1:] {
		name, value, _ := strings.Cut(each, "=")
		gates[name] = value == "true"
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		a := answer{}
		if err := json.Unmarshal(line, &r); err != nil {
			a.Fail = err.Error()
		} else {
			a = run(r)
		}
		text, err := json.Marshal(a)
		if err != nil {
			text = []byte(fmt.Sprintf(`{"fail":%q}`, err.Error()))
		}
		fmt.Println(string(text))
	}
}
