// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"roadstead.dev/roadstead/pkg/controllers/release/approval"
	"roadstead.dev/roadstead/pkg/controllers/release/crdguard"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// decisionOptions are the flags about Approvals and missed changes of CustomResourceDefinitions.
type decisionOptions struct {
	// ApprovalExpiry is how long an approval may take.
	ApprovalExpiry time.Duration
	// Retention is how long decided Approvals are kept. 0 means forever.
	Retention time.Duration
	// CRDGuardPolicy is the guard's policy for CRDs without an annotation.
	CRDGuardPolicy string
}

func newDecisionOptions() decisionOptions {
	return decisionOptions{ApprovalExpiry: approval.DefaultExpiry, Retention: approval.DefaultRetention,
		CRDGuardPolicy: string(crdpolicy.Deny)}
}

func (o *decisionOptions) addFlags(flags *pflag.FlagSet) {
	flags.DurationVar(&o.ApprovalExpiry, "approval-expiry", o.ApprovalExpiry, "How long people may take to decide about an "+
		"Approval; after it the Approval is Expired, which counts as rejected. 1m to 8760h.")
	flags.DurationVar(&o.Retention, "retention", o.Retention, "How long an Approval, the record of who decided what, is kept after "+
		"it was decided. 0 keeps it for ever; otherwise 1h or more.")
	flags.StringVar(&o.CRDGuardPolicy, "crd-guard-policy", o.CRDGuardPolicy, "Policy of the guard for CustomResourceDefinitions "+
		"without the annotation roadstead.dev/crd-policy: Deny or Warn. Under Deny a breaking change that was made without the guard "+
		"is told in an event.")
}

func (o *decisionOptions) validate() []error {
	var errs []error
	if o.ApprovalExpiry < time.Minute || o.ApprovalExpiry > 8760*time.Hour {
		errs = append(errs, errors.New("--approval-expiry: must be 1m to 8760h"))
	}
	if o.Retention != 0 && o.Retention < time.Hour {
		errs = append(errs, errors.New("--retention: must be 0, or 1h or more"))
	}
	if policy := crdpolicy.Policy(o.CRDGuardPolicy); policy != crdpolicy.Deny && policy != crdpolicy.Warn {
		errs = append(errs, fmt.Errorf("--crd-guard-policy: %q is none of %s and %s", o.CRDGuardPolicy, crdpolicy.Deny, crdpolicy.Warn))
	}
	return errs
}

// setupDecisions adds the controllers of Approvals and of missed changes. user is the user name of
// the controller.
func (o *Options) setupDecisions(ctx context.Context, mgr ctrl.Manager, user string) error {
	if err := approval.Setup(ctx, mgr, approval.Dependencies{
		Expiry: o.Decisions.ApprovalExpiry, Retention: o.Decisions.Retention, User: user, Now: o.serverTime.Now,
	}); err != nil {
		return fmt.Errorf("controller of Approvals: %w", err)
	}
	if err := crdguard.Setup(mgr, crdguard.Dependencies{Policy: crdpolicy.Policy(o.Decisions.CRDGuardPolicy)}); err != nil {
		return fmt.Errorf("controller of missed changes: %w", err)
	}
	return nil
}
