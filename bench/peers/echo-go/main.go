// The Echo operator with controller-runtime: a ConfigMap for each Echo, its status, a finalizer.
package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

const (
	finalizer      = "bench.dev/echo"
	fieldManager   = client.FieldOwner("echo-operator")
	managedByLabel = "app.kubernetes.io/managed-by"
	managedBy      = "echo"
)

type reconciler struct {
	client.Client
	progress *progress
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	err := r.reconcile(ctx, req)
	r.progress.reconciled(req.NamespacedName, err)
	return ctrl.Result{}, err
}

func (r *reconciler) reconcile(ctx context.Context, req ctrl.Request) error {
	echo := &Echo{}
	if err := r.Get(ctx, req.NamespacedName, echo); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := echo.DeepCopy()
	finalizers := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if !echo.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(echo, finalizer) {
			return client.IgnoreNotFound(r.Patch(ctx, echo, finalizers))
		}
		return nil
	}
	if controllerutil.AddFinalizer(echo, finalizer) {
		if err := r.Patch(ctx, echo, finalizers); err != nil {
			return err
		}
	}
	if err := r.ensureConfigMap(ctx, echo); err != nil {
		return err
	}
	return r.ensureStatus(ctx, echo)
}

func (r *reconciler) ensureConfigMap(ctx context.Context, echo *Echo) error {
	data := map[string]string{"text": echo.Spec.Text, "n": strconv.Itoa(int(ptr.Deref(echo.Spec.N, 0)))}
	current := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKeyFromObject(echo), current)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if err == nil && maps.Equal(current.Data, data) && current.Labels[managedByLabel] == managedBy &&
		metav1.IsControlledBy(current, echo) {
		return nil
	}
	owner := metav1ac.OwnerReference().
		WithAPIVersion(groupVersion.String()).WithKind("Echo").WithName(echo.Name).WithUID(echo.UID).
		WithController(true).WithBlockOwnerDeletion(true)
	wanted := corev1ac.ConfigMap(echo.Name, echo.Namespace).
		WithLabels(map[string]string{managedByLabel: managedBy}).
		WithOwnerReferences(owner).
		WithData(data)
	return r.Apply(ctx, wanted, fieldManager, client.ForceOwnership)
}

func (r *reconciler) ensureStatus(ctx context.Context, echo *Echo) error {
	before := echo.DeepCopy()
	echo.Status.ObservedGeneration = echo.Generation
	echo.Status.Phase = "Ready"
	meta.SetStatusCondition(&echo.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Echoed", ObservedGeneration: echo.Generation,
	})
	if equality.Semantic.DeepEqual(before.Status, echo.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.Status().Patch(ctx, echo, client.MergeFrom(before)))
}

func options() ctrl.Options {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(addToScheme(scheme))
	options := ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultTransform: cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&corev1.ConfigMap{}: {Label: labels.SelectorFromSet(labels.Set{managedByLabel: managedBy})},
			},
		},
	}
	// Off unless asked for, as in the library, which calls it an experiment.
	options.Client.Cache = &client.CacheOptions{
		EnableReadYourWritesConsistency: ptr.To(os.Getenv("READ_YOUR_WRITES") == "1"),
	}
	if port := os.Getenv("METRICS_PORT"); port != "" && port != "0" {
		options.Metrics.BindAddress = "127.0.0.1:" + port
	}
	if namespace, name, found := strings.Cut(os.Getenv("LEASE"), "/"); found {
		options.LeaderElection = true
		options.LeaderElectionNamespace = namespace
		options.LeaderElectionID = name
		options.LeaderElectionReleaseOnCancel = true
		options.LeaseDuration = ptr.To(15 * time.Second)
		options.RenewDeadline = ptr.To(10 * time.Second)
		options.RetryPeriod = ptr.To(2 * time.Second)
	}
	if port, err := strconv.Atoi(os.Getenv("WEBHOOK_PORT")); err == nil && port > 0 {
		cert := os.Getenv("WEBHOOK_CERT")
		key, err := filepath.Rel(filepath.Dir(cert), os.Getenv("WEBHOOK_KEY"))
		utilruntime.Must(err)
		options.WebhookServer = webhook.NewServer(webhook.Options{
			Port: port, CertDir: filepath.Dir(cert), CertName: filepath.Base(cert), KeyName: key,
		})
	}
	return options
}

func setUp(mgr ctrl.Manager, progress *progress) error {
	if port := os.Getenv("WEBHOOK_PORT"); port != "" && port != "0" {
		if err := addWebhooks(mgr); err != nil {
			return err
		}
	}
	err := ctrl.NewControllerManagedBy(mgr).
		For(&Echo{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}).
		// Followers keep their caches warm, so that a new leader works at once.
		WithOptions(controller.Options{MaxConcurrentReconciles: 8, EnableWarmup: ptr.To(os.Getenv("LEASE") != "")}).
		Complete(&reconciler{mgr.GetClient(), progress})
	if err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		for _, kind := range []client.Object{&Echo{}, &corev1.ConfigMap{}} {
			// Answers when the informer, which it shares with the controller, has synced.
			if _, err := mgr.GetCache().GetInformer(ctx, kind); err != nil {
				return err
			}
		}
		progress.synced()
		return nil
	}))
}

func main() {
	expect, _ := strconv.Atoi(os.Getenv("EXPECT"))
	progress := newProgress(expect)
	logger := zap.New(zap.Level(zapcore.ErrorLevel))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options())
	exitOn(err)
	exitOn(setUp(mgr, progress))
	exitOn(mgr.Start(ctrl.SetupSignalHandler()))
}

func exitOn(err error) {
	if err != nil {
		ctrl.Log.Error(err, "the operator cannot run")
		os.Exit(1)
	}
}
