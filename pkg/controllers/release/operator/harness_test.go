// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/controllertest/releaseworld"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

const name = releaseworld.Operator

// world is a World whose API server can reject OperatorVersions.
type world struct {
	*releaseworld.World
	// refuse returns the error of the API server for a new OperatorVersion.
	refuse func(*v1alpha1.OperatorVersion) error
}

func newWorld(t *testing.T, change ...func(*v1alpha1.Operator)) *world {
	t.Helper()
	w := &world{refuse: func(*v1alpha1.OperatorVersion) error { return nil }}
	w.World = releaseworld.New(t, w.create)
	operator := &v1alpha1.Operator{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: "operator", Generation: 1},
		Spec:       v1alpha1.OperatorSpec{Chart: v1alpha1.OperatorChart{Repository: w.Repo.URL(), Name: name}, Namespace: name},
	}
	for _, one := range change {
		one(operator)
	}
	w.Add(operator)
	w.serve("1.0.0", "1.1.0", "2.0.0")
	return w
}

// create handles OperatorVersions as the API server does.
func (w *world) create(ctx context.Context, store client.WithWatch, object client.Object, options ...client.CreateOption) error {
	if version, ok := object.(*v1alpha1.OperatorVersion); ok {
		if err := w.refuse(version); err != nil {
			return err
		}
		version.UID = types.UID("uid-" + version.Name)
	}
	return store.Create(ctx, object, options...)
}

func (w *world) serve(versions ...string) {
	w.Helper()
	for _, version := range versions {
		w.Serve(version, nil)
	}
}

// version adds a version as the controller would create it.
func (w *world) version(number string) {
	w.versionOf(number, []metav1.OwnerReference{*metav1.NewControllerRef(w.GetOperator(), v1alpha1.SchemeGroupVersion.WithKind("Operator"))})
}

// versionOf adds a version with owners. A version that a user creates has none.
func (w *world) versionOf(number string, owners []metav1.OwnerReference) {
	w.Add(&v1alpha1.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-" + number, OwnerReferences: owners},
		Spec:       v1alpha1.OperatorVersionSpec{OperatorRef: v1alpha1.LocalObjectReference{Name: name}, Version: number},
	})
}

// controller returns a new controller without state.
func (w *world) controller() *reconciler {
	return &reconciler{
		Reporter: base.Reporter[*v1alpha1.Operator]{Kind: statusKind, Client: w.Store, Recorder: w.Recorder},
		live:     w.Store, source: chartsource.Source{Secrets: secrets.NewReader(w.Store, w.Store)}, charts: w.Charts,
		schemas: schemas.NewReader(w.Store, w.Store), checks: newChecks(w.Clock, 10*time.Minute),
	}
}

func (w *world) once(r *reconciler) reconcile.Result {
	w.Helper()
	result, err := r.Reconcile(w.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
	require.NoError(w, err)
	return result
}

func (w *world) condition(kind string) string {
	w.Helper()
	return releaseworld.Condition(w.GetOperator().Status.Conditions, kind)
}

func (w *world) message(kind string) string {
	w.Helper()
	return meta.FindStatusCondition(w.GetOperator().Status.Conditions, kind).Message
}

func (w *world) asked() int { return len(w.Repo.Requests("/index.yaml")) }
