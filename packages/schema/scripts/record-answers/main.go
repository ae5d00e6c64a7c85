// Records what the API server's own validation code answers to the cases of ../../src/fixtures/server-answers.json:
// reads the file on standard input and writes it with fresh answers, one case a line.
//
// Not part of the build. To run it with another Kubernetes version, change the version in go.mod:
//
//	go run -mod=mod . < ../../src/fixtures/server-answers.json > new.json
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
)

type testCase struct {
	Name   string          `json:"name"`
	Op     string          `json:"op"`
	Schema json.RawMessage `json:"schema"`
	Value  json.RawMessage `json:"value,omitempty"`
	Old    json.RawMessage `json:"old,omitempty"`
	Answer []fieldError    `json:"answer"`
}

type fieldError struct {
	Field   string `json:"field"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		log.Fatalf("standard input is no list of cases: %v", err)
	}
	lines := make([]string, len(cases))
	for i := range cases {
		errs, err := answer(cases[i])
		if err != nil {
			log.Fatalf("case %q: %v", cases[i].Name, err)
		}
		cases[i].Answer = flatten(errs)
		lines[i] = marshal(cases[i])
	}
	fmt.Printf("[\n%s\n]\n", strings.Join(lines, ",\n"))
}

func answer(c testCase) (field.ErrorList, error) {
	external, schema := &v1.JSONSchemaProps{}, &apiextensions.JSONSchemaProps{}
	if err := json.Unmarshal(c.Schema, external); err != nil {
		return nil, err
	}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(external, schema, nil); err != nil {
		return nil, err
	}
	if c.Op == "structural" {
		return structural(schema), nil
	}
	return validate(schema, c)
}

// structural validates a CRD around the schema and keeps what is said about the schema.
func structural(schema *apiextensions.JSONSchemaProps) field.ErrorList {
	pruning := false
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name = "as.g.dev"
	crd.Spec = apiextensions.CustomResourceDefinitionSpec{
		Group: "g.dev", Version: "v1", Scope: apiextensions.NamespaceScoped,
		Names:                 apiextensions.CustomResourceDefinitionNames{Plural: "as", Singular: "a", Kind: "A", ListKind: "AList"},
		Versions:              []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
		Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: schema},
		Conversion:            &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
		PreserveUnknownFields: &pruning,
	}
	crd.Status.StoredVersions = []string{"v1"}
	var kept field.ErrorList
	for _, err := range crdvalidation.ValidateCustomResourceDefinition(context.Background(), crd) {
		if strings.HasPrefix(err.Field, "spec.validation") {
			kept = append(kept, err)
		}
	}
	return kept
}

// validate does what the strategy of custom resources does, without metadata and CEL.
func validate(schema *apiextensions.JSONSchemaProps, c testCase) (field.ErrorList, error) {
	structural, err := structuralschema.NewStructural(schema)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(schema)
	if err != nil {
		return nil, err
	}
	var value, old map[string]interface{}
	if err := utiljson.Unmarshal(c.Value, &value); err != nil {
		return nil, err
	}
	var errs field.ErrorList
	if c.Old == nil {
		errs = validation.ValidateCustomResource(nil, value, validator)
	} else {
		if err := utiljson.Unmarshal(c.Old, &old); err != nil {
			return nil, err
		}
		correlated := common.NewCorrelatedObject(value, old, &model.Structural{Structural: structural})
		errs = validation.ValidateCustomResourceUpdate(nil, value, old, validator, validation.WithRatcheting(correlated))
	}
	errs = append(errs, objectmeta.Validate(context.Background(), nil, value, structural, false)...)
	if len(listtype.ValidateListSetsAndMaps(nil, structural, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, structural, value)...)
	}
	return errs, nil
}

// flatten sorts and drops repetitions: the server goes through maps in random order.
func flatten(errs field.ErrorList) []fieldError {
	seen := map[fieldError]bool{}
	out := []fieldError{}
	for _, err := range errs {
		flat := fieldError{Field: err.Field, Reason: string(err.Type), Message: err.ErrorBody()}
		if !seen[flat] {
			seen[flat] = true
			out = append(out, flat)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return a.Field+a.Reason+a.Message < b.Field+b.Reason+b.Message
	})
	return out
}

func marshal(c testCase) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		log.Fatalf("case %q: %v", c.Name, err)
	}
	return strings.TrimSpace(text.String())
}
