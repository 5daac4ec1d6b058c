// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// create makes the CRDSchema of a definition, owned by the version. One that is there already is taken only if this version
// made it: what somebody else put there may be something harmless in the place of a breaking change.
func (r *reconciler) create(ctx context.Context, a *attempt, definition *apiextensionsv1.CustomResourceDefinition) (*schemas.Summary, *refusal) {
	made, err := schemaOf(a, definition)
	if err == nil {
		err = owner.SetController(ctx, r.live, r.client.Scheme(), a.version, made)
	}
	if err != nil {
		return nil, refused(definition.Name, err)
	}
	err = r.client.Create(ctx, made)
	if apierrors.IsAlreadyExists(err) {
		return r.taken(ctx, a, definition.Name, made.Name)
	}
	if err != nil {
		return nil, refused(definition.Name, err)
	}
	return schemas.Summarise(made), nil
}

func schemaOf(a *attempt, definition *apiextensionsv1.CustomResourceDefinition) (*v1alpha1.CRDSchema, error) {
	content, err := manifest(definition)
	if err != nil {
		return nil, err
	}
	// Whoever wants the version may say why; the approver reads it.
	reason := cmp.Or(a.version.Annotations[v1alpha1.RequestApprovalAnnotation], fmt.Sprintf("version %s of Operator %s", a.version.Spec.Version, a.operator.Name))
	made := &v1alpha1.CRDSchema{
		ObjectMeta: metav1.ObjectMeta{
			Name:        schemas.NameOf(a.version.Name, definition.Name),
			Annotations: map[string]string{v1alpha1.RequestApprovalAnnotation: reason},
		},
		Spec: v1alpha1.CRDSchemaSpec{
			OperatorVersionRef: &v1alpha1.LocalObjectReference{Name: a.version.Name},
			Definition:         runtime.RawExtension{Raw: content},
		},
	}
	return made, nil
}

// taken looks who made the CRDSchema that is there.
func (r *reconciler) taken(ctx context.Context, a *attempt, definition, name string) (*schemas.Summary, *refusal) {
	there := &v1alpha1.CRDSchema{}
	if err := r.live.Get(ctx, types.NamespacedName{Name: name}, there); err != nil {
		return nil, &refusal{definition: definition, problem: at(v1alpha1.ConditionCRDsCompatible, chartsource.Request("reading CRDSchema "+name, err))}
	}
	controller := metav1.GetControllerOf(there)
	switch {
	case controller != nil && controller.UID == a.version.UID && there.DeletionTimestamp == nil:
		return schemas.Summarise(there), nil
	case controller != nil && controller.Kind == "OperatorVersion" && controller.Name == a.version.Name, there.DeletionTimestamp != nil:
		return nil, &refusal{definition: definition, problem: &problem{unknown: true, reason: v1alpha1.ReasonReconciling, wait: goingAway,
			message: fmt.Sprintf("CRDSchema %s of a version that was deleted is still there; the garbage collector deletes it", name)}}
	}
	return nil, &refusal{definition: definition, problem: &problem{condition: v1alpha1.ConditionCRDsCompatible, reason: v1alpha1.ReasonSchemaNameTaken,
		message: fmt.Sprintf("CRDSchema %s was not made from the chart: delete it, or make all of this version by hand (spec.crdSource: Manual)", name)}}
}
