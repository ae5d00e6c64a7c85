package main

import (
	"context"
	"errors"

	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// admit serves /mutate-bench-dev-v1-echo and /validate-bench-dev-v1-echo.
type admit struct{}

func (admit) Default(_ context.Context, echo *Echo) error {
	if echo.Spec.N == nil {
		echo.Spec.N = ptr.To[int32](3)
	}
	return nil
}

func (admit) ValidateCreate(_ context.Context, echo *Echo) (admission.Warnings, error) {
	if echo.Spec.Text == "bad" {
		return nil, errors.New("spec.text: must not be bad")
	}
	return nil, nil
}

func (a admit) ValidateUpdate(ctx context.Context, _, echo *Echo) (admission.Warnings, error) {
	return a.ValidateCreate(ctx, echo)
}

func (admit) ValidateDelete(context.Context, *Echo) (admission.Warnings, error) { return nil, nil }

func addWebhooks(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &Echo{}).WithDefaulter(admit{}).WithValidator(admit{}).Complete()
}
