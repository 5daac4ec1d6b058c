// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// create creates the CRDSchema of a CRD, owned by the version. An existing CRDSchema counts only if
// it is evidence of what the chart renders: another user may have created one that hides a breaking
// change.
func (r *reconciler) create(ctx context.Context, a *attempt, rendered renderedCRD) (*schemas.Summary, *refusal) {
	made := schemaOf(a, rendered)
	if err := owner.SetController(ctx, r.live, r.Client.Scheme(), a.version, made); err != nil {
		return nil, refused(rendered.name, err)
	}
	err := r.Client.Create(ctx, made)
	if apierrors.IsAlreadyExists(err) {
		return r.existing(ctx, a, rendered, made.Name)
	}
	if err != nil {
		return nil, refused(rendered.name, err)
	}
	return schemas.Summarise(made), nil
}

func schemaOf(a *attempt, rendered renderedCRD) *v1alpha1.CRDSchema {
	// The user who creates the version may specify the reason for the approver.
	reason := cmp.Or(a.version.Annotations[v1alpha1.RequestApprovalAnnotation], fmt.Sprintf("version %s of Operator %s",
		a.version.Spec.Version, a.operator.Name))
	return &v1alpha1.CRDSchema{
		ObjectMeta: metav1.ObjectMeta{
			Name:        schemas.NameOf(a.version.Name, rendered.name),
			Annotations: map[string]string{v1alpha1.RequestApprovalAnnotation: reason},
		},
		Spec: v1alpha1.CRDSchemaSpec{
			OperatorVersionRef: &v1alpha1.LocalObjectReference{Name: a.version.Name},
			Definition:         runtime.RawExtension{Raw: rendered.manifest},
		},
	}
}

// existing reads the existing CRDSchema with the name.
func (r *reconciler) existing(ctx context.Context, a *attempt, rendered renderedCRD, name string) (*schemas.Summary, *refusal) {
	found := &v1alpha1.CRDSchema{}
	if err := r.live.Get(ctx, types.NamespacedName{Name: name}, found); err != nil {
		failed := chartsource.Request("reading CRDSchema "+name, err)
		return nil, &refusal{definition: rendered.name, blocked: at(v1alpha1.ConditionCRDsCompatible, failed)}
	}
	one := schemas.Summarise(found)
	if flawed := r.flawed(a, v1alpha1.OperatorVersionCRD{Name: rendered.name, Digest: rendered.digest}, one); flawed != nil {
		return nil, &refusal{definition: rendered.name, blocked: flawed}
	}
	return one, nil
}

// flawed returns why a CRDSchema is no evidence of what the chart renders, or nil if it is.
func (r *reconciler) flawed(a *attempt, rendered v1alpha1.OperatorVersionCRD, one *schemas.Summary) *base.Blocked {
	chart := schemas.Chart{Version: a.version.Name, UID: a.version.UID, Controller: r.user, Digest: rendered.Digest}
	taken := func(reason, format string, args ...any) *base.Blocked {
		return &base.Blocked{Condition: v1alpha1.ConditionCRDsCompatible, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	remedy := fmt.Sprintf("Delete it, and the controller creates it from the chart: kubectl delete crdschema %s", one.Name)
	switch chart.FlawOf(one) {
	case schemas.FlawNone:
		return nil
	case schemas.FlawDeleting:
		return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonReconciling, RequeueAfter: deletionWait,
			Message: fmt.Sprintf("CRDSchema %s is being deleted. The controller creates it again afterwards.", one.Name)}
	case schemas.FlawStale:
		return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonReconciling, RequeueAfter: deletionWait,
			Message: fmt.Sprintf("CRDSchema %s belongs to a deleted version of the same name. The garbage collector deletes it.", one.Name)}
	case schemas.FlawCreator:
		return taken(v1alpha1.ReasonSchemaNameTaken,
			"CRDSchema %s was created by %q and not by the controller, so it does not show what the chart renders. %s",
			one.Name, cmp.Or(one.CreatedBy, "an unknown user"), remedy)
	case schemas.FlawOwner:
		return taken(v1alpha1.ReasonSchemaNameTaken,
			"The ownerReference of CRDSchema %s to this OperatorVersion was removed or changed. %s", one.Name, remedy)
	case schemas.FlawVersion:
		return taken(v1alpha1.ReasonSchemaNameTaken,
			"CRDSchema %s, created by %q, does not name this OperatorVersion. %s", one.Name, one.CreatedBy, remedy)
	}
	return taken(v1alpha1.ReasonSchemaDigestMismatch, "CRDSchema %s, created by %q, has the digest %s, and the chart renders %s with %s. %s",
		one.Name, one.CreatedBy, one.Digest, rendered.Name, rendered.Digest, remedy)
}
