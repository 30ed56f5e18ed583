// Runs Kubernetes' own code for schemas of custom resources. Reads one JSON request per line from standard
// input, and writes one answer per line to standard output. tools/schema_samples.py compiles and runs this
// program for a release.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

type Request struct {
	Op     string          `json:"op"`
	Schema json.RawMessage `json:"schema"`
	CRD    json.RawMessage `json:"crd"`
	OldCRD json.RawMessage `json:"oldCRD"`
	Obj    json.RawMessage `json:"obj"`
	Old    json.RawMessage `json:"old"`
}

type Err [3]string

func errs(l field.ErrorList) []Err {
	out := []Err{}
	for _, e := range l {
		out = append(out, Err{string(e.Type), e.Field, e.ErrorBody()})
	}
	return out
}

func value(raw json.RawMessage) interface{} {
	var v interface{}
	if err := kjson.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	return v
}

func crd(scheme *runtime.Scheme, raw json.RawMessage) *apiextensions.CustomResourceDefinition {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(raw, v1); err != nil {
		panic(err)
	}
	scheme.Default(v1)
	out := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(v1, out, nil); err != nil {
		panic(err)
	}
	return out
}

func applyOp(r *Request, res map[string]interface{}) {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(r.CRD, v1); err != nil {
		panic(err)
	}
	api, err := builder.BuildOpenAPIV3(v1, v1.Spec.Versions[0].Name, builder.Options{V2: false, StripValueValidation: true, StripNullable: true, AllowNonStructural: false})
	if err != nil {
		panic(err)
	}
	b, _ := json.Marshal(api.Components.Schemas)
	schemas := map[string]*spec.Schema{}
	if err := json.Unmarshal(b, &schemas); err != nil {
		panic(err)
	}
	tc, err := managedfields.NewTypeConverter(schemas, false)
	if err != nil {
		res["converter"] = err.Error()
		return
	}
	set := func(s *fieldpath.Set) json.RawMessage {
		b, err := s.ToJSON()
		if err != nil {
			panic(err)
		}
		return b
	}
	nw, err := tc.ObjectToTyped(&unstructured.Unstructured{Object: value(r.Obj).(map[string]interface{})}, typed.AllowDuplicates)
	if err != nil {
		res["newError"] = err.Error()
	}
	_, serr := tc.ObjectToTyped(&unstructured.Unstructured{Object: value(r.Obj).(map[string]interface{})})
	if serr != nil {
		res["strictError"] = serr.Error()
	}
	old, oerr := tc.ObjectToTyped(&unstructured.Unstructured{Object: value(r.Old).(map[string]interface{})}, typed.AllowDuplicates)
	if err != nil {
		return
	}
	s, e := nw.ToFieldSet()
	if e != nil {
		res["setError"] = e.Error()
	} else {
		res["set"] = set(s)
	}
	if oerr != nil {
		return
	}
	c, e := old.Compare(nw)
	if e != nil {
		res["compareError"] = e.Error()
	} else {
		res["added"], res["modified"], res["removed"] = set(c.Added), set(c.Modified), set(c.Removed)
	}
	m, e := old.Merge(nw)
	if e != nil {
		res["mergeError"] = e.Error()
	} else {
		res["merged"] = m.AsValue().Unstructured()
	}
	if s != nil {
		res["without"] = old.RemoveItems(s).AsValue().Unstructured()
	}
}

func handle(scheme *runtime.Scheme, r *Request) (res map[string]interface{}) {
	res = map[string]interface{}{}
	defer func() {
		if p := recover(); p != nil {
			res["panic"] = fmt.Sprint(p)
		}
	}()
	ctx := context.Background()
	switch r.Op {
	case "apply":
		applyOp(r, res)
	case "definition":
		c := crd(scheme, r.CRD)
		if r.OldCRD != nil {
			old := crd(scheme, r.OldCRD)
			c.ResourceVersion = "1"
			old.ResourceVersion = "1"
			res["errors"] = errs(crdvalidation.ValidateCustomResourceDefinitionUpdate(ctx, c, old))
		} else {
			res["errors"] = errs(crdvalidation.ValidateCustomResourceDefinition(ctx, c))
		}
	case "openapi":
		v1 := &apiextensionsv1.CustomResourceDefinition{}
		if err := json.Unmarshal(r.CRD, v1); err != nil {
			panic(err)
		}
		scheme.Default(v1)
		v2, err := builder.BuildOpenAPIV2(v1, v1.Spec.Versions[0].Name, builder.Options{V2: true})
		if err != nil {
			res["v2error"] = err.Error()
		} else {
			res["v2"] = v2
		}
		v3, err := builder.BuildOpenAPIV3(v1, v1.Spec.Versions[0].Name, builder.Options{V2: false})
		if err != nil {
			res["v3error"] = err.Error()
		} else {
			res["v3"] = v3
		}
	case "object":
		v1 := &apiextensionsv1.JSONSchemaProps{}
		if err := json.Unmarshal(r.Schema, v1); err != nil {
			panic(err)
		}
		in := &apiextensions.JSONSchemaProps{}
		if err := scheme.Convert(v1, in, nil); err != nil {
			panic(err)
		}
		s, err := structuralschema.NewStructural(in)
		if err != nil {
			res["structural"] = err.Error()
			s = nil
		}
		if s != nil {
			o := value(r.Obj)
			res["pruned"] = pruning.PruneWithOptions(o, s, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
			res["prunedObject"] = o
			o = value(r.Obj)
			defaulting.PruneNonNullableNullsWithoutDefaults(o, s)
			res["withoutNulls"] = runtime.DeepCopyJSONValue(o)
			defaulting.Default(o, s)
			res["defaulted"] = o
			if m, ok := value(r.Obj).(map[string]interface{}); ok {
				for _, drop := range []bool{false, true} {
					o2 := runtime.DeepCopyJSON(m)
					e, unknown := objectmeta.CoerceWithOptions(nil, o2, s, true, objectmeta.CoerceOptions{DropInvalidFields: drop, ReturnUnknownFieldPaths: true})
					key := fmt.Sprintf("coerced%v", drop)
					res[key] = o2
					res[key+"Unknown"] = unknown
					if e != nil {
						res[key+"Error"] = Err{string(e.Type), e.Field, e.ErrorBody()}
					} else if drop {
						res["meta"] = errs(objectmeta.Validate(nil, o2, s, true))
					}
				}
				res["lists"] = errs(listtype.ValidateListSetsAndMaps(nil, s, m))
			}
		}
		validator, _, err := validation.NewSchemaValidator(in)
		if err != nil {
			res["validator"] = err.Error()
		} else {
			res["errors"] = errs(validation.ValidateCustomResource(nil, value(r.Obj), validator))
			if r.Old != nil {
				res["update"] = errs(validation.ValidateCustomResourceUpdate(nil, value(r.Obj), value(r.Old), validator, validation.WithRatcheting(nil)))
			}
		}
	}
	return res
}

func main() {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			r := &Request{}
			if e := json.Unmarshal(line, r); e != nil {
				panic(e)
			}
			b, e := json.Marshal(handle(scheme, r))
			if e != nil {
				b, _ = json.Marshal(map[string]string{"panic": e.Error()})
			}
			out.Write(b)
			out.WriteByte('\n')
			out.Flush()
		}
		if err == io.EOF {
			return
		}
	}
}
