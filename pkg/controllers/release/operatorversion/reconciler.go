// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

type reconciler struct {
	base.Reporter[*v1alpha1.OperatorVersion] // its Client reads from the cache

	live    client.Reader
	source  chartsource.Source
	charts  *repository.Client
	schemas *schemas.Reader
	// reserve reserves the seat of a namespace in the sandbox.
	reserve func(ctx context.Context, namespace string) (seat, error)
	// refusals contains the CRDs that were rejected. They are not tried again before the Operator
	// or the lower versions change.
	refusals    base.Memory[refusalList]
	comparisons *comparisons
	// unrenderable contains why charts could not be rendered, so that each one costs its rendering
	// time only once per change of its inputs.
	unrenderable base.Memory[*base.Blocked]
	clock        clock.PassiveClock
	kubeVersion  string
	// user is the user name of the controller, which the API server records in status.createdBy of
	// the objects that it creates.
	user string
}

// attempt is one reconciliation of one OperatorVersion.
type attempt struct {
	// version is a copy whose status is the draft of the next status. stored is the object in the
	// API server.
	version, stored *v1alpha1.OperatorVersion
	// first is the condition Ready at the start of the attempt.
	first *metav1.Condition
	// operator is the Operator of the version. siblings contains its other versions.
	operator *v1alpha1.Operator
	siblings []v1alpha1.OperatorVersion
	// values are the values of the Operator. If they are nil, unusable contains the reason.
	values   *chartsource.Values
	unusable *base.Blocked
	// lower is the name of the newest lower version that was accepted, or "" if there is none.
	lower string
	// after is the delay before the next reconciliation if there is no problem.
	after time.Duration
}

// Reconcile brings one OperatorVersion in line with its chart, usually completely.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha1.OperatorVersion{}
	if err := r.Client.Get(ctx, request.NamespacedName, stored); err != nil {
		if apierrors.IsNotFound(err) {
			r.refusals.Forget(request.Name)
			r.comparisons.Forget(request.Name)
			r.unrenderable.Forget(request.Name)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if stored.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	a := &attempt{version: stored.DeepCopy(), stored: stored, first: meta.FindStatusCondition(stored.Status.Conditions,
		v1alpha1.ConditionReady)}
	if stored.Status.ObservedGeneration != stored.Generation {
		statusKind.Reconciling(a.version, "the version is looked at")
		if err := r.write(ctx, a); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
	}
	work, done := base.Work(ctx)
	defer done()
	judged, blocked := r.ensure(work, a)
	if ctx.Err() != nil {
		return reconcile.Result{}, context.Cause(ctx) // the process ends; the result is unknown
	}
	if blocked.Outdated() {
		return reconcile.Result{}, blocked.Err
	}
	conclude(a.version, judged, blocked)
	if err := r.report(ctx, a); err != nil {
		return reconcile.Result{}, err
	}
	switch {
	case blocked == nil:
		return reconcile.Result{RequeueAfter: a.after}, nil
	case blocked.Err != nil:
		return reconcile.Result{}, blocked.Err
	}
	return reconcile.Result{RequeueAfter: cmp.Or(blocked.RequeueAfter, a.after)}, nil
}

// write stores the draft of the status during the attempt.
func (r *reconciler) write(ctx context.Context, a *attempt) error {
	if err := r.Client.Status().Update(ctx, a.version); err != nil {
		return err
	}
	a.stored = a.version.DeepCopy()
	return nil
}

// ensure does the work. It returns the combined result of the CRDSchemas, or nil if there is none
// yet, and what stopped it.
func (r *reconciler) ensure(ctx context.Context, a *attempt) (*judgement, *base.Blocked) {
	if blocked := r.gatherKin(ctx, a); blocked != nil {
		return nil, blocked
	}
	found, err := r.schemas.Of(ctx, a.version.Name, planned(a.version)...)
	if err != nil {
		return nil, chartsource.Request("reading the CRDSchemas", err)
	}
	if a.version.Spec.CRDSource == v1alpha1.CRDSourceManual {
		meta.RemoveStatusCondition(&a.version.Status.Conditions, v1alpha1.ConditionChartFetched)
		gather(a.version, found, nil)
		judged := judge(found, nil, chartwide{})
		return &judged, tooMany(len(found))
	}
	a.values, a.unusable = r.source.Values(ctx, a.operator)
	return r.fromChart(ctx, a, found)
}

// gatherKin reads the Operator and the other versions.
func (r *reconciler) gatherKin(ctx context.Context, a *attempt) *base.Blocked {
	name := a.version.Spec.OperatorRef.Name
	a.operator = &v1alpha1.Operator{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: name}, a.operator); err != nil {
		if apierrors.IsNotFound(err) {
			return &base.Blocked{Reason: v1alpha1.ReasonOperatorNotFound,
				Message: fmt.Sprintf("Operator %q is not there; the work goes on when it is made", name)}
		}
		return chartsource.Request(fmt.Sprintf("reading Operator %q", name), err)
	}
	list := &v1alpha1.OperatorVersionList{}
	if err := r.Client.List(ctx, list, client.MatchingFields{chartsource.VersionsByOperator: name}); err != nil {
		return chartsource.Request("listing the versions of the Operator", err)
	}
	a.siblings = slices.DeleteFunc(list.Items, func(one v1alpha1.OperatorVersion) bool { return one.Name == a.version.Name })
	return nil
}

// fromChart creates the missing CRDSchemas of the chart, and judges the existing ones. Only those
// that the controller created from the chart count: see package schemas.
func (r *reconciler) fromChart(ctx context.Context, a *attempt, found []*schemas.Summary) (*judgement, *base.Blocked) {
	status := &a.version.Status
	known, _ := r.refusals.Recall(a.version.Name, refusalKey(a))
	own, foreign := r.sift(a, found)
	lacking := slices.DeleteFunc(missing(a.version, own), func(name string) bool { return known.has(name) || foreign.has(name) })
	kept := carried(status, known.names())
	var blocked *base.Blocked
	if status.ChartDigest == "" || len(lacking) > 0 {
		made, obstacle := r.obtain(ctx, a, own)
		if made == nil {
			if status.ChartDigest == "" {
				return nil, obstacle
			}
			// The missing CRDSchemas cannot be created now, so there is no combined result.
			gather(a.version, own, slices.Concat(kept, removalsIn(status)))
			return nil, obstacle
		}
		blocked, own, known, foreign = obstacle, made.found, made.refused, nil
		kept = slices.Concat(made.varies, known.findings())
	}
	removed, obstacle := r.removed(ctx, a, own, kept)
	if obstacle != nil {
		gather(a.version, own, slices.Concat(kept, removalsIn(status)))
		return nil, obstacle
	}
	kept = append(kept, removed...)
	gather(a.version, own, kept)
	blocked = cmp.Or(blocked, foreign.blocked(), known.blocked())
	if blocked == nil {
		blocked = r.compare(ctx, a, own)
	}
	if blocked == nil || blocked.Condition != v1alpha1.ConditionChartFetched {
		setFetched(a.version)
	}
	judged := judge(own, known.breaking(), a.judgeWide(kept))
	return &judged, blocked
}

// sift separates the CRDSchemas that the controller created from the chart of a version from all
// others with their names. The latter are never adopted and never deleted.
func (r *reconciler) sift(a *attempt, found []*schemas.Summary) (own []*schemas.Summary, foreign refusalList) {
	byName := map[string]*schemas.Summary{}
	for _, one := range found {
		byName[one.Name] = one
	}
	for _, planned := range a.version.Status.CRDs {
		one := byName[schemas.NameOf(a.version.Name, planned.Name)]
		if one == nil || planned.Digest == "" { // without a digest the chart must be rendered first
			continue
		}
		if flawed := r.flawed(a, planned, one); flawed != nil {
			foreign = append(foreign, refusal{definition: planned.Name, blocked: flawed})
			continue
		}
		own = append(own, one)
	}
	return own, foreign
}
