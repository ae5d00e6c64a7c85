package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

type EchoSpec struct {
	Text string `json:"text"`
	N    *int32 `json:"n,omitempty"`
}

type EchoStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type Echo struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              EchoSpec   `json:"spec,omitempty"`
	Status            EchoStatus `json:"status,omitempty"`
}

type EchoList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Echo `json:"items"`
}

var groupVersion = schema.GroupVersion{Group: "bench.dev", Version: "v1"}

func addToScheme(s *runtime.Scheme) error {
	builder := &scheme.Builder{GroupVersion: groupVersion}
	return builder.Register(&Echo{}, &EchoList{}).AddToScheme(s)
}

func (in *Echo) DeepCopyInto(out *Echo) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Spec.N != nil {
		n := *in.Spec.N
		out.Spec.N = &n
	}
	if in.Status.Conditions != nil {
		out.Status.Conditions = make([]metav1.Condition, len(in.Status.Conditions))
		for i := range in.Status.Conditions {
			in.Status.Conditions[i].DeepCopyInto(&out.Status.Conditions[i])
		}
	}
}

func (in *Echo) DeepCopy() *Echo {
	if in == nil {
		return nil
	}
	out := new(Echo)
	in.DeepCopyInto(out)
	return out
}

func (in *Echo) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *EchoList) DeepCopyObject() runtime.Object {
	out := &EchoList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	if in.Items != nil {
		out.Items = make([]Echo, len(in.Items))
		for i := range in.Items {
			in.Items[i].DeepCopyInto(&out.Items[i])
		}
	}
	return out
}
