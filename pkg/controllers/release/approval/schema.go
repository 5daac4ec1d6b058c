// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// schemas reconciles CRDSchemas that wait for their OperatorVersion or for an approval.
type schemas struct {
	client   client.Client // reads from the cache, which contains only metadata of CRDSchemas
	live     client.Reader
	subjects subjects
	recorder events.EventRecorder
	// user is the user name of the controller.
	user string
	// expiry is how long an approval may take.
	expiry time.Duration
}

// Reconcile judges a CRDSchema that was created before its OperatorVersion, creates an Approval if
// one is required, and copies the decision to the status.
func (s *schemas) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	schema := &v1alpha1.CRDSchema{}
	if err := s.live.Get(ctx, request.NamespacedName, schema); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if schema.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	if err := s.judgeLate(ctx, schema); err != nil {
		return reconcile.Result{}, err
	}
	if schema.Status.Approval != v1alpha1.ApprovalPending {
		return reconcile.Result{}, nil
	}
	approval, err := s.ask(ctx, schema)
	if err != nil || approval == nil {
		return reconcile.Result{}, err
	}
	changed := ""
	if approval.Status.Decision == v1alpha1.OutcomeApproved {
		if changed, err = s.subjects.unlike(ctx, schema, approval); err != nil {
			return reconcile.Result{}, err
		}
	}
	stored := schema.DeepCopy()
	carry(schema, approval, changed)
	if err := s.write(ctx, schema, stored); err != nil {
		return reconcile.Result{}, err
	}
	if schema.Status.Approval != stored.Status.Approval {
		ready := meta.FindStatusCondition(schema.Status.Conditions, v1alpha1.ConditionReady)
		tellEnd(s.recorder, schema, approval, ready.Reason, ready.Message)
	}
	return reconcile.Result{}, nil
}

// ask returns the Approval of a CRDSchema, and creates it if there is none. The name is
// deterministic, so there is never a second one. It returns nil if the OperatorVersion of the
// CRDSchema does not exist.
func (s *schemas) ask(ctx context.Context, schema *v1alpha1.CRDSchema) (*v1alpha1.Approval, error) {
	approval := &v1alpha1.Approval{}
	// Read without the cache: an outdated cache would cause a second create, and delay the
	// decision.
	err := s.live.Get(ctx, client.ObjectKey{Name: nameOf(schema)}, approval)
	switch {
	case apierrors.IsNotFound(err):
		if changed, err := s.subjects.version(ctx, schema, nil); err != nil || changed != "" {
			return nil, err
		}
		return s.make(ctx, schema)
	case err != nil:
		return nil, err
	case approval.Spec.Subject.Name != schema.Name || approval.Spec.Subject.UID != string(schema.UID):
		return nil, fmt.Errorf("the Approval %s of CRDSchema %s is about another object (%s): delete it, or make the CRDSchema anew",
			approval.Name, schema.Name, approval.Spec.Subject.Name)
	}
	return approval, nil
}

func (s *schemas) make(ctx context.Context, schema *v1alpha1.CRDSchema) (*v1alpha1.Approval, error) {
	approval := question(schema, s.expiry)
	err := s.client.Create(ctx, approval)
	switch {
	case apierrors.IsForbidden(err):
		warn(s.recorder, schema, nil, eventNotMade, fmt.Sprintf("the API server does not let the controller make Approvals; set "+
			"--controller-user of roadstead-apiserver to the controller's user: %v", err))
		return nil, err
	case err != nil:
		return nil, err
	}
	text := fmt.Sprintf("Approval %s must be decided until %s", approval.Name, until(approval))
	if requester := schema.Status.RequestedBy; requester != "" {
		text += fmt.Sprintf("; %s requested the change", requester)
	}
	note(s.recorder, schema, approval, eventRequested, text)
	return approval, nil
}

// write stores the status if it changed. It sends only the changes, because the manifest in the
// spec is large.
func (s *schemas) write(ctx context.Context, schema, stored *v1alpha1.CRDSchema) error {
	if apiequality.Semantic.DeepEqual(schema.Status, stored.Status) {
		return nil
	}
	return s.client.Status().Patch(ctx, schema, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
}
