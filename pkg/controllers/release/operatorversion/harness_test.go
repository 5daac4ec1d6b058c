// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// controllerUser is the creator of every object whose status does not name another user.
const controllerUser = "system:serviceaccount:roadstead-system:roadstead-controller"

// world is a World whose API server compares CRDSchemas.
type world struct {
	*releaseworld.World
	// compare sets the status of a new CRDSchema as the API server does, or returns the error of a
	// rejection.
	compare func(*v1alpha1.CRDSchema) error
	made    int // number of CRDSchemas that were created
	renderer
}

// definition returns a CRD of example.com with note as a description.
func definition(plural, note string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: %[1]s, kind: %[2]s}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, description: %[3]q}
`, plural, strings.ToUpper(plural[:1])+plural[1:], note)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{compare: func(*v1alpha1.CRDSchema) error { return nil }}
	w.World, w.reserve = releaseworld.New(t, w.create), w.here
	w.Add(&v1alpha1.Operator{
		ObjectMeta: metav1.ObjectMeta{Name: releaseworld.Operator, UID: "operator", Generation: 1},
		Spec: v1alpha1.OperatorSpec{Chart: v1alpha1.OperatorChart{Repository: w.Repo.URL(), Name: releaseworld.Operator},
			Namespace: "widgets", ReleaseName: "widgets"},
	})
	return w
}

// create handles CRDSchemas as the API server does.
func (w *world) create(ctx context.Context, real client.WithWatch, object client.Object, options ...client.CreateOption) error {
	schema, ok := object.(*v1alpha1.CRDSchema)
	if !ok {
		return real.Create(ctx, object, options...)
	}
	schema.Status.CRD = strings.TrimPrefix(schema.Name, schema.Spec.OperatorVersionRef.Name+".")
	schema.Status.Digest = "sha256:" + schema.Status.CRD
	if len(schema.Spec.Definition.Raw) > 0 {
		content, err := crdpolicy.Decode(schema.Spec.Definition.Raw)
		require.NoError(w, err)
		schema.Status.Digest = compare.Digest(nil, content)
	}
	schema.Status.CreatedBy = cmp.Or(schema.Status.CreatedBy, controllerUser)
	schema.Status.Approval = v1alpha1.ApprovalNotRequired
	if err := w.compare(schema); err != nil {
		return err
	}
	w.made++
	schema.UID = types.UID(fmt.Sprintf("schema-%d", w.made))
	status := schema.Status
	if err := real.Create(ctx, schema, options...); err != nil {
		return err
	}
	schema.Status = status
	return real.Status().Update(ctx, schema)
}

// version adds an OperatorVersion.
func (w *world) version(number string, change ...func(*v1alpha1.OperatorVersion)) string {
	w.Helper()
	made := &v1alpha1.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: releaseworld.Operator + "-" + number, UID: types.UID("version-" + number), Generation: 1,
			CreationTimestamp: metav1.NewTime(w.Clock.Now())},
		Spec: v1alpha1.OperatorVersionSpec{OperatorRef: v1alpha1.LocalObjectReference{Name: releaseworld.Operator}, Version: number,
			ChartVersion: number, CRDSource: v1alpha1.CRDSourceChart},
	}
	for _, one := range change {
		one(made)
	}
	w.Add(made)
	return made.Name
}

// controller returns a new controller without state.
func (w *world) controller(api client.WithWatch) *reconciler {
	return &reconciler{
		Reporter: base.Reporter[*v1alpha1.OperatorVersion]{Kind: statusKind, Client: api, Recorder: w.Recorder},
		live:     api, source: chartsource.Source{Secrets: secrets.NewReader(api, api)}, charts: w.Charts,
		schemas: schemas.NewReader(api, api),
		reserve: w.reserve, comparisons: newComparisons(w.Clock, 10*time.Minute),
		clock: w.Clock, kubeVersion: "1.37", user: controllerUser,
	}
}

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}

// settle reconciles until only the next comparison is left to do.
func (w *world) settle(r *reconciler, name string) {
	w.Helper()
	for range 20 {
		result, err := r.Reconcile(w.Context(), request(name))
		if err == nil && (result.RequeueAfter == 0 || result.RequeueAfter > time.Minute) {
			return
		}
		w.Clock.Step(max(result.RequeueAfter, time.Second))
	}
	require.FailNow(w, "it does not come to rest", "%+v", w.get(name).Status)
}

func (w *world) get(name string) *v1alpha1.OperatorVersion {
	w.Helper()
	found := &v1alpha1.OperatorVersion{}
	require.NoError(w, w.Store.Get(w.Context(), types.NamespacedName{Name: name}, found))
	return found
}

// condition returns status and reason of a condition, for example "True AsSpecified".
func (w *world) condition(name, kind string) string {
	w.Helper()
	return releaseworld.Condition(w.get(name).Status.Conditions, kind)
}

// message returns the message of Ready.
func (w *world) message(name string) string {
	w.Helper()
	found := meta.FindStatusCondition(w.get(name).Status.Conditions, v1alpha1.ConditionReady)
	require.NotNil(w, found)
	return found.Message
}

// breaking returns the error with which the API server rejects a breaking change.
func breaking(name string, causes ...string) error {
	err := apierrors.NewInvalid(v1alpha1.SchemeGroupVersion.WithKind("CRDSchema").GroupKind(), name, nil)
	for _, cause := range causes {
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeForbidden, Field: "spec.definition[v1].spec.size", Message: cause,
		})
	}
	return err
}
