// The greeting operator with controller-runtime: a ConfigMap for each Greeting, a status, a finalizer and a leader lease.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "peers.coxswain.dev/farewell"

var greetingKind = schema.GroupVersionKind{Group: "peers.coxswain.dev", Version: "v1", Kind: "Greeting"}

type reconciler struct{ client.Client }

func newGreeting() *unstructured.Unstructured {
	greeting := &unstructured.Unstructured{}
	greeting.SetGroupVersionKind(greetingKind)
	return greeting
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	greeting := newGreeting()
	if err := r.Get(ctx, req.NamespacedName, greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	child := &corev1.ConfigMap{}
	child.Name, child.Namespace = greeting.GetName(), greeting.GetNamespace()
	if greeting.GetDeletionTimestamp() != nil {
		if err := client.IgnoreNotFound(r.Delete(ctx, child)); err != nil {
			return ctrl.Result{}, err
		}
		if controllerutil.RemoveFinalizer(greeting, finalizer) {
			return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, greeting))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(greeting, finalizer) {
		if err := r.Update(ctx, greeting); err != nil {
			return ctrl.Result{}, err
		}
	}
	text, _, _ := unstructured.NestedString(greeting.Object, "spec", "text")
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Data = map[string]string{"text": text}
		return controllerutil.SetControllerReference(greeting, child, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	observed, _, _ := unstructured.NestedInt64(greeting.Object, "status", "observedGeneration")
	if observed == greeting.GetGeneration() {
		return ctrl.Result{}, nil
	}
	status := map[string]any{"observedGeneration": greeting.GetGeneration(), "configMap": child.Name}
	if err := unstructured.SetNestedMap(greeting.Object, status, "status"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, greeting)
}

func main() {
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              "greetings",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       server.Options{BindAddress: "0"},
	})
	exitOn(err)
	err = ctrl.NewControllerManagedBy(manager).
		Named("greetings").
		For(newGreeting()).
		Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{manager.GetClient()})
	exitOn(err)
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

func exitOn(err error) {
	if err != nil {
		ctrl.Log.Error(err, "the operator cannot run")
		os.Exit(1)
	}
}
